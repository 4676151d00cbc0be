// The plane that CART-ELC has found, as a test of the tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "elc/candidate.hpp"
#include "elc/exact_frame.hpp"
#include "numeric/sort.hpp"
#include "score/sweep.hpp"

namespace askew::elc {

using namespace numeric;
using namespace score;

// A plane, and which points are left of it.
struct SampledPlane {
  std::vector<double> weights;  // one for each feature: rows with weights.x <= threshold go left
  std::vector<bool> left;       // of each point
};

// The coefficients of the plane through the frame's samples and u, the first of them that is not 0 positive, times a
// power of two that brings the largest near 1.
inline std::vector<double> normal_of(const Frame& frame, std::uint32_t u, std::size_t r) {
  int sign = 0, largest = -(1 << 24);
  for (std::size_t k = 0; sign == 0; ++k) sign = frame.coefficient(u, k);
  std::vector<Scaled> values(r);
  for (std::size_t k = 0; k < r; ++k) {
    values[k] = frame.coefficient_value(u, k);
    if (values[k].fraction != 0) largest = std::max(largest, values[k].exponent + std::ilogb(values[k].fraction));
  }
  std::vector<double> normal(r);
  for (std::size_t k = 0; k < r; ++k) normal[k] = sign * values[k].times_power_of_two(-largest);
  return normal;
}

inline SampledPlane plane_of(const ExactTable& table, const Candidate& found) {
  const Combination& features = found.features;
  const std::size_t r = features.size();
  SampledPlane plane{std::vector<double>(table.d, 0.0), std::vector<bool>(table.n)};
  if (r == 1 || found.partner == kAxisPlane) {
    const auto& x = table.columns[features[0]].raw;
    const double v = x[r == 1 ? found.partner : found.fixed[0]];
    plane.weights[features[0]] = found.flipped ? 1.0 : -1.0;
    for (std::uint32_t u = 0; u < table.n; ++u)
      plane.left[u] = !table.lacks(u, features) && (found.flipped ? x[u] <= v : x[u] >= v);
    return plane;
  }
  const auto frame = make_frame(table, r);
  frame->set(found.fixed, features);
  int sign = 0;
  for (std::size_t k = 0; sign == 0; ++k) sign = frame->coefficient(found.partner, k);
  if (found.flipped) sign = -sign;
  for (std::uint32_t u = 0; u < table.n; ++u)
    plane.left[u] = !table.lacks(u, features) && sign * frame->cross(found.partner, u) >= 0;
  const std::vector<double> normal = normal_of(*frame, found.partner, r);
  for (std::size_t k = 0; k < r; ++k) plane.weights[features[k]] = found.flipped ? normal[k] : -normal[k];
  return plane;
}

// The test of the tree. The plane itself is where the samples on it are projected; `half_way` puts it between the
// sides. Rows stay on their sides exactly. Where floating point cannot tell the sides apart, the best cut along
// these weights takes the plane's place. A row whose projection is NaN is on the right.
template <class Sides>
struct PlacedPlane {
  double threshold = 0, score = kInfinity;
  bool exact = true;

  PlacedPlane(const std::vector<double>& projected, const std::vector<bool>& left, double found_score, bool half_way,
              double wanted, const Sides& sides, const Target& target, const LeafLimits& leaf)
      : score(found_score) {
    double highest_left = -kInfinity, lowest_right = kInfinity;
    for (std::size_t j = 0; j < projected.size(); ++j)
      if (left[j]) highest_left = std::max(highest_left, projected[j]);
      else lowest_right = std::min(lowest_right, projected[j]);
    if (highest_left < lowest_right) {
      threshold = half_way && lowest_right < kInfinity ? midpoint(highest_left, lowest_right) : highest_left;
      if (wanted >= highest_left && wanted < lowest_right) threshold = wanted;
      return;
    }
    exact = false;
    std::vector<Keyed> order, spare;
    for (std::uint32_t j = 0; j < projected.size(); ++j)
      if (!std::isnan(projected[j])) order.push_back(j);
    const auto value = [&](std::uint32_t row) { return projected[row]; };
    sort_by_value(order, spare, value);
    const auto row = [&](std::size_t i) { return item_of(order[i]); };
    const auto differs = [&](std::size_t i) { return value(row(i)) < value(row(i + 1)); };
    Sides own = sides;
    const Best cut = sweep(own, target, order.size(), row, differs, leaf);
    score = cut.score;
    if (cut.position != kNone) threshold = midpoint(value(row(cut.position)), value(row(cut.position + 1)));
  }
};

}  // namespace askew::elc
