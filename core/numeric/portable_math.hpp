// Logarithm, exponential, sine and cosine for CE-DT's random directions, from additions, multiplications, divisions and
// square roots alone, so that they give the same bits on every platform: the C library's differ in their last place.
// Written without branches, so that loops over them become vector instructions.
#pragma once

#include <bit>
#include <cstdint>

namespace askew::numeric {

// Natural logarithm of a positive normal number: x = 2^e m with m in [sqrt(1/2), sqrt(2)), and
// log m = 2 artanh(s) with s = (m - 1)/(m + 1).
inline double portable_log(double x) {
  constexpr std::uint64_t kBias = 1023ULL << 52, kHalfRoot = 0x3fe6a09e667f3bcdULL, kExponent = 0xfff0000000000000ULL;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t shifted = bits - kHalfRoot + kBias;  // its exponent field is e + 1023
  const double e = std::bit_cast<double>((shifted >> 52) | 0x4330000000000000ULL) - (0x1.0p52 + 1023.0);
  const double m = std::bit_cast<double>(bits - (shifted & kExponent) + kBias);
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double series = 1.0 / 21;
  series = series * z + 1.0 / 19;
  series = series * z + 1.0 / 17;
  series = series * z + 1.0 / 15;
  series = series * z + 1.0 / 13;
  series = series * z + 1.0 / 11;
  series = series * z + 1.0 / 9;
  series = series * z + 1.0 / 7;
  series = series * z + 1.0 / 5;
  series = series * z + 1.0 / 3;
  return e * 0.6931471805599453 + (2.0 * s + 2.0 * s * (z * series));
}

// The same in single precision, for a number that is not below 2^-126.
inline float portable_log(float x) {
  constexpr std::uint32_t kBias = 127U << 23, kHalfRoot = 0x3f3504f3U, kExponent = 0xff800000U;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t shifted = bits - kHalfRoot + kBias;
  const float e = std::bit_cast<float>((shifted >> 23) | 0x4b000000U) - (0x1.0p23f + 127.0f);
  const float m = std::bit_cast<float>(bits - (shifted & kExponent) + kBias);
  const float s = (m - 1.0f) / (m + 1.0f), z = s * s;
  float series = 1.0f / 9;
  series = series * z + 1.0f / 7;
  series = series * z + 1.0f / 5;
  series = series * z + 1.0f / 3;
  return e * 0.69314718f + (2.0f * s + 2.0f * s * (z * series));
}

// exp(x) = scale (1 + r series) with a power of two as scale, for x in [-700, 0].
struct ExpParts {
  double scale, r, series;  // series is (exp(r) - 1) / r
};
inline ExpParts portable_exp_parts(double x) {
  constexpr double kWhole = 0x1.8p52;  // adding it rounds to a whole number, which is then in the last bits
  const double shifted = x * 1.4426950408889634 + kWhole, r = x - (shifted - kWhole) * 0.6931471805599453;
  double series = 1.0 / 6227020800;  // from 1/13! down
  series = series * r + 1.0 / 479001600;
  series = series * r + 1.0 / 39916800;
  series = series * r + 1.0 / 3628800;
  series = series * r + 1.0 / 362880;
  series = series * r + 1.0 / 40320;
  series = series * r + 1.0 / 5040;
  series = series * r + 1.0 / 720;
  series = series * r + 1.0 / 120;
  series = series * r + 1.0 / 24;
  series = series * r + 1.0 / 6;
  series = series * r + 1.0 / 2;
  series = series * r + 1.0;
  return {std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52), r, series};
}

// exp(x) for x <= 0; below -700 it is exp(-700), which is lost when added to 1.
inline double portable_exp(double x) {
  const ExpParts e = portable_exp_parts(x > -700.0 ? x : -700.0);
  return e.scale + e.scale * (e.r * e.series);
}

// 1 - exp(x) for x <= 0, exact to the last places also near 0; below -40 it is 1.
inline double portable_one_minus_exp(double x) {
  const ExpParts e = portable_exp_parts(x > -40.0 ? x : -40.0);
  return (1 - e.scale) - e.scale * (e.r * e.series);
}

// Sine and cosine of 2 pi u for u in [0, 1]. With t = u - 1/2 both follow from those of pi t; double has more terms.
template <class Real>
struct SineCosine {
  Real sine, cosine;
};
template <class Real>
inline SineCosine<Real> portable_turn(Real u) {  // inline: a loop with a call in it is no vector loop
  constexpr Real one = 1;
  const Real x = (u - one / 2) * static_cast<Real>(3.141592653589793), z = x * x;
  Real sine = one / 39916800, cosine = one / 479001600;  // 1/11!, 1/12!
  if constexpr (sizeof(Real) == sizeof(double)) {
    Real more = one / 121645100408832000;  // 1/19!
    more = one / 355687428096000 - more * z;
    more = one / 1307674368000 - more * z;
    more = one / 6227020800 - more * z;
    sine -= more * z;
    more = one / 2432902008176640000;  // 1/20!
    more = one / 6402373705728000 - more * z;
    more = one / 20922789888000 - more * z;
    more = one / 87178291200 - more * z;
    cosine -= more * z;
  }
  sine = one / 362880 - sine * z;
  sine = one / 5040 - sine * z;
  sine = one / 120 - sine * z;
  sine = one / 6 - sine * z;
  sine = x * (one - sine * z);
  cosine = one / 3628800 - cosine * z;
  cosine = one / 40320 - cosine * z;
  cosine = one / 720 - cosine * z;
  cosine = one / 24 - cosine * z;
  cosine = one / 2 - cosine * z;
  cosine = one - cosine * z;
  return {-2 * sine * cosine, 2 * sine * sine - 1};  // a half turn back: both change their sign
}

}  // namespace askew::numeric
