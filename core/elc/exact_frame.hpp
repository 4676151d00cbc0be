// The planes through r-1 fixed samples as lines of two dimensions, in exact arithmetic: what CART-ELC's sweep turns.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "elc/exact_columns.hpp"

namespace askew::elc {

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
  virtual bool set(const Combination& fixed, const Combination& features) = 0;
  virtual void project(std::uint32_t u, double* y) const = 0;                  // to the last bit but one
  virtual int cross(std::uint32_t u, std::uint32_t v) const = 0;               // its sign
  virtual int coefficient(std::uint32_t u, std::size_t k) const = 0;           // its sign, before any orientation
  virtual Scaled coefficient_value(std::uint32_t u, std::size_t k) const = 0;  // for raw numbers

  // N for the columns' values, each row times a power of two.
  std::vector<double> N[2];
};

template <class Int>
class ExactFrame final : public Frame {
 public:
  explicit ExactFrame(const ExactTable& table) : table_(table) {}

  bool set(const Combination& fixed, const Combination& features) override {
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
  const ExactColumn& column(std::size_t k) const { return table_.columns[(*features_)[k]]; }
  static Scaled in_units(const Int& value, int exponent) {
    Scaled result = scaled(value);
    result.exponent += exponent;
    return result;
  }
  Int normal(std::uint32_t u, std::size_t k) const { return image(u, 0) * N_[1][k] - image(u, 1) * N_[0][k]; }
  Int image(std::uint32_t u, int a) const {
    Int sum{};
    for (std::size_t k = 0; k < features_->size(); ++k)
      sum = sum + N_[a][k] * (column(k).template integer<Int>(u) - column(k).template integer<Int>(first_));
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
  bool span(const Combination& fixed, std::size_t r) {
    const std::size_t m = r - 2;
    auto& W = differences_;
    auto& minors = minors_;
    W.resize(m * r), minors.resize(std::size_t{1} << r);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k < r; ++k)
        W[i * r + k] = column(k).template integer<Int>(fixed[i + 1]) - column(k).template integer<Int>(first_);
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

  const ExactTable& table_;
  std::uint32_t first_ = 0;
  const Combination* features_ = nullptr;
  std::vector<Int> N_[2], differences_, minors_;
  int row_exponent_[2] = {0, 0};
};

inline std::unique_ptr<Frame> make_frame(const ExactTable& table, std::size_t r) {
#ifdef __SIZEOF_INT128__
  if (table.bits_to_compare(r) <= 126) return std::make_unique<ExactFrame<Int128>>(table);
#endif
  return std::make_unique<ExactFrame<BigInteger>>(table);
}

}  // namespace askew::elc
