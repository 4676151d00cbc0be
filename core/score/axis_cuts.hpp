// The best axis-parallel cut of each feature on the rows of a node. For every method that starts from one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numeric/parallel.hpp"
#include "numeric/sort.hpp"
#include "score/sweep.hpp"
#include "score/target.hpp"

namespace askew::score {

using namespace numeric;

struct AxisCut {
  std::size_t feature = kNone;
  double threshold = 0;
  double score = kInfinity;
};

// The best cut of every feature on the given rows of X (row-major, d columns).
template <class Sides, class C>
std::vector<AxisCut> axis_cuts(const C& criterion, const Target& target, const double* X, std::size_t d,
                               const std::uint32_t* rows, std::size_t n, double min_samples_leaf, int threads,
                               Interrupt& interrupt, double min_weight_leaf = 0, bool boundaries = false) {
  LeafLimits leaf{min_samples_leaf, 0, min_weight_leaf, 0};
  for (std::size_t i = 0; i < n; ++i)
    leaf.n_samples += target.samples_of(rows[i]), leaf.weight += target.weight_of(rows[i]);
  std::vector<AxisCut> cuts(d);
  struct Scratch {
    std::vector<Keyed> entries, spare;
    std::vector<Sides> sides;  // none or one: made when the thread first needs it
  };
  const int used = threads_for(threads, kSweepCost, n, d);
  std::vector<Scratch> scratch(static_cast<std::size_t>(used));
  parallel_for(d, used, interrupt, [&](std::size_t f, std::size_t thread) {
    Scratch& s = scratch[thread];
    if (s.sides.empty()) s.sides.emplace_back(criterion, target, rows, n);
    const auto value = [&](std::uint32_t row) { return X[row * d + f]; };
    s.entries.resize(n);
    for (std::size_t i = 0; i < n; ++i) s.entries[i] = rows[i];
    sort_by_value(s.entries, s.spare, value);
    const auto row = [&](std::size_t i) { return item_of(s.entries[i]); };
    const auto differs = [&](std::size_t i) { return value(row(i)) < value(row(i + 1)); };
    const Best best = sweep_some(boundaries, s.sides[0], target, n, row, differs, leaf);
    if (best.position != kNone)
      cuts[f] = {f, midpoint(value(row(best.position)), value(row(best.position + 1))), best.score};
  });
  return cuts;
}

// The best axis-parallel cut; of equals, the first feature's.
template <class Sides, class C>
AxisCut best_axis_cut(const C& criterion, const Target& target, const double* X, std::size_t d,
                      const std::uint32_t* rows, std::size_t n, double min_samples_leaf, int threads,
                      Interrupt& interrupt, double min_weight_leaf = 0, bool boundaries = false) {
  AxisCut best;
  for (const AxisCut& cut : axis_cuts<Sides>(criterion, target, X, d, rows, n, min_samples_leaf, threads, interrupt,
                                             min_weight_leaf, boundaries))
    if (cut.score < best.score) best = cut;
  return best;
}

}  // namespace askew::score
