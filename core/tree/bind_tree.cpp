// Fitted trees: where rows arrive, and what moves them there.
#include <limits>

#include "bind.hpp"
#include "tree/bind_models.hpp"
#include "tree/tree_walk.hpp"

namespace askew::tree {

using namespace numeric;

namespace {

nb::object apply_tree(const BoundTree& tree, Matrix X, int threads) {
  need_below(tree.feature, X.shape(1), "feature");
  std::vector<std::int64_t> leaf(X.shape(0));
  Interrupt interrupt(heartbeat(nb::none()));
  unlocked([&] { apply(tree.view(), X.data(), X.shape(0), X.shape(1), leaf.data(), threads, interrupt); });
  return to_numpy(std::move(leaf));
}

nb::tuple gaps_of(const BoundTree& tree, Matrix X) {
  need_below(tree.feature, X.shape(1), "feature");
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> low(tree.view().n_nodes, -infinity), high(low.size(), infinity);
  unlocked([&] { axis_gaps(tree.view(), X.data(), X.shape(0), X.shape(1), low.data(), high.data()); });
  return nb::make_tuple(to_numpy(std::move(low)), to_numpy(std::move(high)));
}

nb::object route_rows(std::int8_t kind, std::size_t n_children, Vector<std::int64_t> features, Vector<double> weights,
                      double threshold, Matrix X, std::optional<Vector<std::uint32_t>> rows) {
  need_below(features, X.shape(1), "features");
  if (kind == kHyperplane) need_size(weights, features.shape(0), "weights");
  if (kind == kLinearMachine) need_size(weights, n_children * (features.shape(0) + 1), "weights");
  if (kind != kHyperplane && kind != kLinearMachine) need_size(features, 1, "features");
  if (rows) need_below(*rows, X.shape(0), "rows");
  const SplitView split{kind,           n_children,       features.data(), features.shape(0),
                        weights.data(), weights.shape(0), threshold};
  const std::size_t n = rows ? rows->shape(0) : X.shape(0), d = X.shape(1);
  std::vector<std::int64_t> child(n);
  unlocked([&] {
    for (std::size_t i = 0; i < n; ++i)
      child[i] = static_cast<std::int64_t>(route(split, X.data() + (rows ? rows->data()[i] : i) * d));
  });
  return to_numpy(std::move(child));
}

nb::tuple spread_rows(const BoundTree& bound, Vector<double> mass, Matrix X) {
  const TreeView tree = bound.view();
  need_size(mass, tree.n_nodes, "mass");
  need_below(bound.feature, X.shape(1), "feature");
  const std::size_t n = X.shape(0), d = X.shape(1);
  std::vector<std::int64_t> entry, leaf;
  std::vector<double> part;
  Interrupt interrupt(heartbeat(nb::none()));
  unlocked([&] {
    std::vector<std::pair<std::size_t, double>> stack;
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 1024 == 0) interrupt.check();
      spread(tree, mass.data(), nullptr, 0, X.data() + i * d, stack, [&](std::size_t node, double share) {
        entry.push_back(static_cast<std::int64_t>(i));
        leaf.push_back(static_cast<std::int64_t>(node));
        part.push_back(share);
      });
    }
  });
  return nb::make_tuple(to_numpy(std::move(entry)), to_numpy(std::move(leaf)), to_numpy(std::move(part)));
}

}  // namespace

void bind_tree(nb::module_& m) {
  nb::class_<BoundTree>(m, "Tree").def(
      nb::init<Vector<std::int8_t>, Vector<std::int64_t>, Vector<std::int64_t>, Vector<std::int64_t>,
               Vector<std::int64_t>, Vector<std::int64_t>, Vector<double>, Vector<double>>(),
      nb::kw_only(), nb::arg("kind"), nb::arg("first_child"), nb::arg("n_children"), nb::arg("feature_start"),
      nb::arg("weight_start"), nb::arg("feature"), nb::arg("weight"), nb::arg("threshold"));
  nb::class_<BoundModels>(m, "LeafModels")
      .def(
          "__init__",
          [](BoundModels* self, Matrix value, Vector<std::int64_t> start, Vector<std::int64_t> feature, Matrix weight,
             Matrix constant, Vector<double> low,
             Vector<double> high) { new (self) BoundModels{value, start, feature, weight, constant, low, high}; },
          nb::kw_only(), nb::arg("value"), nb::arg("start"), nb::arg("feature"), nb::arg("weight"), nb::arg("constant"),
          nb::arg("low"), nb::arg("high"));
  m.def("apply", &apply_tree, nb::arg("tree"), nb::arg("X"), nb::arg("threads"));
  m.def("axis_gaps", &gaps_of, nb::arg("tree"), nb::arg("X"));
  m.def("route", &route_rows, nb::arg("kind"), nb::arg("n_children"), nb::arg("features"), nb::arg("weights"),
        nb::arg("threshold"), nb::arg("X"), nb::arg("rows").none());
  m.def("spread", &spread_rows, nb::arg("tree"), nb::arg("mass"), nb::arg("X"));
}

}  // namespace askew::tree
