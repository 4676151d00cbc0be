// Sums over columns that are filled up with zeros to a multiple of eight rows, so that they run over whole lanes: for
// penalised fits, forests and boosting.
#pragma once

#include <cstddef>

#include "numeric/simd.hpp"

namespace askew::numeric {

constexpr std::size_t kLanes = 8;

// n, rounded up to whole lanes.
inline std::size_t whole_lanes(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Sum of a[i] b[i], in eight sums that are added in a fixed order; n is a multiple of eight.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static double lane_dot(const double* a, const double* b, std::size_t n) {
  double part[kLanes] = {};
  for (std::size_t i = 0; i < n; i += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) part[l] += a[i + l] * b[i + l];
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

ASKEW_WIDE_VECTORS
[[maybe_unused]] static void multiply_lanes(const double* a, const double* b, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = a[i] * b[i];
}

}  // namespace askew::numeric
