// Whole counts that follow a moving plane at a fraction of the cost of scoring it. A tally knows a number q that
// ranks splits as the criterion does, compares it by products (a division takes longer than all the rest), and
// leaves the last word to the score: only a candidate that may be the best so far is scored.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "criterion.hpp"
#include "sweep.hpp"

namespace askew {

// What all tallies share: the best candidate so far, by q = numerator / denominator. A row is noted by its class
// (from the second bit) and whether it goes to the left (the first).
template <class C>
struct TallyBase {
  TallyBase(const C& c, const std::vector<double>& counts)
      : criterion(c), all(counts), left(counts), best_left(counts), right(counts.size()) {
    n = total(all.data(), static_cast<int>(all.size()));
    n_left = n;
  }

  // q is compared without a division. Clearly better, or clearly not; where rounding leaves it open, the scores
  // of both decide.
  bool clearly_worse(double numerator, double denominator) const {
    return !(numerator * best_denominator > best_numerator * denominator * (1 - kMargin));
  }
  bool clearly_better(double numerator, double denominator) const {
    return numerator * best_denominator > best_numerator * denominator * (1 + kMargin);
  }
  // The counts are in `left`: keeps them if they are better.
  bool keep(double numerator, double denominator) {
    if (!clearly_better(numerator, denominator) && !(score_of(left) < score_of(best_left))) return false;
    best_left = left;
    best_numerator = numerator, best_denominator = denominator;
    found = true;
    return true;
  }
  double score_of(const std::vector<double>& counts) {
    for (std::size_t c = 0; c < all.size(); ++c) right[c] = all[c] - counts[c];
    return score_sides(criterion, counts.data(), right.data(), static_cast<int>(all.size()));
  }
  std::size_t settle(std::size_t place) {
    if (found) score = score_of(best_left);
    return score < kInfinity ? place : kNone;
  }

  static constexpr double kMargin = 1e-9;  // far wider than the rounding of a score
  C criterion;
  std::vector<double> all, left, best_left, right;
  double n, n_left, best_numerator = -1, best_denominator = 1, score = kInfinity;
  bool found = false;
};

// Two classes, for gini and twoing alike: q = D^2 / (n_left n_right), D = n l - t n_left, with l of the second
// class's t on the left. D is a whole number.
template <class C>
struct TwoClasses : TallyBase<C> {
  TwoClasses(const C& c, const std::vector<double>& counts) : TallyBase<C>(c, counts) {
    const double second = this->all[1];
    const double steps[4] = {second, -second, second - this->n, this->n - second};
    std::copy(steps, steps + 4, step);
  }
  void start(std::uint32_t note, std::uint32_t to_right) {
    right += to_right;
    right_second += to_right & (note >> 1);
  }
  void started() {
    this->n_left -= static_cast<double>(right);
    D = -this->n * static_cast<double>(right_second) + this->all[1] * static_cast<double>(right);
  }
  void move(std::uint32_t note) {
    D += step[note & 3];
    this->n_left += size[note & 1];
  }
  bool wins(std::size_t) {
    const double sizes = this->n_left * (this->n - this->n_left);
    if (this->clearly_worse(D * D, sizes) || sizes <= 0) return false;
    this->left[1] = (D + this->all[1] * this->n_left) / this->n;
    this->left[0] = this->n_left - this->left[1];
    return this->keep(D * D, sizes);
  }
  double step[4], size[2] = {-1, 1}, D = 0;
  std::uint32_t right = 0, right_second = 0;
};

// Gini of many classes: q = sum l^2 / n_left + sum r^2 / n_right.
struct GiniOfMany : TallyBase<Gini> {
  GiniOfMany(const Gini& c, const std::vector<double>& counts) : TallyBase(c, counts) {
    for (const double count : all) squares_left += count * count;
  }
  void start(std::uint32_t note, bool to_right) {
    if (to_right) move(note & ~1u);
  }
  void started() {}
  void move(std::uint32_t note) {
    const std::size_t c = (note >> 1) & 127;
    const double sign = note & 1 ? 1.0 : -1.0;
    squares_left += 2 * sign * left[c] + 1;
    squares_right += -2 * sign * (all[c] - left[c]) + 1;
    left[c] += sign;
    n_left += sign;
  }
  bool wins(std::size_t) {
    const double n_right = n - n_left, sizes = n_left * n_right, sum = squares_left * n_right + squares_right * n_left;
    return !clearly_worse(sum, sizes) && sizes > 0 && keep(sum, sizes);
  }
  double squares_left = 0, squares_right = 0;
};

// Twoing of many classes: q = D^2 / (n_left n_right), D = sum over the classes of |n l - t n_left|. One row
// changes D by 2 n at most, so that after a look at D so many rows can be let through unlooked at.
struct TwoingOfMany : TallyBase<Twoing> {
  using TallyBase::TallyBase;
  void start(std::uint32_t note, bool to_right) {
    if (to_right) move(note & ~1u);
  }
  void started() { patience = -1; }
  void move(std::uint32_t note) {
    const double sign = static_cast<double>(note & 1) * 2 - 1;
    left[(note >> 1) & 127] += sign;
    n_left += sign;
    patience -= 1;
  }
  bool wins(std::size_t) {
    if (patience >= 0) return false;
    const double sizes = n_left * (n - n_left);
    if (sizes <= 0) return false;
    double D = 0;
    for (std::size_t c = 0; c < all.size(); ++c) D += std::abs(n * left[c] - all[c] * n_left);
    if (!clearly_worse(D * D, sizes)) return keep(D * D, sizes);
    // sqrt(best (sizes - rows n)) >= sqrt(best sizes) (1 - rows n / sizes), and D grows by 2 n a row.
    const double needed = std::sqrt(best_numerator / best_denominator * (1 - kMargin) * sizes);
    patience = std::floor((needed - D) / (2 * n + needed * n / sizes)) - 1;
    return false;
  }
  double patience = -1;
};

// Which tallies serve the sides of a criterion.
template <class Sides>
struct Tallies {
  static constexpr bool exist = false;
};
template <>
struct Tallies<CountSides<Gini>> {
  static constexpr bool exist = true;
  using Two = TwoClasses<Gini>;
  using Many = GiniOfMany;
};
template <>
struct Tallies<CountSides<Twoing>> {
  static constexpr bool exist = true;
  using Two = TwoClasses<Twoing>;
  using Many = TwoingOfMany;
};

}  // namespace askew
