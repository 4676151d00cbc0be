// Sorting few whole numbers of which no two are equal, for the line search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "numeric/simd.hpp"

namespace askew::line {

// Compares N numbers with n. Those that are less count the place of a number among them.
template <int N, class Number>
[[gnu::always_inline]] inline void place_by_comparing(const Number* numbers, const Number* from, std::size_t n,
                                                      Number* to) {
  typedef Number Lanes __attribute__((vector_size(32), aligned(sizeof(Number)), may_alias));
  constexpr int kLanes = 32 / sizeof(Number);
  Lanes some[N / kLanes], less[N / kLanes] = {};
  for (int v = 0; v < N / kLanes; ++v) some[v] = *reinterpret_cast<const Lanes*>(numbers + kLanes * v);
  for (std::size_t j = 0; j < n; ++j)
    for (int v = 0; v < N / kLanes; ++v) less[v] -= from[j] < some[v];
  for (int v = 0; v < N / kLanes; ++v)
    for (int l = 0; l < kLanes; ++l) to[less[v][l]] = numbers[kLanes * v + l];
}

// Up to how many numbers it is best to compare all with all at once, which vectors do faster than a sort that has to
// guess its branches; and up to how many it is better than to sort.
constexpr std::size_t kFewToCompare = 64;
template <class Number>
constexpr std::size_t kMostToCompare = sizeof(Number) == 4 ? 256 : 64;

// Sorts n numbers below the largest there is. `from` is filled up and has room for 32 more, `to` for one more.
template <class Number>
ASKEW_WIDE_VECTORS static void sort_by_comparing(Number* from, std::size_t n, Number* to) {
  constexpr int kMany = sizeof(Number) == 4 ? 32 : 16;
  for (std::size_t i = 0; i < 32; ++i) from[n + i] = std::numeric_limits<Number>::max();
  if (n <= 16) return place_by_comparing<16>(from, from, 16, to);
  if (kMany == 32 && n <= 32) return place_by_comparing<kMany>(from, from, 32, to);
  for (std::size_t i = 0; i < n; i += kMany) place_by_comparing<kMany>(from + i, from, n, to);
}

// Sorts numbers in their place.
template <class Number>
void sort_bin(Number* first, std::size_t n) {
  if (n > kMostToCompare<Number>) return std::sort(first, first + n);
  if (n < 2) return;
  Number from[kMostToCompare<Number> + 32], to[kMostToCompare<Number> + 1];
  std::copy(first, first + n, from);
  sort_by_comparing(from, n, to);
  std::copy(to, to + n, first);
}

}  // namespace askew::line
