// X' diag(v) X, for penalised fits: `search="linear"`, linear leaves.
#pragma once

#include <cstddef>
#include <vector>

#include "linear/standardised.hpp"
#include "numeric/cholesky.hpp"
#include "numeric/parallel.hpp"

namespace askew::linear {

using namespace numeric;

// Sums of a0 b0, a0 b1, a1 b0, a1 b1 over n rows: four products for four loads.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void four_dots(const double* a0, const double* a1, const double* b0, const double* b1,
                                       std::size_t n, double* to) {
  double s00[kLanes] = {}, s01[kLanes] = {}, s10[kLanes] = {}, s11[kLanes] = {};
  for (std::size_t i = 0; i < n; i += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double x = a0[i + l], y = a1[i + l], p = b0[i + l], q = b1[i + l];
      s00[l] += x * p;
      s01[l] += x * q;
      s10[l] += y * p;
      s11[l] += y * q;
    }
  const double* all[4] = {s00, s01, s10, s11};
  for (int k = 0; k < 4; ++k) {
    const double* s = all[k];
    to[k] = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
  }
}

constexpr double kGramCost = 0.2;  // ns to multiply and add two numbers, half of the matrix counted

// A symmetric matrix of m = d + 1 rows: the features, then the constant. Row-major; the lower triangle counts.
//   (X 1)' diag(v) (X 1)
template <class Data>
std::vector<double> weighted_gram(const Data& data, const double* v, int threads, Interrupt& interrupt) {
  const std::size_t d = data.d, m = d + 1, n = data.stride, pairs = (d + 1) / 2;
  std::vector<double> gram(m * m, 0.0);
  const auto fill = [&](std::size_t pair, std::size_t) {
    const std::size_t i = 2 * pair, i1 = std::min(i + 1, d - 1);
    std::vector<double> a(2 * n);
    multiply_lanes(data.column(i), v, n, a.data());
    multiply_lanes(data.column(i1), v, n, a.data() + n);
    for (std::size_t j = 0; j <= i1; j += 2) {
      const std::size_t j1 = std::min(j + 1, d - 1);
      double sums[4];
      four_dots(a.data(), a.data() + n, data.column(j), data.column(j1), n, sums);
      gram[i * m + j] = sums[0], gram[i * m + j1] = sums[1];
      gram[i1 * m + j] = sums[2], gram[i1 * m + j1] = sums[3];
    }
  };
  parallel_for(pairs, threads_for(threads, kGramCost, n, d * d), interrupt, fill);
  for (std::size_t j = 0; j < d; ++j) gram[d * m + j] = lane_dot(data.column(j), v, n);
  for (std::size_t i = 0; i < n; ++i) gram[d * m + d] += v[i];
  return gram;
}

}  // namespace askew::linear
