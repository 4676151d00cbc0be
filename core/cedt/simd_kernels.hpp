// The loops over panels of planes that CE-DT spends its time in, for any processor and, where GCC can compile it, for
// AVX2 with fused multiply-add (see simd.hpp). Both give the same trees: the
// random numbers are the same bits, and a product that comes too near to zero is computed again (plane_products.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cedt/panels.hpp"
#include "numeric/portable_math.hpp"
#include "numeric/rng.hpp"
#include "numeric/simd.hpp"

namespace askew::cedt {

using namespace numeric;

constexpr std::size_t kTileRows = 96;  // rows that are multiplied together; a multiple of 6 and of 3
constexpr std::size_t kTileValues = kTileRows * kPanel;

// What Wood's rejection (von_mises_fisher.hpp) needs to know: m is p - 1, 1 - x0 is `near`, and with log u stretched to
// 2 log u / (m - 1) Ulrich's formula gives a symmetric beta.
struct Wood {
  double m, kappa, b, near, envelope, stretch;
};
struct WoodUniforms {  // each in (0, 1] or, the turn, [0, 1)
  double u[kPanel], turn[kPanel], taken[kPanel];
};

namespace baseline {
#define ASKEW_LANE_BYTES 16
#define ASKEW_STEP_ROWS 3
#define ASKEW_MULTIPLY_ADD(a, x, sum) ((sum) + (a) * (x))
#include "cedt/simd_kernels.inc"
#undef ASKEW_LANE_BYTES
#undef ASKEW_STEP_ROWS
#undef ASKEW_MULTIPLY_ADD
}  // namespace baseline

#ifdef ASKEW_HAS_AVX2
namespace avx2 {
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define ASKEW_LANE_BYTES 32
#define ASKEW_STEP_ROWS 6
#define ASKEW_MULTIPLY_ADD(a, x, sum) _mm256_fmadd_ps((a), _mm256_set1_ps(x), (sum))
#include "cedt/simd_kernels.inc"
#undef ASKEW_LANE_BYTES
#undef ASKEW_STEP_ROWS
#undef ASKEW_MULTIPLY_ADD
#pragma GCC pop_options
}  // namespace avx2
#endif

struct Kernels {
  decltype(&baseline::product) product;
  decltype(&baseline::count_upper) count_upper;
  decltype(&baseline::sum_upper) sum_upper;
  decltype(&baseline::gaussians) gaussians;
  decltype(&baseline::cosine_deficits) cosine_deficits;
  decltype(&baseline::inner) inner;
  decltype(&baseline::combine) combine;
  decltype(&baseline::extend) extend;
  decltype(&baseline::sum_entries) sum_entries;
};

inline Kernels baseline_kernels() {
  return {baseline::product,   baseline::count_upper,     baseline::sum_upper,
          baseline::gaussians, baseline::cosine_deficits, baseline::inner,
          baseline::combine,   baseline::extend,          baseline::sum_entries};
}

inline const Kernels& kernels() {
  static const Kernels chosen = [] {
#ifdef ASKEW_HAS_AVX2
    if (use_avx2())
      return Kernels{avx2::product, avx2::count_upper, avx2::sum_upper, avx2::gaussians,  avx2::cosine_deficits,
                     avx2::inner,   avx2::combine,     avx2::extend,    avx2::sum_entries};
#endif
    return baseline_kernels();
  }();
  return chosen;
}

}  // namespace askew::cedt
