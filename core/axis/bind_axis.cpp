// CART: axis-parallel cuts of a node, and whole trees of axis-parallel cuts from columns that are sorted once.
#include <optional>

#include "axis/bin_counts.hpp"
#include "axis/feature_draw.hpp"
#include "axis/presorted_growth.hpp"
#include "axis/sorted_columns.hpp"
#include "bind.hpp"
#include "score/axis_cuts.hpp"

namespace askew::axis {

using namespace numeric;
using namespace score;
using namespace tree;

namespace {

// The best cut of each feature.
std::vector<AxisCut> cuts_of(const Criterion& criterion, const BoundNode& node, bool boundaries) {
  Interrupt interrupt(heartbeat(nb::none()));
  return unlocked([&] {
    return with_sides(criterion, node.target(), [&](auto type, const auto& c) {
      return axis_cuts<typename decltype(type)::type>(c, node.target(), node.X.data(), node.X.shape(1),
                                                      node.rows.data(), node.rows.shape(0), node.min_samples_leaf,
                                                      node.threads, interrupt, node.min_weight_leaf, boundaries);
    });
  });
}

// (feature, threshold, score) of the best cut; of equals, the first feature's. None if there is none.
nb::object axis_cut(const Criterion& criterion, const BoundNode& node, bool boundaries,
                    std::optional<std::size_t> max_features, std::uint64_t seed) {
  const auto cuts = cuts_of(criterion, node, boundaries);
  const auto varying = varying_features(node.X.data(), node.X.shape(1), node.rows.data(), node.rows.shape(0));
  AxisCut best;
  for (const auto f : draw_features(varying, max_features.value_or(cuts.size()), seed))
    if (cuts[f].score < best.score) best = cuts[f];
  if (best.feature == kNone) return nb::none();
  return nb::make_tuple(best.feature, best.threshold, best.score);
}

// The best cut of each feature: (thresholds, scores); a score is infinite where there is no cut.
nb::tuple axis_cuts_of(const Criterion& criterion, const BoundNode& node) {
  std::vector<double> thresholds, scores;
  for (const AxisCut& cut : cuts_of(criterion, node, false))
    thresholds.push_back(cut.threshold), scores.push_back(cut.score);
  return nb::make_tuple(to_numpy(std::move(thresholds)), to_numpy(std::move(scores)));
}

// The counts of all bins of all features (bins x width), from the bin of each value; see `count_codes`.
nb::object counts_of_codes(const BoundNode& node,
                           nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> codes,
                           Vector<std::int64_t> first, double centre, double large_first, double large_second) {
  const std::size_t d = codes.shape(1);
  need_size(codes, node.X.shape(0), "codes");
  need_size(first, d + 1, "first");
  if (first.data()[0] != 0 || !std::is_sorted(first.data(), first.data() + d + 1))
    throw std::invalid_argument("'first' must rise from 0");
  const auto n_bins = static_cast<std::size_t>(first.data()[d]);
  const CountShape shape{node.target().k, node.target().classification()};
  return to_numpy(unlocked([&] {
                    for (std::size_t i = 0; i < node.rows.shape(0); ++i)
                      for (std::size_t f = 0; f < d; ++f)
                        if (first.data()[f] + codes.data()[node.rows.data()[i] * d + f] >= first.data()[f + 1])
                          throw std::invalid_argument("'codes' must be numbers of bins");
                    return count_codes(node.target(), shape, codes.data(), d, first.data(), n_bins, node.rows.data(),
                                       node.rows.shape(0), centre, {large_first, large_second});
                  }),
                  shape.width());
}

GrownTree grow_axis(const Criterion& criterion, const BoundTarget& bound, Matrix X, const Limits& limits,
                    const CutRule& rule, std::optional<std::size_t> max_features, std::uint64_t seed, int threads,
                    nb::object progress) {
  if (bound.label) need_size(*bound.label, X.shape(0), "label");
  if (bound.y) need_size(*bound.y, X.shape(0), "y");
  if (X.shape(0) == 0) throw std::invalid_argument("a tree needs rows");
  Interrupt interrupt(heartbeat(progress));
  return unlocked([&] {
    return with_sides(criterion, bound.view(), [&](auto type, const auto& c) {
      using Grower = PresortedGrower<typename decltype(type)::type, std::decay_t<decltype(c)>>;
      SortedColumns columns(X.data(), X.shape(0), X.shape(1), threads, interrupt);
      Grower grower(c, bound.view(), std::move(columns), limits, rule, max_features.value_or(X.shape(1)), threads,
                    interrupt);
      return grower.grow(seed);
    });
  });
}

}  // namespace

void bind_axis(nb::module_& m) {
  nb::class_<Limits>(m, "Limits")
      .def(nb::init<double, double, double, double, double, double, double>(), nb::kw_only(), nb::arg("max_depth"),
           nb::arg("min_samples_split"), nb::arg("min_samples_leaf"), nb::arg("max_leaf_nodes"),
           nb::arg("min_impurity_decrease"), nb::arg("impurity_threshold"), nb::arg("min_weight_leaf"));
  nb::class_<CutRule>(m, "CutRule")
      .def(nb::init<bool, bool, bool, double>(), nb::kw_only(), nb::arg("ratio") = false, nb::arg("penalty") = false,
           nb::arg("boundaries") = false, nb::arg("min_cases") = 0.0);
  m.def("axis_cut", &axis_cut, nb::arg("criterion"), nb::arg("node"), nb::kw_only(), nb::arg("boundaries") = false,
        nb::arg("max_features").none() = nb::none(), nb::arg("seed") = 0);
  m.def("axis_cuts", &axis_cuts_of, nb::arg("criterion"), nb::arg("node"));
  m.def("count_codes", &counts_of_codes, nb::arg("node"), nb::kw_only(), nb::arg("codes"), nb::arg("first"),
        nb::arg("centre") = 0.0, nb::arg("large_first") = 0.0, nb::arg("large_second") = 0.0);
  m.def("grow_axis", &grow_axis, nb::arg("criterion"), nb::arg("target"), nb::arg("X"), nb::kw_only(),
        nb::arg("limits"), nb::arg("rule"), nb::arg("max_features").none(), nb::arg("seed"), nb::arg("threads"),
        nb::arg("progress").none());
}

}  // namespace askew::axis
