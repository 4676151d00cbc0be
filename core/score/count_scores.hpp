// Scores of splits from counts alone, for every search that counts many splits at once (CE-DT, histograms of CART).
// Counts of parts of the rows add up to those of all rows: they may be taken on several machines, added, and scored
// once.
//
//   the counts of one side:  weight of each class, or three moments | rows of each class, or of all | samples
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "score/batch.hpp"
#include "score/criterion.hpp"
#include "score/sides.hpp"
#include "score/target.hpp"

namespace askew::score {

// What each side of a split must have.
struct SideLimits {
  double samples = 1, weight = 0;
};

// Rounds the moments of a row to multiples of a power of two that is so large that sums over all rows are exact: they
// are then the same in any order, and over any number of machines. `large` is 1.5 * 2^52 times that power; 0 rounds
// nothing.
struct MomentGrid {
  double large_first = 0, large_second = 0;
  double first(double moment) const { return (moment + large_first) - large_first; }
  double second(double moment) const { return (moment + large_second) - large_second; }
};

struct CountShape {
  int k;  // classes, or three moments
  bool classification;

  std::size_t counts() const { return static_cast<std::size_t>(k); }
  std::size_t segments() const { return classification ? counts() : 1; }
  std::size_t width() const { return counts() + segments() + 1; }

  // Adds a row to the counts of a side; moments are taken about `centre`.
  void add(const Target& target, std::uint32_t row, double centre, double* side, const MomentGrid& grid = {}) const {
    if (classification) {
      side[target.label[row]] += target.weight_of(row);
    } else {
      const double w = target.weight_of(row), value = target.y[row] - centre;
      side[0] += w;
      side[1] += grid.first(w * value);
      side[2] += grid.second(w * value * value);
    }
    side[counts() + (classification ? static_cast<std::size_t>(target.label[row]) : 0)] += 1;
    side[width() - 1] += target.samples_of(row);
  }
};

// What is rounded away of the scores of a sweep: see ScoreGrid (sides.hpp).
template <class C>
ScoreGrid sweep_grid(const double* all) {
  if constexpr (std::is_same_v<C, SquaredError>) return ScoreGrid(all[2] / all[0]);
  else return {};
}

// The scores of n splits, from the counts of one side of each (n x width) and of all rows; infinite where a side has
// less than the limits ask. The user's Python function is called once, with all splits that the limits allow.
template <class C>
void score_counts(const C& criterion, const CountShape& shape, const double* sides, std::size_t n, const double* all,
                  const SideLimits& limits, double* scores) {
  const std::size_t k = shape.counts(), width = shape.width();
  const auto weight = [&](const double* of) { return shape.classification ? total(of, shape.k) : of[0]; };
  std::vector<double> right(k);
  [[maybe_unused]] WaitingCuts waiting;
  [[maybe_unused]] std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < n; ++i) {
    scores[i] = kInfinity;
    const double* left = sides + i * width;
    const double samples = left[width - 1];
    if (samples < limits.samples || all[width - 1] - samples < limits.samples) continue;
    for (std::size_t c = 0; c < k; ++c) {
      // An empty side sums to exactly zero, also where weights are rounded.
      const bool none = shape.classification && left[k + c] == all[k + c];
      right[c] = none ? 0.0 : all[c] - left[c];
    }
    if (limits.weight > 0 && std::min(weight(left), weight(right.data())) < limits.weight) continue;
    if constexpr (std::is_same_v<C, Batch>) {
      asked.push_back(i);
      waiting.add(left, right.data(), shape.k);
    } else {
      scores[i] = score_sides(criterion, left, right.data(), shape.k);
      if (std::isnan(scores[i])) scores[i] = kInfinity;
    }
  }
  if constexpr (std::is_same_v<C, Batch>) {
    const std::vector<double> answers = waiting.scores(criterion, shape.k);
    for (std::size_t i = 0; i < asked.size(); ++i) scores[asked[i]] = std::isnan(answers[i]) ? kInfinity : answers[i];
  }
}

}  // namespace askew::score
