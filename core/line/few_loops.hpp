// The loops of the line search of few rows (few_rows.hpp) that vectors do.
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

// Where a row is counted: (bin << bin_shift) + (label << label_shift) + (way << way_shift). The way is 1 if the row
// goes to the left as t grows. Rows that stay where they are have the bin behind the last; their way is 1 if they are
// above.
struct FewSlots {
  int bin_bits, bin_shift, label_shift, way_shift;
  std::uint32_t n_bins() const { return std::uint32_t{1} << bin_bits; }
};

// The rows of open bins in the order of their crossings.
struct FewOrder {
  const std::int32_t* entries;  // m; the lowest bits are the row, the others its key
  std::size_t m;
  std::int32_t rows;          // the bits of the row
  const std::uint32_t* slot;  // by row
  std::uint32_t open;         // the bins, as bits
  const std::size_t* start;   // where each of them begins

  std::uint32_t slot_of(std::size_t i) const { return slot[entries[i] & rows]; }
  bool tied(std::size_t i) const { return (entries[i] | rows) == (entries[i + 1] | rows); }
};

constexpr std::uint32_t kFewestBins = 8, kMostFewBins = 32;  // of the fewest all are open

// The crossing of each row, its key with its number in the lowest bits, its bin and its slot. Keys rise with t: the
// bits of a float 1 + |y|, y the distance to the middle; they are even near to it and grow like a logarithm further
// off. Every step keeps the order. `label` is shifted to its place in a slot.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void read_few(const double* V, const double* s, const std::uint32_t* label, std::size_t n,
                                      double middle, double scale, int row_bits, FewSlots slots, double* __restrict__ t,
                                      std::int32_t* __restrict__ packed, std::uint32_t* __restrict__ bin,
                                      std::uint32_t* __restrict__ slot) {
  const std::int32_t half = static_cast<std::int32_t>(slots.n_bins() / 2), shift = 30 - slots.bin_bits;
  const std::int32_t keys = -(std::int32_t{1} << row_bits);
  const int bin_shift = slots.bin_shift, way_shift = slots.way_shift;
  for (std::size_t j = 0; j < n; ++j) {
    const double at = -V[j] / s[j];
    t[j] = at;
    const auto y = static_cast<float>((at - middle) * scale);
    const float size = std::abs(y) < 65000.0f ? std::abs(y) : 65000.0f;
    const std::int32_t steps = (std::bit_cast<std::int32_t>(1.0f + size) - 0x3f800000) << 4;
    const std::int32_t key = y < 0 ? -steps : steps;
    packed[j] = (key & keys) | static_cast<std::int32_t>(j);
    std::int32_t b = key >> shift;
    b = b < -half ? -half : b;
    b = b > half - 1 ? half - 1 : b;
    b = s[j] == 0 ? half : b;
    bin[j] = static_cast<std::uint32_t>(b + half);
    const double falls = s[j] == 0 ? -V[j] : s[j];  // below 0: the row is above the plane at t = -inf
    slot[j] = (bin[j] << bin_shift) + label[j] + (static_cast<std::uint32_t>(falls < 0) << way_shift);
  }
}

// --- bins and states

// Eight bytes as a number, the first lowest.
inline std::uint64_t eight_bytes(const std::uint8_t* bytes) {
  std::uint64_t eight = 0;
  if constexpr (std::endian::native == std::endian::little) std::memcpy(&eight, bytes, 8);
  else
    for (int l = 0; l < 8; ++l) eight |= static_cast<std::uint64_t>(bytes[l]) << (8 * l);
  return eight;
}

// Counts up the slots of rows.
inline void count_slots(const std::uint32_t* slot, std::size_t rows, std::uint32_t* counts) {
  std::size_t j = 0;
  for (; j + 4 <= rows; j += 4) ++counts[slot[j]], ++counts[slot[j + 1]], ++counts[slot[j + 2]], ++counts[slot[j + 3]];
  for (; j < rows; ++j) ++counts[slot[j]];
}

// Bytes of 0 and 1 as bits; n is a multiple of 8, at most 64.
inline std::uint64_t bits_of(const std::uint8_t* bytes, std::size_t n) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < n; i += 8) {
    bits |= ((eight_bytes(bytes + i) * 0x0102040810204080u) >> 56) << i;
  }
  return bits;
}

// The ends of bins with a q of at least `least`, as bits.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static std::uint64_t ends_reaching(const std::int32_t* d, const std::int32_t* size, std::size_t bins,
                                                    double all, double least) {
  std::uint8_t marks[kMostFewBins];
  const auto reaches = [=](std::size_t b) {
    const double D = d[b], left = size[b];
    return static_cast<std::uint8_t>(!(D * D < least * (left * (all - left))));
  };
  for (std::size_t b = 0; b < bins; b += 8)
    for (std::size_t l = 0; l < 8; ++l) marks[b + l] = reaches(b + l);
  return bits_of(marks, bins) | static_cast<std::uint64_t>(reaches(bins)) << bins;
}

// The highest q at the ends of bins; 0 if there is none.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static double highest_at_ends(const std::int32_t* d, const std::int32_t* size, std::size_t n,
                                               double all) {
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
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void mark_states(const std::int32_t* d, const std::int32_t* size, std::size_t n, double all,
                                         double least, std::uint8_t* __restrict__ marks) {
  for (std::size_t first = 0; first < n; first += 8)
    for (std::size_t l = 0; l < 8; ++l) {
      const double D = d[first + l], left = size[first + l];
      marks[first + l] = !(D * D < least * (left * (all - left)));
    }
}

// --- rows of some bins

// The numbers of `numbers` whose bins are open, in their order; returns how many. There is room for eight more.
[[maybe_unused]] static std::size_t take_open_one_by_one(const std::int32_t* numbers, const std::uint32_t* bin,
                                                         std::size_t n, std::uint32_t open, std::int32_t* to) {
  std::size_t m = 0;
  for (std::size_t j = 0; j < n; ++j) {
    to[m] = numbers[j];
    m += bin[j] < kMostFewBins ? open >> bin[j] & 1 : 0;
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
    const std::int32_t* numbers, const std::uint32_t* bin, std::size_t n, std::uint32_t open, std::int32_t* to) {
  std::size_t m = 0, j = 0;
  const __m256i bits = _mm256_set1_epi32(static_cast<int>(open));
  for (; j + 8 <= n; j += 8) {
    // A shift by 32, the bin of rows that stay, leaves nothing.
    const __m256i there = _mm256_srlv_epi32(bits, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bin + j)));
    const int mask = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(there, 31)));
    const __m128i lanes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kLanesOfMask.lane[mask]));
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers + j));
    const __m256i taken = _mm256_permutevar8x32_epi32(eight, _mm256_cvtepu8_epi32(lanes));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + m), taken);
    m += static_cast<std::size_t>(__builtin_popcount(static_cast<unsigned>(mask)));
  }
  return m + take_open_one_by_one(numbers + j, bin + j, n - j, open, to + m);
}
#endif
inline std::size_t take_open(const std::int32_t* numbers, const std::uint32_t* bin, std::size_t n, std::uint32_t open,
                             std::int32_t* to) {
#ifdef ASKEW_HAS_AVX2
  if (use_avx2()) return take_open_by_eights(numbers, bin, n, open, to);
#endif
  return take_open_one_by_one(numbers, bin, n, open, to);
}

// The lowest and the highest crossing in a bin. (They are sought among four numbers at a time.)
ASKEW_WIDE_VECTORS
[[maybe_unused]] static double lowest_in(const std::uint32_t* bin, const double* t, std::size_t n,
                                         std::uint32_t wanted) {
  double low[4] = {kInfinity, kInfinity, kInfinity, kInfinity};
  std::size_t j = 0;
  for (; j + 4 <= n; j += 4)
    for (std::size_t l = 0; l < 4; ++l) {
      const double here = bin[j + l] == wanted ? t[j + l] : kInfinity;
      low[l] = here < low[l] ? here : low[l];
    }
  for (; j < n; ++j)
    if (bin[j] == wanted) low[0] = std::min(low[0], t[j]);
  return std::min(std::min(low[0], low[1]), std::min(low[2], low[3]));
}
ASKEW_WIDE_VECTORS
[[maybe_unused]] static double highest_in(const std::uint32_t* bin, const double* t, std::size_t n,
                                          std::uint32_t wanted) {
  double high[4] = {-kInfinity, -kInfinity, -kInfinity, -kInfinity};
  std::size_t j = 0;
  for (; j + 4 <= n; j += 4)
    for (std::size_t l = 0; l < 4; ++l) {
      const double here = bin[j + l] == wanted ? t[j + l] : -kInfinity;
      high[l] = here > high[l] ? here : high[l];
    }
  for (; j < n; ++j)
    if (bin[j] == wanted) high[0] = std::max(high[0], t[j]);
  return std::max(std::max(high[0], high[1]), std::max(high[2], high[3]));
}

}  // namespace askew::line
