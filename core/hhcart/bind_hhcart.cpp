// HHCART's mirrors, and the rows as they show them.
#include "bind.hpp"
#include "hhcart/reflections.hpp"

namespace askew::hhcart {
namespace {

// (unit normals of the mirrors, one in a row; whether an eigenvector lies on the first axis, which needs no mirror)
nb::tuple mirrors(Matrix X, Vector<double> weight, bool dominant_alone, double spread, double tau) {
  need_size(weight, X.shape(0), "weight");
  const std::size_t d = X.shape(1);
  std::vector<double> normals;
  bool on_axis = false;
  unlocked([&] {
    const std::vector<double> directions =
        principal_directions({X.data(), weight.data(), X.shape(0), d}, spread, dominant_alone);
    for (std::size_t at = 0; at < directions.size(); at += d) {
      normals.resize(normals.size() + d);
      if (mirror_of(&directions[at], d, tau, normals.data() + normals.size() - d)) continue;
      normals.resize(normals.size() - d);
      on_axis = true;
    }
  });
  return nb::make_tuple(to_numpy(std::move(normals), d), on_axis);
}

nb::object reflected(Matrix X, Vector<double> normal) {
  need_size(normal, X.shape(1), "normal");
  return to_numpy(unlocked([&] { return reflect(X.data(), X.shape(0), X.shape(1), normal.data()); }), X.shape(1));
}

}  // namespace

void bind_hhcart(nb::module_& m) {
  m.def("householder_mirrors", &mirrors, nb::arg("X"), nb::arg("weight"), nb::kw_only(), nb::arg("dominant_alone"),
        nb::arg("spread"), nb::arg("tau"));
  m.def("reflect", &reflected, nb::arg("X"), nb::arg("normal"));
}

}  // namespace askew::hhcart
