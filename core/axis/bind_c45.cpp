// C4.5: gain and split information of tests, grouping of categories, error-based pruning.
#include "axis/error_pruning.hpp"
#include "axis/gain_ratio.hpp"
#include "bind.hpp"
#include "tree/tree_walk.hpp"

namespace askew::axis {

using namespace numeric;
using namespace score;
using namespace tree;

namespace {

nb::tuple gain_info_of(Matrix children, double unknown) {
  std::vector<const double*> counts;
  for (std::size_t i = 0; i < children.shape(0); ++i) counts.push_back(children.data() + i * children.shape(1));
  const GainInfo w =
      gain_info(counts.data(), static_cast<int>(counts.size()), static_cast<int>(children.shape(1)), unknown);
  return nb::make_tuple(w.gain, w.information, w.mass);
}

nb::object choose(Matrix infos) {
  if (infos.shape(1) != 3) throw std::invalid_argument("'infos' must have three columns");
  std::vector<GainInfo> tests;
  for (std::size_t i = 0; i < infos.shape(0); ++i) {
    const double* w = infos.data() + 3 * i;
    tests.push_back({w[0], w[1], w[2]});
  }
  const std::size_t best = best_ratio(tests);
  return best < tests.size() ? nb::cast(best) : nb::none();
}

nb::object group(Matrix counts, double unknown) {
  return to_numpy(unlocked(
      [&] { return group_categories(counts.data(), counts.shape(0), static_cast<int>(counts.shape(1)), unknown); }));
}

nb::object error_limit(Vector<double> cases, Vector<double> errors, double log_confidence, double deviation) {
  need_size(errors, cases.shape(0), "errors");
  const ErrorLimit limit{log_confidence, deviation};
  std::vector<double> limits(cases.shape(0));
  for (std::size_t i = 0; i < limits.size(); ++i) limits[i] = limit(cases.data()[i], errors.data()[i]);
  return to_numpy(std::move(limits));
}

nb::tuple prune_errors(const BoundTree& bound, Vector<double> mass, Matrix counts, Matrix X, Vector<std::int32_t> label,
                       Vector<double> row_weight, double log_confidence, double deviation, double slack, bool raising) {
  const TreeView tree = bound.view();
  need_size(mass, tree.n_nodes, "mass");
  need_size(counts, tree.n_nodes, "counts");
  need_size(label, X.shape(0), "label");
  need_size(row_weight, X.shape(0), "row_weight");
  need_below(label, counts.shape(1), "label");
  need_below(bound.feature, X.shape(1), "feature");
  const PrunedRows rows{X.data(), X.shape(0), X.shape(1), label.data(), row_weight.data()};
  const std::vector<double> start(counts.data(), counts.data() + counts.size());
  Interrupt interrupt(heartbeat(nb::none()));
  auto [now, raised] = unlocked([&] {
    ErrorPruning pruning(tree, mass.data(), rows, start, counts.shape(1), {log_confidence, deviation}, slack, raising);
    pruning.run(interrupt);
    return std::make_pair(std::move(pruning.now()), pruning.raised());
  });
  return nb::make_tuple(to_numpy(std::move(now)), raised);
}

}  // namespace

void bind_c45(nb::module_& m) {
  m.def("gain_info", &gain_info_of, nb::arg("children"), nb::arg("unknown"));
  m.def("best_ratio", &choose, nb::arg("infos"));
  m.def("least_samples", &least_samples, nb::arg("known"), nb::kw_only(), nb::arg("n_classes"), nb::arg("least"));
  m.def("price_of_threshold", &price_of_threshold, nb::kw_only(), nb::arg("distinct"), nb::arg("n_samples"),
        nb::arg("mass"));
  m.def("group_categories", &group, nb::arg("counts"), nb::arg("unknown"));
  m.def("error_limit", &error_limit, nb::kw_only(), nb::arg("cases"), nb::arg("errors"), nb::arg("log_confidence"),
        nb::arg("deviation"));
  m.def("prune_errors", &prune_errors, nb::arg("tree"), nb::kw_only(), nb::arg("mass"), nb::arg("counts"), nb::arg("X"),
        nb::arg("label"), nb::arg("row_weight"), nb::arg("log_confidence"), nb::arg("deviation"), nb::arg("slack"),
        nb::arg("raising"));
}

}  // namespace askew::axis
