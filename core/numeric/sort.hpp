// Sorting rows by a value: a radix sort on 32-bit keys, exact for doubles. For every method that sweeps.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "numeric/simd.hpp"

namespace askew::numeric {

// A float as an unsigned number in the same order.
inline std::uint32_t ordered_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return bits ^ (static_cast<std::uint32_t>(-static_cast<std::int32_t>(bits >> 31)) | 0x80000000u);
}

// key (32 bits) | item (32 bits): what the sort moves about.
using Keyed = std::uint64_t;

inline Keyed keyed(std::uint32_t key, std::uint32_t item) { return (static_cast<Keyed>(key) << 32) | item; }
inline std::uint32_t key_of(Keyed e) { return static_cast<std::uint32_t>(e >> 32); }
inline std::uint32_t item_of(Keyed e) { return static_cast<std::uint32_t>(e); }

// One stable pass over the digit of `Bits` bits above `shift`.
template <int Bits>
void radix_pass(const std::vector<Keyed>& from, std::vector<Keyed>& to, int shift) {
  constexpr std::size_t kBuckets = std::size_t{1} << Bits;
  std::array<std::uint32_t, kBuckets> bucket{};
  const auto digit = [shift](Keyed e) { return static_cast<std::size_t>(e >> shift) & (kBuckets - 1); };
  for (const Keyed e : from) ++bucket[digit(e)];
  std::uint32_t start = 0;
  for (auto& b : bucket) start += std::exchange(b, start);
  for (const Keyed e : from) to[bucket[digit(e)]++] = e;
}

// Stable sort by key: three passes of 11 bits; `spare` is scratch of the same length.
inline void radix_sort(std::vector<Keyed>& entries, std::vector<Keyed>& spare) {
  if (entries.size() < 256) {
    std::stable_sort(entries.begin(), entries.end(), [](Keyed a, Keyed b) { return key_of(a) < key_of(b); });
    return;
  }
  spare.resize(entries.size());
  for (const int shift : {32, 43, 54}) {
    radix_pass<11>(entries, spare, shift);
    entries.swap(spare);
  }
}

// How many come before each key, of n that are few: of equal keys those with lower numbers do. Compares all with all,
// which vectors do faster than a sort that has to guess its branches.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void rank_keys(const std::int32_t* keys, std::int32_t n, std::int32_t* rank) {
  for (std::int32_t i = 0; i < n; ++i) rank[i] = 0;
  for (std::int32_t j = 0; j < n; ++j) {
    const std::int32_t key = keys[j];
    for (std::int32_t i = 0; i < n; ++i)
      rank[i] += static_cast<std::int32_t>(key < keys[i]) |
                 (static_cast<std::int32_t>(key == keys[i]) & static_cast<std::int32_t>(j < i));
  }
}

inline void sort_few(std::vector<Keyed>& entries, std::vector<Keyed>& spare) {
  constexpr std::size_t kFew = 64;
  std::int32_t keys[kFew], rank[kFew];
  const std::size_t n = entries.size();
  spare.assign(entries.begin(), entries.end());
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int32_t>(key_of(spare[i]) ^ 0x80000000u);
  rank_keys(keys, static_cast<std::int32_t>(n), rank);
  for (std::size_t i = 0; i < n; ++i) entries[static_cast<std::size_t>(rank[i])] = spare[i];
}

// Sorts keys that are spread evenly over their range; the order of equal keys is left open. One pass over the upper
// bits, or two where there are many entries, leaves little to do; if it does not, all passes are made after all.
inline void sort_entries(std::vector<Keyed>& entries, std::vector<Keyed>& spare) {
  const std::size_t n = entries.size();
  if (n < 64) return sort_few(entries, spare);
  spare.resize(n);
  if (n > 4096) {
    radix_pass<11>(entries, spare, 42);
    entries.swap(spare);
  }
  if (n > 512) radix_pass<11>(entries, spare, 53);
  else radix_pass<7>(entries, spare, 57);
  entries.swap(spare);
  std::size_t budget = 8 * n;
  for (std::size_t i = 1; i < n; ++i) {
    const Keyed e = entries[i];
    if (key_of(entries[i - 1]) <= key_of(e)) continue;
    std::size_t j = i;
    for (; j > 0 && key_of(entries[j - 1]) > key_of(e) && budget > 0; --j, --budget) entries[j] = entries[j - 1];
    entries[j] = e;
    if (budget == 0) return radix_sort(entries, spare);
  }
}

// Sorts items by value (a function of the item; finite). The keys are float32 distances from the
// smallest value, which keep the order of the doubles; runs of equal keys are sorted by value afterwards.
// Equal values keep the order in which they came. `entries` holds items, keys are filled in here.
template <class Value>
void sort_by_value(std::vector<Keyed>& entries, std::vector<Keyed>& spare, Value value) {
  if (entries.empty()) return;
  double low = value(item_of(entries[0]));
  for (const Keyed e : entries) low = std::min(low, value(item_of(e)));
  for (Keyed& e : entries) {
    const std::uint32_t item = item_of(e);
    const double distance = value(item) * 0.5 - low * 0.5;               // halves: no overflow
    e = keyed(ordered_bits(static_cast<float>(distance) + 0.0f), item);  // + 0: -0 and 0 are equal values
  }
  radix_sort(entries, spare);
  const std::size_t n = entries.size();
  for (std::size_t i = 0; i < n;) {
    std::size_t j = i + 1;
    while (j < n && key_of(entries[j]) == key_of(entries[i])) ++j;
    const auto first = entries.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last = entries.begin() + static_cast<std::ptrdiff_t>(j);
    const auto less = [&](Keyed a, Keyed b) { return value(item_of(a)) < value(item_of(b)); };
    if (j - i > 1 && !std::is_sorted(first, last, less)) std::stable_sort(first, last, less);
    i = j;
  }
}

}  // namespace askew::numeric
