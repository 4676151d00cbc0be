// A pass of APDT's perceptron over rows of few numbers: most of the time of a fit is spent here.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "numeric/simd.hpp"

namespace askew::apdt {

using namespace numeric;

constexpr std::size_t kPatternsAtOnce = 8;  // rows that are looked at together

// z has a column for each of P numbers; after the n rows there are kPatternsAtOnce rows of zeros. Every row that is not
// on the right side of the plane (z w > 0) is added to it. Returns how many were.
template <std::size_t P>
std::size_t plain_pass(const double* z, std::size_t n, double* plane, std::uint32_t* updates) {
  const std::size_t apart = n + kPatternsAtOnce;
  double w[P];
  std::copy_n(plane, P, w);
  std::size_t corrections = 0;
  for (std::size_t j = 0; j < n; ++j) {
    double margin = 0;
    for (std::size_t f = 0; f < P; ++f) margin += w[f] * z[f * apart + j];
    if (margin > 0) continue;
    for (std::size_t f = 0; f < P; ++f) w[f] += z[f * apart + j];
    ++updates[j];
    ++corrections;
  }
  std::copy_n(w, P, plane);
  return corrections;
}

#ifdef ASKEW_HAS_AVX2
// The first of the rows from z on that is not on the right side, if it is within a block; else the block's length.
template <std::size_t P>
__attribute__((target("avx2"), always_inline)) inline std::size_t first_wrong(const __m256d* w, const double* z,
                                                                              std::size_t apart) {
  unsigned wrong = 1u << kPatternsAtOnce;
#pragma GCC unroll 2
  for (std::size_t v = 0; v < kPatternsAtOnce; v += 4) {
    __m256d margin = _mm256_mul_pd(w[0], _mm256_loadu_pd(z + v));
#pragma GCC unroll 6
    for (std::size_t f = 1; f < P; ++f)
      margin = _mm256_add_pd(margin, _mm256_mul_pd(w[f], _mm256_loadu_pd(z + f * apart + v)));
    const __m256d not_above = _mm256_cmp_pd(margin, _mm256_setzero_pd(), _CMP_NGT_UQ);
    wrong |= static_cast<unsigned>(_mm256_movemask_pd(not_above)) << v;
  }
  return static_cast<std::size_t>(std::countr_zero(wrong));
}

// The same sums in the same order, of several rows at once. A row of zeros is never on the right side, and so ends
// the pass.
template <std::size_t P>
__attribute__((target("avx2"))) std::size_t wide_pass(const double* z, std::size_t n, double* plane,
                                                      std::uint32_t* updates) {
  const std::size_t apart = n + kPatternsAtOnce;
  __m256d w[P];
  for (std::size_t f = 0; f < P; ++f) w[f] = _mm256_set1_pd(plane[f]);
  std::size_t corrections = 0;
  for (std::size_t row = 0;; ++row, ++corrections) {
    std::size_t right;
    while ((right = first_wrong<P>(w, z + row, apart)) == kPatternsAtOnce) row += kPatternsAtOnce;
    row += right;
    if (row == n) break;
    for (std::size_t f = 0; f < P; ++f) w[f] = _mm256_add_pd(w[f], _mm256_broadcast_sd(z + f * apart + row));
    ++updates[row];
  }
  for (std::size_t f = 0; f < P; ++f) plane[f] = _mm256_cvtsd_f64(w[f]);
  return corrections;
}
#endif

template <std::size_t P>
std::size_t short_pass(const double* z, std::size_t n, double* plane, std::uint32_t* updates) {
#ifdef ASKEW_HAS_AVX2
  if (use_avx2() && n > kPatternsAtOnce) return wide_pass<P>(z, n, plane, updates);
#endif
  return plain_pass<P>(z, n, plane, updates);
}

}  // namespace askew::apdt
