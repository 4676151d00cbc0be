// The columns of a node as whole numbers, so that CART-ELC decides the sides of a plane through samples exactly.
//
// A column of numbers with few decimals is read as these decimals, 0.1 as one tenth: multiplied by a power of ten
// it is whole. Any other column is whole multiplied by a power of two. Neither changes a side.
//
// A number that is missing (NaN) has no side: the point lies below every plane in that feature, and defines none.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "elc/big_integer.hpp"
#include "elc/combinations.hpp"

namespace askew::elc {

// One column. The number that is calculated with, `value`, is the raw one times `ten` times 2^-shift; times 2^-unit
// it is whole.
struct ExactColumn {
  std::vector<double> value, raw;
  std::vector<std::uint8_t> missing;  // empty if every number is known
  double ten = 1;
  int shift = 0, unit = 0, bits = 0;
  bool rounded = false;  // scaling has lost bits: floating point knows nothing of this column

  void read(std::vector<double>&& numbers) {
    raw = std::move(numbers);
    mark_missing();
    if (!decimal()) dyadic();
  }
  bool lacks(std::uint32_t u) const { return !missing.empty() && missing[u]; }
  // The whole number behind a value.
  template <class Int>
  Int integer(std::size_t i) const {
    Int result;
    if (decimal_) {
      assign(result, static_cast<std::int64_t>(value[i]), 0);
    } else {
      int exponent = 0;
      const double fraction = std::frexp(raw[i], &exponent);
      const auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, 53));
      const int zeros = mantissa == 0 ? 0 : std::countr_zero(static_cast<std::uint64_t>(mantissa));
      assign(result, mantissa >> zeros, mantissa == 0 ? 0 : exponent - 53 + zeros - unit - shift);
    }
    return result;
  }

 private:
  // A known number stands in for what is missing: it changes no scale.
  void mark_missing() {
    const auto known = std::find_if(raw.begin(), raw.end(), [](double x) { return !std::isnan(x); });
    const double stand_in = known == raw.end() ? 0.0 : *known;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (!std::isnan(raw[i])) continue;
      missing.resize(raw.size());
      missing[i] = 1, raw[i] = stand_in;
    }
  }
  bool decimal() {
    constexpr double kLargest = 1e15;  // 15 digits: no two decimals share a double
    value.resize(raw.size());
    for (ten = 1; ten <= kLargest; ten *= 10) {
      std::size_t i = 0;
      for (; i < raw.size(); ++i) {
        value[i] = std::nearbyint(raw[i] * ten);
        if (!(std::abs(value[i]) < kLargest) || value[i] / ten != raw[i]) break;
      }
      if (i < raw.size()) continue;
      const auto [low, high] = std::minmax_element(value.begin(), value.end());
      bits = bits_of(*high - *low);
      return decimal_ = true;
    }
    ten = 1;
    return false;
  }
  void dyadic() {
    double largest = 0;
    int lowest = 4096;
    for (const double x : raw) {
      largest = std::max(largest, std::abs(x));
      if (x == 0) continue;
      int exponent = 0;
      const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
      lowest = std::min(lowest, exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(mantissa)));
    }
    shift = std::ilogb(largest) + 1;
    unit = lowest - shift;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      value[i] = std::ldexp(raw[i], -shift);
      rounded = rounded || (raw[i] != 0 && std::abs(value[i]) < 0x1p-900);
    }
    bits = 1 - unit;  // |value| < 1, so that a difference is below 2 / 2^unit
  }
  static int bits_of(double whole) { return whole > 0 ? std::ilogb(whole) + 1 : 0; }

  bool decimal_ = false;
};

// Distinct rows, in the order of their first appearance.
struct ExactTable {
  std::size_t n = 0, d = 0;
  std::vector<ExactColumn> columns;
  std::vector<std::vector<std::uint32_t>> members;  // rows that are equal, ascending
  bool rounded = false, complete = true;
  int bits = 0;

  // `x(row, feature)`; without `merge` every row stands for itself.
  template <class X>
  ExactTable(X x, std::size_t rows, std::size_t features, bool merge) : d(features) {
    std::vector<std::uint32_t> order(rows);
    std::iota(order.begin(), order.end(), 0u);
    const auto compare = [&](std::uint32_t a, std::uint32_t b) {
      for (std::size_t f = 0; f < d; ++f) {
        const double p = x(a, f), q = x(b, f);
        if (p == q || (std::isnan(p) && std::isnan(q))) continue;
        return p < q || std::isnan(q) ? -1 : 1;
      }
      return 0;
    };
    if (merge) std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return compare(a, b) < 0; });
    for (std::size_t i = 0; i < rows; ++i)
      if (merge && i > 0 && compare(order[i - 1], order[i]) == 0) members.back().push_back(order[i]);
      else members.push_back({order[i]});
    std::sort(members.begin(), members.end());
    n = members.size();
    columns.resize(d);
    for (std::size_t f = 0; f < d; ++f) {
      std::vector<double> numbers(n);
      for (std::size_t u = 0; u < n; ++u) numbers[u] = x(members[u][0], f);
      columns[f].read(std::move(numbers));
      rounded = rounded || columns[f].rounded;
      complete = complete && columns[f].missing.empty();
      bits = std::max(bits, columns[f].bits);
    }
  }

  // Whether a value of one of the features is missing at a point.
  bool lacks(std::uint32_t u, const Combination& features) const {
    if (complete) return false;
    return std::any_of(features.begin(), features.end(), [&](std::size_t f) { return columns[f].lacks(u); });
  }
  bool any_lacks(const Combination& points, const Combination& features) const {
    if (complete) return false;
    return std::any_of(points.begin(), points.end(), [&](std::uint32_t u) { return lacks(u, features); });
  }

  // Bits of the largest number that a comparison of directions forms for planes through r samples.
  int bits_to_compare(std::size_t r) const {
    int more = 1;
    for (std::size_t i = 2; i < r; ++i) more += 2 * static_cast<int>(std::bit_width(i));
    return 2 * static_cast<int>(r - 1) * bits + more;
  }
};

}  // namespace askew::elc
