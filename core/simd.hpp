// Loops that gain from wider vectors are compiled twice, and the processor picks. The results are the same: no
// fused multiply-add, no reordering.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define ASKEW_WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define ASKEW_WIDE_VECTORS
#endif

#include <cstddef>

namespace askew {

// V + t s for every row; `to` may be V.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void add_multiple(const double* V, double t, const double* s, std::size_t n, double* to) {
  for (std::size_t j = 0; j < n; ++j) to[j] = V[j] + t * s[j];
}

}  // namespace askew
