// The loops of the line search over rows and bins (binned_search.hpp) that vectors do.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "numeric/simd.hpp"
#include "score/criterion.hpp"

namespace askew::line {

using namespace numeric;
using namespace score;

// The numbers that a search counts with. Up to 2,047 rows all of them are whole numbers of 32 bits, and the number of a
// row takes the lowest 11 bits of its key. For more, counts are doubles and keys have 32 bits of their own.
struct Narrow {
  using Count = std::int32_t;
  using Entry = std::int32_t;
  static constexpr std::size_t kMostRows = 2047, kMostBins = 32;
};
struct Wide {
  using Count = double;
  using Entry = std::int64_t;
  static constexpr std::size_t kMostBins = 2048;
};

// Where a row is counted: (bin << bin_shift) + (label << label_shift) + (way << way_shift). The way is 1 if the row
// goes to the left as t grows. Rows that stay where they are have the bin behind the last; their way is 1 if they are
// above.
struct Slots {
  int bin_bits, bin_shift, label_shift, way_shift;
  std::uint32_t n_bins() const { return std::uint32_t{1} << bin_bits; }
  std::uint32_t bin_of(std::uint32_t slot) const { return (slot >> bin_shift) & (2 * n_bins() - 1); }
};

// The rows of open bins in the order of their crossings.
template <class Entry>
struct EntryOrder {
  const Entry* entries;  // m; the lowest bits are the row, the others its key
  std::size_t m;
  Entry rows;                 // the bits of the row
  const std::uint32_t* slot;  // by row
  const std::uint16_t* open;  // the bins
  std::size_t n_open;
  const std::size_t* start;  // where each bin begins, by bin

  std::uint32_t slot_of(std::size_t i) const { return slot[entries[i] & rows]; }
  bool tied(std::size_t i) const { return (entries[i] | rows) == (entries[i + 1] | rows); }
};

constexpr std::uint32_t kFewestBins = 8;  // of so few all are open

// The key of each row and its slot. Keys rise with t: the bits of a float 1 + |y|, y the distance to the middle; they
// are even near to it and grow like a logarithm further off. Every step keeps the order. Of few rows their numbers take
// the lowest bits of the keys.
template <bool Few>
ASKEW_WIDE_VECTORS static void read_rows(const double* V, const double* s, const std::int32_t* label, std::size_t n,
                                         double middle, double scale, int row_bits, Slots slots,
                                         std::int32_t* __restrict__ keys, std::uint32_t* __restrict__ slot) {
  const std::int32_t half = static_cast<std::int32_t>(slots.n_bins() / 2), shift = 30 - slots.bin_bits;
  const std::int32_t key_bits = -(std::int32_t{1} << row_bits);
  const int bin_shift = slots.bin_shift, label_shift = slots.label_shift, way_shift = slots.way_shift;
  for (std::size_t j = 0; j < n; ++j) {
    const auto y = static_cast<float>((-V[j] / s[j] - middle) * scale);
    const float size = std::abs(y) < 65000.0f ? std::abs(y) : 65000.0f;
    const std::int32_t steps = (std::bit_cast<std::int32_t>(1.0f + size) - 0x3f800000) << 4;
    const std::int32_t key = y < 0 ? -steps : steps;
    keys[j] = Few ? (key & key_bits) | static_cast<std::int32_t>(j) : key;
    std::int32_t b = key >> shift;
    b = b < -half ? -half : b;
    b = b > half - 1 ? half - 1 : b;
    b = s[j] == 0 ? half : b;
    const double falls = s[j] == 0 ? -V[j] : s[j];  // below 0: the row is above the plane at t = -inf
    slot[j] = (static_cast<std::uint32_t>(b + half) << bin_shift) +
              (static_cast<std::uint32_t>(label[j]) << label_shift) +
              (static_cast<std::uint32_t>(falls < 0) << way_shift);
  }
}

// --- bytes of 0 and 1

// Eight bytes as a number, the first lowest.
inline std::uint64_t eight_bytes(const std::uint8_t* bytes) {
  std::uint64_t eight = 0;
  if constexpr (std::endian::native == std::endian::little) std::memcpy(&eight, bytes, 8);
  else
    for (int l = 0; l < 8; ++l) eight |= static_cast<std::uint64_t>(bytes[l]) << (8 * l);
  return eight;
}

// Eight bytes as bits.
inline std::uint64_t bits_of(const std::uint8_t* bytes) { return (eight_bytes(bytes) * 0x0102040810204080u) >> 56; }

// The places of ones among n bytes, from the first to the last. There is room for eight bytes more.
class Ones {
 public:
  Ones(std::uint8_t* bytes, std::size_t n) : bytes_(bytes), n_(n) {
    std::memset(bytes + n, 0, 8);
    eight_ = eight_bytes(bytes);
    find();
  }
  std::size_t place() const { return place_; }  // n or more: there are none left
  void next() {
    eight_ &= eight_ - 1;
    find();
  }

 private:
  void find() {
    while (eight_ == 0 && first_ < n_) eight_ = (first_ += 8) < n_ ? eight_bytes(bytes_ + first_) : 0;
    place_ = eight_ == 0 ? n_ : first_ + static_cast<std::size_t>(std::countr_zero(eight_)) / 8;
  }
  const std::uint8_t* bytes_;
  std::size_t n_, first_ = 0, place_ = 0;
  std::uint64_t eight_ = 0;
};

// --- bins and states

// Counts up the slots of rows.
inline void count_slots(const std::uint32_t* slot, std::size_t rows, std::uint32_t* counts) {
  std::size_t j = 0;
  for (; j + 4 <= rows; j += 4) ++counts[slot[j]], ++counts[slot[j + 1]], ++counts[slot[j + 2]], ++counts[slot[j + 3]];
  for (; j < rows; ++j) ++counts[slot[j]];
}

// The highest q at the ends of bins; 0 if there is none.
template <class Count>
ASKEW_WIDE_VECTORS static double highest_at_ends(const Count* d, const Count* size, std::size_t n, double all) {
  // The bits of numbers that are not negative have their order: of whole numbers vectors find the largest.
  std::int64_t highest = 0;
  for (std::size_t b = 0; b < n; ++b) {
    const double D = d[b], left = size[b], sizes = left * (all - left);
    const auto q = std::bit_cast<std::int64_t>(sizes > 0 ? D * D / sizes : 0.0);
    highest = q > highest ? q : highest;
  }
  return std::bit_cast<double>(highest);
}

// Which states have a q of at least `least`: 1, else 0. In blocks of eight, with room for them in all arrays.
template <class Count>
ASKEW_WIDE_VECTORS static void mark_states(const Count* d, const Count* size, std::size_t n, double all, double least,
                                           std::uint8_t* __restrict__ marks) {
  for (std::size_t first = 0; first < n; first += 8)
    for (std::size_t l = 0; l < 8; ++l) {
      const double D = d[first + l], left = size[first + l];
      marks[first + l] = !(D * D < least * (left * (all - left)));
    }
}

// --- rows of some bins

// Which rows have a bin in [first, first + span]: 1, else 0.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void mark_rows(const std::uint32_t* slot, std::size_t n, Slots slots, std::uint32_t first,
                                       std::uint32_t span, std::uint8_t* marks) {
  const std::uint32_t mask = 2 * slots.n_bins() - 1;
  const int shift = slots.bin_shift;
  for (std::size_t j = 0; j < n; ++j) marks[j] = ((slot[j] >> shift) & mask) - first <= span;
}

// Calls f(row) for the rows in bins first..last, ascending.
template <class F>
void for_rows_in(const std::uint32_t* slot, std::size_t n, Slots slots, std::size_t first, std::size_t last, F f) {
  constexpr std::size_t kRowsAtOnce = 1024;
  std::uint8_t marks[kRowsAtOnce + 64];
  for (std::size_t start = 0; start < n; start += kRowsAtOnce) {
    const std::size_t size = std::min(n - start, kRowsAtOnce);
    mark_rows(slot + start, size, slots, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first),
              marks);
    std::memset(marks + size, 0, 64);
    for (std::size_t word = 0; word < size; word += 64) {
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < 64; i += 8) bits |= bits_of(marks + word + i) << i;
      for (; bits != 0; bits &= bits - 1) f(start + word + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
}

// The keys of rows in open bins (their bits in `open`), in the order of the rows; returns how many. There is room for
// eight more.
[[maybe_unused]] static std::size_t take_open_one_by_one(const std::int32_t* keys, const std::uint32_t* slot,
                                                         std::size_t n, Slots slots, std::uint32_t open,
                                                         std::int32_t* to) {
  std::size_t m = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const std::uint32_t bin = slots.bin_of(slot[j]);
    to[m] = keys[j];
    m += bin < 32 ? open >> bin & 1 : 0;
  }
  return m;
}
#ifdef ASKEW_HAS_AVX2
// The lanes of eight that a mask has, put together at the front.
struct LanesOfMask {
  std::uint8_t lane[256][8] = {};
  constexpr LanesOfMask() {
    for (int mask = 0; mask < 256; ++mask)
      for (int l = 0, at = 0; l < 8; ++l)
        if (mask >> l & 1) lane[mask][at++] = static_cast<std::uint8_t>(l);
  }
};
inline constexpr LanesOfMask kLanesOfMask;

__attribute__((target("avx2,popcnt"))) [[maybe_unused]] static std::size_t take_open_by_eights(
    const std::int32_t* keys, const std::uint32_t* slot, std::size_t n, Slots slots, std::uint32_t open,
    std::int32_t* to) {
  std::size_t m = 0, j = 0;
  const __m256i bits = _mm256_set1_epi32(static_cast<int>(open));
  const __m256i bin_bits = _mm256_set1_epi32(static_cast<int>(2 * slots.n_bins() - 1));
  const __m128i bin_shift = _mm_cvtsi32_si128(slots.bin_shift);
  for (; j + 8 <= n; j += 8) {
    const __m256i places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(slot + j));
    const __m256i bins = _mm256_and_si256(_mm256_srl_epi32(places, bin_shift), bin_bits);
    const __m256i there = _mm256_srlv_epi32(bits, bins);  // a shift by 32, the bin of rows that stay, leaves nothing
    const int mask = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(there, 31)));
    const __m128i lanes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kLanesOfMask.lane[mask]));
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + j));
    const __m256i taken = _mm256_permutevar8x32_epi32(eight, _mm256_cvtepu8_epi32(lanes));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + m), taken);
    m += static_cast<std::size_t>(__builtin_popcount(static_cast<unsigned>(mask)));
  }
  return m + take_open_one_by_one(keys + j, slot + j, n - j, slots, open, to + m);
}
#endif
inline std::size_t take_open(const std::int32_t* keys, const std::uint32_t* slot, std::size_t n, Slots slots,
                             std::uint32_t open, std::int32_t* to) {
#ifdef ASKEW_HAS_AVX2
  if (use_avx2()) return take_open_by_eights(keys, slot, n, slots, open, to);
#endif
  return take_open_one_by_one(keys, slot, n, slots, open, to);
}

}  // namespace askew::line
