// CART: axis-parallel cuts of a node, and a whole axis-parallel tree.
#include "axis/presorted_growth.hpp"
#include "base/axis_cuts.hpp"
#include "base/bind.hpp"

namespace askew {
namespace {

nb::object axis_cut(const Criterion& criterion, const BoundTarget& bound, Matrix X, Vector<std::uint32_t> rows,
                    double min_samples_leaf, int threads, nb::object progress, double min_weight_leaf, bool boundaries) {
  Pulse pulse(heartbeat(progress));
  const AxisCut cut = unlocked([&] {
    return with_sides(criterion, bound.view(), [&](auto type, const auto& c) {
      return best_axis_cut<typename decltype(type)::type>(c, bound.view(), X.data(), X.shape(1), rows.data(),
                                                          rows.shape(0), min_samples_leaf, threads, pulse,
                                                          min_weight_leaf, boundaries);
    });
  });
  if (cut.feature == kNone) return nb::none();
  return nb::make_tuple(cut.feature, cut.threshold, cut.score);
}

// The best cut of each feature: (thresholds, scores); a score is infinite where there is no cut.
nb::tuple axis_cuts_of(const Criterion& criterion, const BoundTarget& bound, Matrix X, Vector<std::uint32_t> rows,
                       double min_samples_leaf, double min_weight_leaf, int threads) {
  Pulse pulse(heartbeat(nb::none()));
  const auto cuts = unlocked([&] {
    return with_sides(criterion, bound.view(), [&](auto type, const auto& c) {
      return axis_cuts<typename decltype(type)::type>(c, bound.view(), X.data(), X.shape(1), rows.data(), rows.shape(0),
                                                      min_samples_leaf, threads, pulse, min_weight_leaf);
    });
  });
  std::vector<double> thresholds, scores;
  for (const AxisCut& cut : cuts) thresholds.push_back(cut.threshold), scores.push_back(cut.score);
  return nb::make_tuple(to_numpy(std::move(thresholds)), to_numpy(std::move(scores)));
}

nb::tuple grow_axis(const Criterion& criterion, const BoundTarget& bound, Matrix X, Vector<double> limits, int threads,
                    nb::object progress, bool ratio, bool penalty, bool boundaries, double min_cases) {
  const double* l = limits.data();
  Pulse pulse(heartbeat(progress));
  GrownTree t = unlocked([&] {
    return with_sides(criterion, bound.view(), [&](auto type, const auto& c) {
      using Sides = typename decltype(type)::type;
      return PresortedGrower<Sides, std::decay_t<decltype(c)>>(c, bound.view(), X.data(), X.shape(0), X.shape(1),
                                                               {l[0], l[1], l[2], l[3], l[4], l[5], l[6]},
                                                               {ratio, penalty, boundaries, min_cases}, threads, pulse)
          .grow();
    });
  });
  const std::size_t width = t.value.size() / t.first_child.size();
  return nb::make_tuple(to_numpy(std::move(t.first_child)), to_numpy(std::move(t.feature)),
                        to_numpy(std::move(t.threshold)), to_numpy(std::move(t.value), width),
                        to_numpy(std::move(t.n_samples)), to_numpy(std::move(t.mass)), to_numpy(std::move(t.impurity)),
                        t.looked_at);
}

}  // namespace

void bind_axis(nb::module_& m) {
  m.def("axis_cut", &axis_cut, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
        nb::arg("min_weight_leaf") = 0.0, nb::arg("boundaries") = false);
  m.def("axis_cuts", &axis_cuts_of);
  m.def("grow_axis", &grow_axis, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
        nb::arg("ratio") = false, nb::arg("penalty") = false, nb::arg("boundaries") = false, nb::arg("min_cases") = 0.0);
}

}  // namespace askew
