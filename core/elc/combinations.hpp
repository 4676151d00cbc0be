// Combinations of samples and of features for CART-ELC: one after the other, by number, or at random. They are never
// listed all at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "numeric/rng.hpp"

namespace askew::elc {

using namespace numeric;

using Combination = std::vector<std::uint32_t>;  // ascending

constexpr std::uint64_t kTooMany = std::uint64_t{1} << 62;

// C(n, k); kTooMany if it is that or more.
inline std::uint64_t binomial(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  k = std::min(k, n - k);
  std::uint64_t result = 1;  // C(n, i), which grows with i
  for (std::uint64_t i = 0; i < k; ++i) {
    if ((result | n) >> 32 == 0) {  // the product fits
      result = result * (n - i) / (i + 1);
      continue;
    }
    const std::uint64_t common = std::gcd(result, i + 1), factor = (n - i) / ((i + 1) / common);
    result /= common;
    if (result >= kTooMany / factor) return kTooMany;
    result *= factor;
  }
  return result;
}

// 0, 1, 2, ...: the first combination of k.
inline Combination first_combination(std::size_t k) {
  Combination chosen(k);
  std::iota(chosen.begin(), chosen.end(), 0u);
  return chosen;
}

// The next combination out of n in lexicographic order, of those with the same first `kept`; false after the last.
inline bool next_combination(Combination& chosen, std::size_t n, std::size_t kept = 0) {
  const std::size_t k = chosen.size();
  std::size_t i = k;
  while (i > kept && chosen[i - 1] + k == n + i - 1) --i;
  if (i <= kept) return false;
  ++chosen[i - 1];
  for (; i < k; ++i) chosen[i] = chosen[i - 1] + 1;
  return true;
}

// The combination of k out of n with this number in lexicographic order.
inline Combination combination_of_rank(std::uint64_t rank, std::size_t n, std::size_t k) {
  Combination chosen;
  for (std::size_t u = 0; k > 0; ++u) {
    const std::uint64_t with = binomial(n - u - 1, k - 1);  // how many there are that start with u
    if (rank < with || n - u == k) chosen.push_back(static_cast<std::uint32_t>(u)), --k;
    else rank -= with;
  }
  return chosen;
}

// Any combination of k out of n, with equal probability (Floyd's algorithm).
inline Combination random_combination(Rng& rng, std::size_t n, std::size_t k) {
  Combination chosen;
  for (std::size_t last = n - k; last < n; ++last) {
    const auto drawn = static_cast<std::uint32_t>(rng.below(last + 1));
    const bool taken = std::find(chosen.begin(), chosen.end(), drawn) != chosen.end();
    chosen.push_back(taken ? static_cast<std::uint32_t>(last) : drawn);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace askew::elc
