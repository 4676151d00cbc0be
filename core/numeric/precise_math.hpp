// Exponential, logarithm and power that are correctly rounded but for about one argument in a million, from additions,
// multiplications and divisions alone: the same bits on every platform, which the C library's functions do not promise.
// For what is computed rarely: schedules, prices, limits. Loops use portable_math.hpp or the library.
//
// All sums are carried in two doubles (Dekker 1971), some 100 bits, and rounded once at the end.
#pragma once

#include <cmath>
#include <limits>

#include "numeric/portable_math.hpp"

namespace askew::numeric {

// hi + lo with |lo| at most half a unit in the last place of hi.
struct TwoDoubles {
  double hi, lo = 0;
};

inline TwoDoubles exact_sum(double a, double b) {
  const double sum = a + b, taken = sum - a;
  return {sum, (a - (sum - taken)) + (b - taken)};
}
inline TwoDoubles exact_product(double a, double b) {
  constexpr double kSplit = 0x1p27 + 1;  // halves of 26 bits, whose products are exact
  const double sa = kSplit * a, sb = kSplit * b;
  const double ah = sa - (sa - a), al = a - ah, bh = sb - (sb - b), bl = b - bh, product = a * b;
  return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}
inline TwoDoubles operator+(TwoDoubles a, TwoDoubles b) {
  const TwoDoubles high = exact_sum(a.hi, b.hi), low = exact_sum(a.lo, b.lo);
  const TwoDoubles sum = exact_sum(high.hi, high.lo + low.hi);
  return exact_sum(sum.hi, sum.lo + low.lo);
}
inline TwoDoubles operator*(TwoDoubles a, TwoDoubles b) {
  const TwoDoubles product = exact_product(a.hi, b.hi);
  return exact_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

// exp(x) = 2^power (1 + rest), for |x| below 1000.
struct PreciseExp {
  int power;
  TwoDoubles rest;
};
inline PreciseExp precise_exp_parts(TwoDoubles x) {
  constexpr double kLog2[3] = {0x1.62e42fefp-1, 0x1.473de6afp-34, 0x1.3c7673007e5edp-69};  // 33 bits in the first two
  const double power = std::nearbyint(x.hi * 1.4426950408889634);
  TwoDoubles r = exact_sum(x.hi, -power * kLog2[0]) + exact_sum(-power * kLog2[1], x.lo - power * kLog2[2]);
  r = {r.hi * 0x1p-4, r.lo * 0x1p-4};  // |r| < 0.022
  const double z = r.hi;
  const double tail = z * z * (z * z) * (1.0 / 24 + z * (1.0 / 120 + z * (1.0 / 720 + z * (1.0 / 5040 + z / 40320))));
  const TwoDoubles sixth{1.0 / 6, 0x1.5555555555555p-57};
  TwoDoubles rest = r + r * r * (TwoDoubles{0.5} + r * sixth) + TwoDoubles{tail};
  for (int i = 0; i < 4; ++i) rest = rest * (rest + TwoDoubles{2});  // (1 + m)^2 = 1 + m (m + 2)
  return {static_cast<int>(power), rest};
}

inline double precise_exp(TwoDoubles x) {
  if (!(std::abs(x.hi) < 750)) return x.hi < 0 ? 0.0 : x.hi + std::numeric_limits<double>::infinity();
  const PreciseExp e = precise_exp_parts(x);
  return std::ldexp((TwoDoubles{1} + e.rest).hi, e.power);
}
inline double precise_exp(double x) { return precise_exp(TwoDoubles{x}); }

// exp(x) - 1, exact to the last places also near 0.
inline double precise_expm1(double x) {
  if (!(std::abs(x) < 700)) return x < 0 ? -1.0 : x + std::numeric_limits<double>::infinity();
  if (std::abs(x) < 0x1p-60) return x;
  const PreciseExp e = precise_exp_parts({x});
  const double scale = std::ldexp(1.0, e.power);
  return (exact_sum(scale, -1) + TwoDoubles{scale * e.rest.hi, scale * e.rest.lo}).hi;
}

// log(x) = power log 2 + rest, for a positive finite number. One step of Newton's method from 53 bits.
struct PreciseLog {
  double power;
  TwoDoubles rest;
};
inline PreciseLog precise_log_parts(double x) {
  int power = std::ilogb(x);
  double m = std::ldexp(x, -power);
  if (m > 1.4142135623730951) m /= 2, ++power;  // at most half an octave from 1
  const double near = portable_log(m);
  const PreciseExp e = precise_exp_parts({-near});
  const TwoDoubles scaled{std::ldexp(m, e.power)},
      gap = exact_sum(scaled.hi, -1) + scaled * e.rest;  // m exp(-near) - 1
  return {static_cast<double>(power), TwoDoubles{near} + gap};
}

inline double precise_log2(double x) {
  constexpr TwoDoubles kPerBit{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};  // 1 / log 2
  const PreciseLog l = precise_log_parts(x);
  return (TwoDoubles{l.power} + l.rest * kPerBit).hi;
}

// x^y for a positive finite x; 0 and infinity stay, as for y > 0.
inline double precise_pow(double x, double y) {
  constexpr TwoDoubles kLog2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  if (!(x > 0 && x < std::numeric_limits<double>::infinity())) return y == 0 ? 1.0 : x;
  const PreciseLog l = precise_log_parts(x);
  return precise_exp((TwoDoubles{l.power} * kLog2 + l.rest) * TwoDoubles{y});
}

}  // namespace askew::numeric
