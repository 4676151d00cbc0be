// Sorting few whole numbers of which no two are equal, for the line search of few rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "numeric/simd.hpp"

namespace askew::line {

// Compares N numbers with n. Those that are less count the place of a number among them.
template <int N>
[[gnu::always_inline]] inline void place_by_comparing(const std::int32_t* numbers, const std::int32_t* from,
                                                      std::size_t n, std::int32_t* to) {
  typedef std::int32_t Eight __attribute__((vector_size(32), aligned(4), may_alias));
  Eight some[N / 8], less[N / 8] = {};
  for (int v = 0; v < N / 8; ++v) some[v] = *reinterpret_cast<const Eight*>(numbers + 8 * v);
  for (std::size_t j = 0; j < n; ++j)
    for (int v = 0; v < N / 8; ++v) less[v] -= from[j] < some[v];
  for (int v = 0; v < N / 8; ++v)
    for (int l = 0; l < 8; ++l) to[less[v][l]] = numbers[8 * v + l];
}

// Up to how many numbers it is best to compare all with all at once, which vectors do faster than a sort that has to
// guess its branches; and up to how many it is better than to sort.
constexpr std::size_t kFewToCompare = 64, kMostToCompare = 256;

// Sorts n numbers below the largest there is. `from` is filled up and has room for 32 more, `to` for one more.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void sort_by_comparing(std::int32_t* from, std::size_t n, std::int32_t* to) {
  for (std::size_t i = 0; i < 32; ++i) from[n + i] = std::numeric_limits<std::int32_t>::max();
  if (n <= 16) return place_by_comparing<16>(from, from, 16, to);
  if (n <= 32) return place_by_comparing<32>(from, from, 32, to);
  for (std::size_t i = 0; i < n; i += 32) place_by_comparing<32>(from + i, from, n, to);
}

}  // namespace askew::line
