// From what lies on the upper side of each of many planes to their scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/criterion.hpp"
#include "base/simd_kernels.hpp"
#include "base/sweep.hpp"
#include "cedt/side_sums.hpp"

namespace askew {

// What each side of a plane must have.
struct SideLimits {
  double samples = 1, weight = 0;
};

// Planes stand in panels: [panel][segment or slot][plane in the panel].
struct UpperSides {
  std::vector<double> present, upper;         // rows of each segment, amounts of each slot
  std::vector<double> settled_rows, settled;  // the same of rows that are above every plane
  std::vector<double> medians;                // for absolute error, the score of each plane
};

// Mean absolute deviation from the medians of both sides; rows are in the order of y, and bit
// `plane` of `sides` says on which side of the plane each is.
inline double median_score(const Target& target, const std::vector<std::uint32_t>& order,
                           const std::vector<std::uint16_t>& sides, std::size_t plane, double least_weight) {
  double weight[2] = {}, sum[2] = {}, below[2] = {}, below_sum[2] = {}, median[2] = {};
  bool found[2] = {};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int side = (sides[i] >> plane) & 1;
    const double w = target.weight_of(order[i]);
    weight[side] += w;
    sum[side] += w * target.y[order[i]];
  }
  for (std::size_t i = 0; i < order.size() && !(found[0] && found[1]); ++i) {
    const int side = (sides[i] >> plane) & 1;
    if (found[side]) continue;
    const double w = target.weight_of(order[i]), y = target.y[order[i]];
    if (below[side] + w >= weight[side] / 2) {
      median[side] = y, found[side] = true;
    } else {
      below[side] += w;
      below_sum[side] += w * y;
    }
  }
  if (std::min(weight[0], weight[1]) < least_weight) return kInfinity;
  double deviation = 0;
  for (int side = 0; side < 2; ++side)
    deviation += std::max(0.0, median[side] * below[side] - below_sum[side] + (sum[side] - below_sum[side]) -
                                   median[side] * (weight[side] - below[side]));
  return deviation / (weight[0] + weight[1]);
}

// From counts to scores. The user's Python function is called once, with every plane that leaves enough
// samples on either side.
template <class C>
void score_sides_of(const UpperSides& sides, std::size_t n, const C& criterion, const Target& target,
                    const Amounts& amounts, const SideLimits& limits, double* scores) {
  const auto k = static_cast<std::size_t>(target.k);
  const double n_rows = std::reduce(amounts.rows_in.begin(), amounts.rows_in.end());
  const auto weight = [&](const double* of) { return target.classification() ? total(of, target.k) : of[0]; };
  const bool counted = target.classification() && !target.weight;
  std::vector<double> left(k), right(k);
  [[maybe_unused]] WaitingCuts waiting;
  [[maybe_unused]] std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < n; ++i) {
    scores[i] = kInfinity;
    const std::size_t panel = i / kPanel, c = i % kPanel;
    double above = 0;
    for (std::size_t s = 0; s < amounts.segments; ++s) {
      const double rows = sides.settled_rows[s] + sides.present[(panel * amounts.segments + s) * kPanel + c];
      above += rows;
      if (counted) left[s] = rows, right[s] = amounts.rows_in[s] - rows;
      else if (target.classification()) {
        left[s] = sides.settled[s] + sides.upper[(panel * amounts.slots + s) * kPanel + c];
        // Where nothing is, no crumbs of rounding are.
        right[s] = rows == amounts.rows_in[s] ? 0.0 : amounts.total[s] - left[s];
      }
    }
    double beneath = n_rows - above;
    if (amounts.counts_samples) {
      above = sides.settled.back() + sides.upper[(panel * amounts.slots + amounts.slots - 1) * kPanel + c];
      beneath = amounts.samples - above;
    }
    if (above < limits.samples || beneath < limits.samples) continue;
    if constexpr (std::is_same_v<C, AbsoluteError>) {
      scores[i] = sides.medians[i];
    } else {
      if (!target.classification())
        for (std::size_t m = 0; m < 3; ++m) {
          left[m] = sides.settled[m] + sides.upper[(panel * amounts.slots + m) * kPanel + c];
          right[m] = amounts.total[m] - left[m];
        }
      if (limits.weight > 0 && std::min(weight(left.data()), weight(right.data())) < limits.weight) continue;
      if constexpr (std::is_same_v<C, Batch>) waiting.add(left.data(), right.data(), target.k), asked.push_back(i);
      else scores[i] = score_sides(criterion, left.data(), right.data(), target.k);
      if (std::isnan(scores[i])) scores[i] = kInfinity;
    }
  }
  if constexpr (std::is_same_v<C, Batch>) {
    const std::vector<double> answers = waiting.scores(criterion, target.k);
    for (std::size_t i = 0; i < asked.size(); ++i)
      scores[asked[i]] = std::isnan(answers[i]) ? kInfinity : answers[i];
  }
}

}  // namespace askew
