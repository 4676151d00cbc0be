// Whole counts that follow a moving plane at a fraction of the cost of scoring it. A tally knows a number q that
// ranks splits as the criterion does, compares it by products (a division takes longer than all the rest), and
// leaves the last word to the scores where rounding could matter.
//
// A row is coded by its class and its way: 2 class + 1 if it goes to the left as t grows, 2 class if it leaves it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "criterion.hpp"
#include "sweep.hpp"

namespace askew {

struct Fraction {
  double numerator = -1, denominator = 1;
};

// `Counts` is a vector or, where the number of classes is known, an array, which needs no memory of its own.
template <class C, class Counts>
class Tally {
 public:
  Tally(const C& criterion, const Counts& counts)
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

  // Candidates that do not score at least as well as this plane need not be found.
  void stand(const std::vector<double>& counts, Fraction q) {
    if (!(q.denominator > 0)) return;
    std::copy(counts.begin(), counts.end(), best_left_.begin());
    aim(q);
  }

  bool clearly_worse(Fraction q) const {
    return !(q.numerator * best_.denominator > best_.numerator * q.denominator * (1 - kMargin));
  }
  // Takes the counts in `left` as the best so far if they are.
  bool keep(Fraction q) {
    if (!(q.numerator * best_.denominator > best_.numerator * q.denominator * (1 + kMargin))) {
      const double now = score_of(left), before = score_of(best_left_);
      if (!(now < before) && (found_ || now != before)) return false;
    }
    best_left_ = left;
    aim(q);
    found_ = true;
    return true;
  }
  // The numerator below which a candidate with this denominator is clearly worse.
  double floor_of(double denominator) const { return least_ * denominator; }
  double score() { return found_ ? score_of(best_left_) : kInfinity; }

  Counts all, left;
  double n, n_left;

 private:
  void aim(Fraction q) {
    best_ = q;
    least_ = q.numerator / q.denominator * (1 - kMargin);
  }
  double score_of(const Counts& counts) {
    for (std::size_t c = 0; c < all.size(); ++c) right_[c] = all[c] - counts[c];
    return score_sides(criterion_, counts.data(), right_.data(), static_cast<int>(all.size()));
  }

  static constexpr double kMargin = 1e-9;  // far wider than the rounding of a score
  C criterion_;
  Counts best_left_, right_;
  Fraction best_;
  double least_ = -1;  // of candidates that are not clearly worse
  bool found_ = false;
};

// Two classes, for gini and twoing alike: q = D^2 / (n_left n_right), D = n l - t n_left, with l of the second
// class's t on the left. D is a whole number.
template <class C>
struct TwoClasses : Tally<C, std::array<double, 2>> {
  static constexpr bool binned = true;
  using Base = Tally<C, std::array<double, 2>>;

  TwoClasses(const C& c, const std::vector<double>& counts)
      : Base(c, {counts[0], counts[1]}), step{counts[1], -counts[1], counts[1] - this->n, this->n - counts[1]} {}

  void begin(const std::vector<std::uint32_t>& on_the_right) {
    Base::begin(on_the_right);
    D = this->n * this->left[1] - this->all[1] * this->n_left;
  }
  Fraction rate(const std::vector<double>& counts) const {
    const double size = counts[0] + counts[1], d = this->n * counts[1] - this->all[1] * size;
    return {d * d, size * (this->n - size)};
  }
  void move(std::uint32_t code) {
    D += step[code & 3];
    this->n_left += (code & 1) ? 1.0 : -1.0;
  }
  bool wins() {
    const Fraction q = now();
    if (this->clearly_worse(q) || q.denominator <= 0) return false;
    this->left[1] = (D + this->all[1] * this->n_left) / this->n;
    this->left[0] = this->n_left - this->left[1];
    return this->keep(q);
  }

  // --- whole bins of rows

  Fraction now() const { return {D * D, this->n_left * (this->n - this->n_left)}; }
  double distance() const { return D; }
  void move_all(const std::uint32_t* bin) {
    for (int code = 0; code < 4; ++code) D += step[code] * bin[code];
    this->n_left += static_cast<double>(bin[1] + bin[3]) - static_cast<double>(bin[0] + bin[2]);
  }
  // Inside a bin each class's count on the left lies between what it has when all of its leaving rows have left
  // and none has come, and the other way round. q is convex, so it is largest at a corner of that box.
  bool may_win_inside(const std::uint32_t* bin, double d, double n_in, double) const {
    const double one[2] = {step[0] * bin[0], step[1] * bin[1]}, two[2] = {step[2] * bin[2], step[3] * bin[3]};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        const double corner = d + one[i] + two[j];
        const double size = n_in + (i ? bin[1] : -static_cast<double>(bin[0])) + (j ? bin[3] : -static_cast<double>(bin[2]));
        const double sizes = size * (this->n - size);
        if (sizes <= 0 || !this->clearly_worse({corner * corner, sizes})) return true;
      }
    return false;
  }

  double step[4], D = 0;
};

// Gini of many classes: q = sum l^2 / n_left + sum r^2 / n_right.
struct GiniOfMany : Tally<Gini, std::vector<double>> {
  static constexpr bool binned = false;
  using Tally::Tally;

  void begin(const std::vector<std::uint32_t>& on_the_right) {
    Tally::begin(on_the_right);
    squares_left = squares_right = 0;
    for (std::size_t c = 0; c < all.size(); ++c) {
      squares_left += left[c] * left[c];
      squares_right += (all[c] - left[c]) * (all[c] - left[c]);
    }
  }
  Fraction rate(const std::vector<double>& counts) const {
    double size = 0, inside = 0, outside = 0;
    for (std::size_t c = 0; c < all.size(); ++c) {
      size += counts[c];
      inside += counts[c] * counts[c];
      outside += (all[c] - counts[c]) * (all[c] - counts[c]);
    }
    return {inside * (n - size) + outside * size, size * (n - size)};
  }
  void move(std::uint32_t code) {
    const std::size_t c = code >> 1;
    const double sign = code & 1 ? 1.0 : -1.0;
    squares_left += 2 * sign * left[c] + 1;
    squares_right += -2 * sign * (all[c] - left[c]) + 1;
    left[c] += sign;
    n_left += sign;
  }
  bool wins() {
    const double n_right = n - n_left;
    const Fraction q{squares_left * n_right + squares_right * n_left, n_left * n_right};
    return !clearly_worse(q) && q.denominator > 0 && keep(q);
  }
  double squares_left = 0, squares_right = 0;
};

// Twoing of many classes: q = D^2 / (n_left n_right), D = sum over the classes of |n l - t n_left|.
struct TwoingOfMany : Tally<Twoing, std::vector<double>> {
  static constexpr bool binned = true;
  using Tally::Tally;

  Fraction rate(const std::vector<double>& counts) const {
    const double size = total(counts.data(), static_cast<int>(counts.size())), d = apart(counts, size);
    return {d * d, size * (n - size)};
  }
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
  // One row changes D by 2 n at most, so that after a look at D so many rows can be let through unlooked at:
  // sqrt(best (sizes - rows n)) >= sqrt(best sizes) (1 - rows n / sizes), and D grows by 2 n a row.
  bool wins() {
    if (patience >= 0) return false;
    const double d = distance(), sizes = n_left * (n - n_left);
    if (sizes <= 0) return false;
    if (const Fraction q{d * d, sizes}; !clearly_worse(q)) return keep(q);
    const double needed = std::sqrt(floor_of(sizes));
    patience = (needed - d) * sizes / (n * (2 * sizes + needed)) - 1;
    return false;
  }

  double distance() const { return apart(left, n_left); }
  void move_all(const std::uint32_t* bin) {
    for (std::size_t c = 0; c < all.size(); ++c) {
      const double change = static_cast<double>(bin[2 * c + 1]) - static_cast<double>(bin[2 * c]);
      left[c] += change;
      n_left += change;
    }
    patience = -1;
  }
  // A state inside a bin is some of its rows away from one end, and the others from the other.
  bool may_win_inside(const std::uint32_t* bin, double d, double n_in, double d_out) const {
    double leave = 0, come = 0;
    for (std::size_t c = 0; c < all.size(); ++c) leave += bin[2 * c], come += bin[2 * c + 1];
    const double highest = (d + d_out) / 2 + n * (leave + come);
    const double low = n_in - leave, high = n_in + come;
    const double sizes = std::min(low * (n - low), high * (n - high));
    return low <= 0 || high >= n || !clearly_worse({highest * highest, sizes});
  }

 private:
  double apart(const std::vector<double>& counts, double size) const {
    double d = 0;
    for (std::size_t c = 0; c < all.size(); ++c) d += std::abs(n * counts[c] - all[c] * size);
    return d;
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
