// C4.5: what its tests are worth, and rows that go down a tree in parts.
#include "bind.hpp"
#include "gain_ratio.hpp"
#include "walk.hpp"

namespace askew {
namespace {

nb::tuple worth(Matrix children, double unknown) {
  std::vector<const double*> counts;
  for (std::size_t i = 0; i < children.shape(0); ++i) counts.push_back(children.data() + i * children.shape(1));
  const Worth w = worth_of(counts.data(), static_cast<int>(counts.size()), static_cast<int>(children.shape(1)), unknown);
  return nb::make_tuple(w.gain, w.information, w.mass);
}

nb::object choose(Matrix worths) {
  std::vector<Worth> tests;
  for (std::size_t i = 0; i < worths.shape(0); ++i) {
    const double* w = worths.data() + 3 * i;
    tests.push_back({w[0], w[1], w[2]});
  }
  const std::size_t best = best_ratio(tests);
  return best < tests.size() ? nb::cast(best) : nb::none();
}

nb::object group(Matrix counts, double unknown) {
  return to_numpy(unlocked(
      [&] { return group_categories(counts.data(), counts.shape(0), static_cast<int>(counts.shape(1)), unknown); }));
}

nb::tuple spread_rows(Vector<std::int8_t> kind, Vector<std::int64_t> first_child, Vector<std::int64_t> n_children,
                      Vector<std::int64_t> feature_start, Vector<std::int64_t> weight_start,
                      Vector<std::int64_t> feature, Vector<double> weight, Vector<double> threshold,
                      Vector<double> mass, std::optional<Vector<std::int64_t>> now, std::size_t start, Matrix X,
                      std::optional<Vector<std::uint32_t>> rows) {
  const TreeView tree{kind.shape(0),       kind.data(),    first_child.data(), n_children.data(), feature_start.data(),
                      weight_start.data(), feature.data(), weight.data(),      threshold.data()};
  const std::size_t n = rows ? rows->shape(0) : X.shape(0), d = X.shape(1);
  std::vector<std::int64_t> entry, leaf;
  std::vector<double> part;
  Pulse pulse(heartbeat(nb::none()));
  unlocked([&] {
    std::vector<std::pair<std::size_t, double>> stack;
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 1024 == 0) pulse.check();
      const double* x = X.data() + (rows ? rows->data()[i] : i) * d;
      spread(tree, mass.data(), data_or_null(now), start, x, stack, [&](std::size_t node, double share) {
        entry.push_back(static_cast<std::int64_t>(i));
        leaf.push_back(static_cast<std::int64_t>(node));
        part.push_back(share);
      });
    }
  });
  return nb::make_tuple(to_numpy(std::move(entry)), to_numpy(std::move(leaf)), to_numpy(std::move(part)));
}

}  // namespace

void bind_c45(nb::module_& m) {
  m.def("worth", &worth);
  m.def("best_ratio", &choose);
  m.def("least_samples", &least_samples);
  m.def("price_of_threshold", &price_of_threshold);
  m.def("group_categories", &group);
  m.def("spread", &spread_rows, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace askew
