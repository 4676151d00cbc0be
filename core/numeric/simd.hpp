// Which loops are compiled for AVX2 too and when they are used, and the loops over rows that oblique searches share.
// For every method. The one place that asks for the processor; ASKEW_PORTABLE leaves all of AVX2 out.
//   ASKEW_WIDE_VECTORS  before a function: a plain loop, compiled twice; the loader picks. The results are the same: no
//                       fused multiply-add, no reordering.
//   ASKEW_HAS_AVX2      around code written for AVX2, which is called where use_avx2().
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(ASKEW_PORTABLE)
#define ASKEW_HAS_AVX2 1
#include <immintrin.h>
#endif

// The loader of glibc can pick, that of musl cannot; __GLIBC__ comes with any header of the C library, hence their
// place above. Sanitizers do not work in what the loader calls to pick.
#if defined(ASKEW_HAS_AVX2) && defined(__GLIBC__) && !defined(ASKEW_SANITIZED)
#define ASKEW_WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define ASKEW_WIDE_VECTORS
#endif

namespace askew::numeric {

inline bool use_avx2() {
#ifdef ASKEW_HAS_AVX2
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
#else
  return false;
#endif
}

// V + t s for every row; `to` may be V.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void add_multiple(const double* V, double t, const double* s, std::size_t n, double* to) {
  for (std::size_t j = 0; j < n; ++j) to[j] = V[j] + t * s[j];
}

// V + a[0] x_0 + ... + a[d-1] x_(d-1), summed in this order, for columns that lie `apart` numbers from each other;
// those with a[m] = 0 are left out. Four at a time: V is read and written less often.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void add_multiples(double* V, const double* a, std::size_t d, const double* columns,
                                           std::size_t apart, std::size_t n) {
  const double* x[4] = {};
  double t[4] = {};
  std::size_t waiting = 0;
  for (std::size_t m = 0; m <= d; ++m) {
    if (m < d && a[m] != 0) x[waiting] = columns + m * apart, t[waiting] = a[m], ++waiting;
    if (waiting < 4 && m < d) continue;
    const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
    const double t0 = t[0], t1 = t[1], t2 = t[2], t3 = t[3];
    if (waiting == 4)
      for (std::size_t j = 0; j < n; ++j) V[j] = (((V[j] + t0 * x0[j]) + t1 * x1[j]) + t2 * x2[j]) + t3 * x3[j];
    else
      for (std::size_t i = 0; i < waiting; ++i)
        for (std::size_t j = 0; j < n; ++j) V[j] = V[j] + t[i] * x[i][j];
    waiting = 0;
  }
}

// V + t s for every row, and how many rows are above 0 then: in all, and of those with label 1 (of 0 and 1).
struct Above {
  std::size_t all, ones;
};
ASKEW_WIDE_VECTORS
[[maybe_unused]] static Above add_and_count(const double* V, double t, const double* s, const std::int32_t* label,
                                            std::size_t n, double* to) {
  std::int64_t all = 0, ones = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double value = V[j] + t * s[j];
    const std::int64_t above = value > 0;
    to[j] = value;
    all += above;
    ones += above & static_cast<std::int64_t>(label[j]);
  }
  return {static_cast<std::size_t>(all), static_cast<std::size_t>(ones)};
}

}  // namespace askew::numeric
