// The rows of a node as points of a lattice: the sides of a plane through samples are decided exactly.
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
#include <memory>
#include <numeric>
#include <vector>

#include "elc/big_integer.hpp"

namespace askew {

// One column. The number that is calculated with, `value`, is the raw one times `ten` times 2^-shift; times 2^-unit
// it is whole.
struct LatticeColumn {
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
  Int whole(std::size_t i) const {
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
struct Lattice {
  std::size_t n = 0, d = 0;
  std::vector<LatticeColumn> columns;
  std::vector<std::vector<std::uint32_t>> members;  // rows that are equal, ascending
  bool rounded = false, complete = true;
  int bits = 0;

  // `x(row, feature)`; without `merge` every row stands for itself.
  template <class X>
  Lattice(X x, std::size_t rows, std::size_t features, bool merge) : d(features) {
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

  // Whether a point lacks one of the features.
  bool lacks(std::uint32_t u, const std::vector<std::size_t>& features) const {
    if (complete) return false;
    return std::any_of(features.begin(), features.end(), [&](std::size_t f) { return columns[f].lacks(u); });
  }
  bool any_lacks(const std::vector<std::uint32_t>& points, const std::vector<std::size_t>& features) const {
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

// r-1 samples and r features. All planes through these samples: the linear map y = N (x - x_first), whose kernel is
// what the samples span, makes lines through the origin of two dimensions out of them.
//
//   plane through the samples and x   <->   line through 0 and y(x)
//   samples in the span of the fixed  <->   y = 0: on every such plane
//   coefficient of feature k          <->   cross(direction of the line, k-th column of N)
class Frame {
 public:
  virtual ~Frame() = default;
  // False if the samples do not span what r-1 points can.
  virtual bool set(const std::vector<std::uint32_t>& fixed, const std::vector<std::size_t>& features) = 0;
  virtual void project(std::uint32_t u, double* y) const = 0;               // to the last bit but one
  virtual int cross(std::uint32_t u, std::uint32_t v) const = 0;            // its sign
  virtual int coefficient(std::uint32_t u, std::size_t k) const = 0;        // its sign, before any orientation
  virtual Scaled coefficient_value(std::uint32_t u, std::size_t k) const = 0;  // for raw numbers

  // N for the columns' values, each row times a power of two.
  std::vector<double> N[2];
};

template <class Int>
class ExactFrame final : public Frame {
 public:
  explicit ExactFrame(const Lattice& lattice) : lattice_(lattice) {}

  bool set(const std::vector<std::uint32_t>& fixed, const std::vector<std::size_t>& features) override {
    first_ = fixed[0], features_ = &features;
    const std::size_t r = features.size();
    if (r == 2) return set_plain();
    if (!span(fixed, r)) return false;
    for (int a = 0; a < 2; ++a) {
      row_exponent_[a] = -(1 << 24);
      for (std::size_t k = 0; k < r; ++k) {
        const Scaled entry = in_units(N_[a][k], -column(k).unit);
        if (entry.fraction == 0) continue;
        row_exponent_[a] = std::max(row_exponent_[a], std::ilogb(entry.fraction) + entry.exponent);
      }
      N[a].resize(r);
      for (std::size_t k = 0; k < r; ++k)
        N[a][k] = in_units(N_[a][k], -column(k).unit).times_power_of_two(-row_exponent_[a]);
    }
    return true;
  }

  void project(std::uint32_t u, double* y) const override {
    for (int a = 0; a < 2; ++a) {
      const Scaled value = scaled(image(u, a));
      y[a] = value.times_power_of_two(-row_exponent_[a]);
      if (y[a] == 0 && value.fraction != 0) y[a] = std::copysign(std::numeric_limits<double>::min(), value.fraction);
    }
  }
  int cross(std::uint32_t u, std::uint32_t v) const override {
    return sign_of(image(u, 0) * image(v, 1) - image(u, 1) * image(v, 0));
  }
  int coefficient(std::uint32_t u, std::size_t k) const override { return sign_of(normal(u, k)); }
  Scaled coefficient_value(std::uint32_t u, std::size_t k) const override {
    Scaled value = in_units(normal(u, k), -column(k).unit - column(k).shift);
    value.fraction *= column(k).ten;
    return value;
  }

 private:
  const LatticeColumn& column(std::size_t k) const { return lattice_.columns[(*features_)[k]]; }
  static Scaled in_units(const Int& value, int exponent) {
    Scaled result = scaled(value);
    result.exponent += exponent;
    return result;
  }
  Int normal(std::uint32_t u, std::size_t k) const { return image(u, 0) * N_[1][k] - image(u, 1) * N_[0][k]; }
  Int image(std::uint32_t u, int a) const {
    Int sum{};
    for (std::size_t k = 0; k < features_->size(); ++k)
      sum = sum + N_[a][k] * (column(k).template whole<Int>(u) - column(k).template whole<Int>(first_));
    return sum;
  }

  // Two features: y = x - x_first.
  bool set_plain() {
    for (std::size_t a = 0; a < 2; ++a) {
      row_exponent_[a] = -column(a).unit;
      if (N[a].size() == 2) continue;
      N[a] = {a == 0 ? 1.0 : 0.0, a == 1 ? 1.0 : 0.0};
      N_[a].resize(2);
      assign(N_[a][a], 1, 0), assign(N_[a][1 - a], 0, 0);
    }
    return true;
  }

  // minors[S] = determinant of the first |S| differences in the columns S. A functional that is zero on all
  // differences: the determinant of them and x, in the r-2 columns of a minor that is not zero and one more.
  bool span(const std::vector<std::uint32_t>& fixed, std::size_t r) {
    const std::size_t m = r - 2;
    auto& W = differences_;
    auto& minors = minors_;
    W.resize(m * r), minors.resize(std::size_t{1} << r);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k < r; ++k)
        W[i * r + k] = column(k).template whole<Int>(fixed[i + 1]) - column(k).template whole<Int>(first_);
    assign(minors[0], 1, 0);
    std::size_t pivots = minors.size();
    for (std::size_t S = 0; S < minors.size(); ++S) {
      const auto size = static_cast<std::size_t>(std::popcount(S));
      if (size > m) continue;
      if (size > 0) minors[S] = expand(&W[(size - 1) * r], minors, S, r);
      if (size == m && pivots == minors.size() && sign_of(minors[S]) != 0) pivots = S;
    }
    if (pivots == minors.size()) return false;
    int a = 0;
    for (std::size_t free = 0; free < r; ++free) {
      if (pivots >> free & 1) continue;
      const std::size_t S = pivots | std::size_t{1} << free;
      N_[a].assign(r, Int{});
      int place = 0;
      for (std::size_t k = 0; k < r; ++k) {
        if (!(S >> k & 1)) continue;
        const Int& minor = minors[S & ~(std::size_t{1} << k)];
        N_[a][k] = place++ % 2 ? -minor : minor;
      }
      ++a;
    }
    return true;
  }
  static Int expand(const Int* row, const std::vector<Int>& minors, std::size_t S, std::size_t r) {
    Int sum{};
    int place = 0;
    for (std::size_t k = 0; k < r; ++k) {
      if (!(S >> k & 1)) continue;
      const Int term = row[k] * minors[S & ~(std::size_t{1} << k)];
      sum = (std::popcount(S) - 1 - place++) % 2 ? sum - term : sum + term;
    }
    return sum;
  }

  const Lattice& lattice_;
  std::uint32_t first_ = 0;
  const std::vector<std::size_t>* features_ = nullptr;
  std::vector<Int> N_[2], differences_, minors_;
  int row_exponent_[2] = {0, 0};
};

inline std::unique_ptr<Frame> make_frame(const Lattice& lattice, std::size_t r) {
#ifdef __SIZEOF_INT128__
  if (lattice.bits_to_compare(r) <= 126) return std::make_unique<ExactFrame<Int128>>(lattice);
#endif
  return std::make_unique<ExactFrame<Whole>>(lattice);
}

}  // namespace askew
