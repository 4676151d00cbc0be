// Gini and twoing of whole counts, ranked without a division: for sweeps, line searches (OC1, CART-LC) and CART-ELC.
//
// Of a split into n_left and n_right, with t_c rows of class c of which l_c are on the left, r_c on the right:
//   two classes  q = D^2 / (n_left n_right), D = n l_2 - t_2 n_left            for gini and twoing alike
//   gini         q = sum l^2 / n_left + sum r^2 / n_right
//   twoing       q = D^2 / (n_left n_right), D = sum over the classes of |n l_c - t_c n_left|
// A higher q is a better split. Counts are whole numbers, so D and the sums of squares are exact. Two q are compared by
// products, and the scores of criterion.hpp have the last word where rounding could matter.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "score/criterion.hpp"

namespace askew::score {

constexpr double kRankMargin = 1e-9;  // far wider than the rounding of a score

struct Fraction {
  double numerator = -1, denominator = 1;
};

// q > factor best, and q >= factor best.
inline bool exceeds(Fraction q, Fraction best, double factor) {
  return q.numerator * best.denominator > best.numerator * q.denominator * factor;
}
inline bool reaches(Fraction q, Fraction best, double factor) {
  return q.numerator * best.denominator >= best.numerator * q.denominator * factor;
}

inline Fraction rank_by_distance(double D, double n_left, double n) { return {D * D, n_left * (n - n_left)}; }
inline Fraction rank_by_squares(double left, double right, double n_left, double n) {
  const double n_right = n - n_left;
  return {left * n_right + right * n_left, n_left * n_right};
}

// D of twoing.
inline double twoing_distance(const double* all, const double* left, std::size_t k, double n_left, double n) {
  double D = 0;
  for (std::size_t c = 0; c < k; ++c) D += std::abs(n * left[c] - all[c] * n_left);
  return D;
}

// q of k classes from the counts of one side.
template <class C>
Fraction rank_of(const double* all, const double* left, std::size_t k, double n_left, double n) {
  static_assert(std::is_same_v<C, Gini> || std::is_same_v<C, Twoing>);
  if constexpr (std::is_same_v<C, Twoing>) {
    return rank_by_distance(twoing_distance(all, left, k, n_left, n), n_left, n);
  } else {
    double inside = 0, outside = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double rest = all[c] - left[c];
      inside += left[c] * left[c], outside += rest * rest;
    }
    return rank_by_squares(inside, outside, n_left, n);
  }
}

}  // namespace askew::score
