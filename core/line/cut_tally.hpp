// Class counts on the left of a plane that moves along a line past rows in their order, for gini and twoing of more
// classes than binned_search.hpp has. A tally ranks splits by the q of score/fast_ranking.hpp, at a fraction of the
// cost of scoring them.
//
// A row is coded by its class and its way: 2 class + 1 if it goes to the left as t grows, 2 class if it leaves it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "score/criterion.hpp"
#include "score/fast_ranking.hpp"
#include "score/sweep.hpp"

namespace askew::line {

using namespace score;

template <class C>
class Tally {
 public:
  Tally(const C& criterion, const std::vector<double>& counts)
      : all(counts), left(counts), n(total(counts.data(), static_cast<int>(counts.size()))), n_left(n),
        criterion_(criterion), best_left_(counts), right_(counts) {}

  // Where rows are at t = -inf: counts of those on the right, by class.
  void begin(const std::vector<std::uint32_t>& on_the_right) {
    n_left = n;
    for (std::size_t c = 0; c < all.size(); ++c) {
      left[c] = all[c] - on_the_right[c];
      n_left -= on_the_right[c];
    }
  }

  // Candidates that do not score at least as well as a plane with these counts on its left need not be found.
  void set_bound(const std::vector<double>& counts) {
    const double size = total(counts.data(), static_cast<int>(counts.size()));
    const Fraction q = rank_of<C>(all.data(), counts.data(), all.size(), size, n);
    if (!(q.denominator > 0)) return;
    best_left_ = counts;
    set_bound(q);
  }

  bool clearly_worse(Fraction q) const { return !exceeds(q, best_, 1 - kRankMargin); }
  // Takes the counts in `left` as the best so far if they are.
  bool keep(Fraction q) {
    if (!exceeds(q, best_, 1 + kRankMargin)) {
      const double now = score_of(left), before = score_of(best_left_);
      if (!(now < before) && (found_ || now != before)) return false;
    }
    best_left_ = left;
    set_bound(q);
    found_ = true;
    return true;
  }
  // The numerator below which a candidate with this denominator is clearly worse.
  double floor_of(double denominator) const { return least_ * denominator; }
  double score() { return found_ ? score_of(best_left_) : kInfinity; }

  std::vector<double> all, left;
  double n, n_left;

 private:
  void set_bound(Fraction q) {
    best_ = q;
    least_ = q.numerator / q.denominator * (1 - kRankMargin);
  }
  double score_of(const std::vector<double>& counts) {
    for (std::size_t c = 0; c < all.size(); ++c) right_[c] = all[c] - counts[c];
    return score_sides(criterion_, counts.data(), right_.data(), static_cast<int>(all.size()));
  }

  C criterion_;
  std::vector<double> best_left_, right_;
  Fraction best_;
  double least_ = -1;  // of candidates that are not clearly worse
  bool found_ = false;
};

// Gini of many classes: the sums of squares follow the rows.
struct GiniOfMany : Tally<Gini> {
  using Tally::Tally;

  void begin(const std::vector<std::uint32_t>& on_the_right) {
    Tally::begin(on_the_right);
    squares_left = squares_right = 0;
    for (std::size_t c = 0; c < all.size(); ++c) {
      squares_left += left[c] * left[c];
      squares_right += (all[c] - left[c]) * (all[c] - left[c]);
    }
  }
  void move(std::uint32_t code) {
    const std::size_t c = code >> 1;
    const double sign = code & 1 ? 1.0 : -1.0;
    squares_left += 2 * sign * left[c] + 1;
    squares_right += -2 * sign * (all[c] - left[c]) + 1;
    left[c] += sign;
    n_left += sign;
  }
  bool improves() {
    const Fraction q = rank_by_squares(squares_left, squares_right, n_left, n);
    return !clearly_worse(q) && q.denominator > 0 && keep(q);
  }
  double squares_left = 0, squares_right = 0;
};

// Twoing of many classes.
struct TwoingOfMany : Tally<Twoing> {
  using Tally::Tally;

  void begin(const std::vector<std::uint32_t>& on_the_right) {
    Tally::begin(on_the_right);
    patience = -1;
  }
  void move(std::uint32_t code) {
    const double sign = code & 1 ? 1.0 : -1.0;
    left[code >> 1] += sign;
    n_left += sign;
    patience -= 1;
  }
  // One row changes D by 2 n at most, so D need not be computed again for the next `patience` rows:
  // sqrt(best (sizes - rows n)) >= sqrt(best sizes) (1 - rows n / sizes), and D grows by 2 n a row.
  bool improves() {
    if (patience >= 0) return false;
    const double d = distance(), sizes = n_left * (n - n_left);
    if (sizes <= 0) return false;
    if (const Fraction q{d * d, sizes}; !clearly_worse(q)) return keep(q);
    const double needed = std::sqrt(floor_of(sizes));
    patience = (needed - d) * sizes / (n * (2 * sizes + needed)) - 1;
    return false;
  }

  double distance() const { return twoing_distance(all.data(), left.data(), all.size(), n_left, n); }

  double patience = -1;
};

// The tally of many classes that serves the sides of a criterion.
template <class Sides>
struct Tallies {
  static constexpr bool exist = false;
};
template <>
struct Tallies<CountSides<Gini>> {
  static constexpr bool exist = true;
  using Many = GiniOfMany;
};
template <>
struct Tallies<CountSides<Twoing>> {
  static constexpr bool exist = true;
  using Many = TwoingOfMany;
};

}  // namespace askew::line
