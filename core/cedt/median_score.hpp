// CE-DT by absolute error: the score of a plane from the medians of both sides.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "score/criterion.hpp"
#include "score/target.hpp"

namespace askew::cedt {

using namespace score;

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

}  // namespace askew::cedt
