// Where rows cross a plane that moves along a line, and their order.
//
// Row j lies at V_j(t) = V_j + t s_j, and crosses the plane at t_j = -V_j / s_j; it never does if s_j = 0. Crossings
// are sorted by keys of 32 bits that rise with t; the few that share a key are put right by t itself.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "simd.hpp"
#include "sort.hpp"

namespace askew {

// Keys that rise with t, equal for equal t: x / (width + |x|) in 32 bits, x = t - middle rounded to a float. With the
// width a power of two and |x| below 2^28 of it the sum is exact, so that rounding keeps the order. `items` get the
// notes, and 1 where s is negative. Returns how many rows stay where they are.
ASKEW_WIDE_VECTORS
static std::size_t read_line(const double* V, const double* s, const std::uint32_t* notes, std::size_t n, double middle,
                             double width, std::uint32_t* keys, std::uint32_t* items) {
  const double most = 0x1p28 * width;
  std::int64_t still = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double x = static_cast<double>(static_cast<float>(-V[j] / s[j] - middle));
    const double near = x >= -most ? (x <= most ? x : most) : -most;
    const auto key = static_cast<std::int32_t>(near / (width + std::abs(near)) * 2147483520.0);
    keys[j] = static_cast<std::uint32_t>(key) ^ 0x80000000u;
    items[j] = notes[j] | static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(s[j]) >> 63);
    still += s[j] == 0;
  }
  return static_cast<std::size_t>(still);
}

class Crossings {
 public:
  // An entry is a key, by which it is sorted, and an item: row (24 bits) | twice the row's label (7 bits) | its way
  // (1 bit): 1 if it goes to the left as t grows.
  static constexpr int kRowShift = 8, kMaxLabels = 128;
  static constexpr std::uint32_t kCode = 0xff;
  static constexpr std::size_t kMaxRows = std::size_t{1} << 24;

  // Without labels they are all 0.
  Crossings(std::size_t n, const std::int32_t* label) : n_(n), notes_(n), keys_(n), items_(n) {
    if (n >= kMaxRows) throw std::length_error("a node of an oblique search holds at most 16,777,215 rows");
    for (std::size_t j = 0; j < n; ++j)
      notes_[j] = static_cast<std::uint32_t>(j << kRowShift) | (label ? static_cast<std::uint32_t>(label[j]) << 1 : 0u);
  }

  void read(const double* V, const double* s) {
    V_ = V, s_ = s;
    spread();
    still_ = read_line(V, s, notes_.data(), n_, middle_, width_, keys_.data(), items_.data());
  }

  double at(std::size_t row) const { return -V_[row] / s_[row]; }
  bool moves(std::size_t row) const { return s_[row] != 0; }
  // Whether a row is above the plane at t = -inf.
  bool starts_above(std::size_t row) const { return moves(row) ? s_[row] < 0 : V_[row] > 0; }

  // The nearest crossings on either side of a key; infinite where there is none. Keys rise with t, so that only rows
  // with the nearest keys need a division.
  struct Neighbours {
    double below = -std::numeric_limits<double>::infinity(), above = -below;
  };
  Neighbours around(std::uint64_t key) const {
    std::uint32_t highest = 0, lowest = ~std::uint32_t{0};
    for (std::size_t j = 0; j < n_; ++j) {
      if (!moves(j)) continue;
      if (keys_[j] < key) highest = std::max(highest, keys_[j]);
      else lowest = std::min(lowest, keys_[j]);
    }
    Neighbours found;
    for (std::size_t j = 0; j < n_; ++j) {
      if ((keys_[j] != highest && keys_[j] != lowest) || !moves(j)) continue;
      if (keys_[j] < key) found.below = std::max(found.below, at(j));
      else found.above = std::min(found.above, at(j));
    }
    return found;
  }

  // Calls moving(key, code) for every row that moves, and still(row) for the others.
  template <class Moving, class Still>
  void for_each(Moving moving, Still still) const {
    const std::uint32_t *keys = keys_.data(), *items = items_.data();
    if (still_ == 0) {
      for (std::size_t j = 0; j < n_; ++j) moving(keys[j], items[j] & kCode);
    } else {
      for (std::size_t j = 0; j < n_; ++j)
        if (moves(j)) moving(keys[j], items[j] & kCode);
        else still(j);
    }
  }

  // --- entries: rows that move, in the order of their keys

  std::size_t size() const { return entries_.size(); }
  std::uint32_t entry_key(std::size_t i) const { return key_of(entries_[i]); }
  std::uint32_t code(std::size_t i) const { return item_of(entries_[i]) & kCode; }
  std::uint32_t row(std::size_t i) const { return item_of(entries_[i]) >> kRowShift; }
  double entry_at(std::size_t i) const { return at(row(i)); }

  void sort_all() {
    sort_if([](std::uint32_t) { return true; });
  }

  // Those whose key is wanted.
  template <class Wanted>
  void sort_if(Wanted wanted) {
    entries_.resize(n_);
    Keyed* to = entries_.data();
    const std::uint32_t *keys = keys_.data(), *items = items_.data();
    std::size_t n = 0;
    const auto take = [&](std::size_t j, bool moving) {
      to[n] = keyed(keys[j], items[j]);
      n += static_cast<std::size_t>(wanted(keys[j]) & moving);
    };
    const std::size_t rows = n_;
    if (still_ == 0)
      for (std::size_t j = 0; j < rows; ++j) take(j, true);
    else
      for (std::size_t j = 0; j < rows; ++j) take(j, s_[j] != 0);
    entries_.resize(n);
    sort_entries(entries_, spare_);
  }

  // Puts the run of equal keys that begins at `begin` in the order of the exact crossings; returns its end.
  std::size_t order_run(std::size_t begin, std::size_t limit) {
    std::size_t end = begin + 1;
    while (end < limit && entry_key(end) == entry_key(begin)) ++end;
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(end);
    const auto earlier = [&](Keyed a, Keyed b) { return at(item_of(a) >> kRowShift) < at(item_of(b) >> kRowShift); };
    if (end - begin > 1 && !std::is_sorted(first, last, earlier)) std::stable_sort(first, last, earlier);
    return end;
  }

 private:
  // Keys are spread evenly if the middle is that of the crossings and the width is how far they spread: a sample
  // of them tells.
  void spread() {
    double sample[33];
    const std::size_t wanted = n_ < 2048 ? 11 : 33;
    std::size_t size = 0;
    for (std::size_t i = 0; i < wanted; ++i)
      if (const double t = at(i * n_ / wanted); std::isfinite(t)) sample[size++] = t;
    const auto median = [&] {
      std::nth_element(sample, sample + size / 2, sample + size);
      return sample[size / 2];
    };
    middle_ = size ? median() : 0;
    for (std::size_t i = 0; i < size; ++i) sample[i] = std::abs(sample[i] - middle_);
    const double width = size ? median() : 1;
    width_ = std::ldexp(1.0, std::clamp(width > 0 && std::isfinite(width) ? std::ilogb(width) : 0, -900, 900));
  }

  std::size_t n_, still_ = 0;
  const double* V_ = nullptr;
  const double* s_ = nullptr;
  double middle_ = 0, width_ = 1;
  std::vector<std::uint32_t> notes_, keys_, items_;
  std::vector<Keyed> entries_, spare_;
};

}  // namespace askew
