// The rows that cross a plane that moves along a line, in the order in which they do: for line searches that look at
// every row.
//
// Row j lies at V_j(t) = V_j + t s_j, and crosses the plane at t_j = -V_j / s_j; it never does if s_j = 0. Crossings
// are sorted by keys of 32 bits that rise with t; the few that share a key are sorted by t itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "line/spread.hpp"
#include "numeric/simd.hpp"
#include "numeric/sort.hpp"

namespace askew::line {

using namespace numeric;

// Keys that rise with t, equal for equal t: x / (width + |x|) in 32 bits, x = t - middle rounded to a float. With the
// width a power of two and |x| below 2^28 of it the sum is exact, so that rounding keeps the order.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void read_keys(const double* V, const double* s, std::size_t n, double middle, double width,
                                       std::uint32_t* keys) {
  const double most = 0x1p28 * width;
  for (std::size_t j = 0; j < n; ++j) {
    const double x = static_cast<double>(static_cast<float>(-V[j] / s[j] - middle));
    const double near = x >= -most ? (x <= most ? x : most) : -most;
    const auto key = static_cast<std::int32_t>(near / (width + std::abs(near)) * 2147483520.0);
    keys[j] = static_cast<std::uint32_t>(key) ^ 0x80000000u;
  }
}

class Crossings {
 public:
  // An entry is a key, by which it is sorted, and an item: row (24 bits) | twice the row's label (7 bits) | its way
  // (1 bit): 1 if it goes to the left as t grows. Of more labels than 7 bits hold, those are looked up by the row.
  static constexpr int kRowShift = 8, kPackedLabels = 128;
  static constexpr std::uint32_t kCode = 0xff;
  static constexpr std::size_t kMaxRows = std::size_t{1} << 24;

  // Of k labels; without them they are all 0.
  Crossings(std::size_t n, const std::int32_t* label, int k)
      : n_(n), packed_(!label || k <= kPackedLabels), unlabelled_(label ? 0 : n),
        label_(label ? label : unlabelled_.data()) {
    if (n >= kMaxRows) throw std::length_error("a node of an oblique search holds at most 16,777,215 rows");
  }
  Crossings(const Crossings&) = delete;
  Crossings(Crossings&&) = default;  // memory stays where it is

  void sort(const double* V, const double* s) {
    V_ = V, s_ = s;
    const Spread spread = spread_of(n_, [&](std::size_t j) { return at(j); });
    const int power = spread.width > 0 && std::isfinite(spread.width) ? std::ilogb(spread.width) : 0;
    keys_.resize(n_), entries_.resize(n_);
    read_keys(V, s, n_, spread.middle, std::ldexp(1.0, std::clamp(power, -900, 900)), keys_.data());
    std::size_t n = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      entries_[n] = keyed(keys_[j], static_cast<std::uint32_t>(j << kRowShift) | (code_of(j) & kCode));
      n += s[j] != 0;
    }
    entries_.resize(n);
    sort_entries(entries_, spare_);
  }

  // Whether a row is above the plane at t = -inf.
  bool starts_above(std::size_t row) const { return s_[row] < 0 || (s_[row] == 0 && V_[row] > 0); }

  // --- entries: rows that move, in the order of their keys

  std::size_t size() const { return entries_.size(); }
  std::uint32_t key(std::size_t i) const { return key_of(entries_[i]); }
  // Twice the row's label, and 1 if it goes to the left.
  std::uint32_t code(std::size_t i) const { return packed_ ? item_of(entries_[i]) & kCode : code_of(row(i)); }
  std::uint32_t row(std::size_t i) const { return item_of(entries_[i]) >> kRowShift; }
  double entry_at(std::size_t i) const { return at(row(i)); }

  // Puts the run of equal keys that begins at `begin` in the order of the exact crossings; returns its end.
  std::size_t order_run(std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < size() && key(end) == key(begin)) ++end;
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(end);
    const auto earlier = [&](Keyed a, Keyed b) { return at(item_of(a) >> kRowShift) < at(item_of(b) >> kRowShift); };
    if (end - begin > 1 && !std::is_sorted(first, last, earlier)) std::stable_sort(first, last, earlier);
    return end;
  }

 private:
  double at(std::size_t row) const { return -V_[row] / s_[row]; }
  std::uint32_t code_of(std::size_t row) const {
    return static_cast<std::uint32_t>(label_[row] << 1) | static_cast<std::uint32_t>(s_[row] < 0);
  }

  std::size_t n_;
  bool packed_;  // whether items hold labels
  const double *V_ = nullptr, *s_ = nullptr;
  std::vector<std::int32_t> unlabelled_;
  const std::int32_t* label_;
  std::vector<std::uint32_t> keys_;
  std::vector<Keyed> entries_, spare_;
};

}  // namespace askew::line
