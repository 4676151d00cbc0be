// Class counts on the left of a plane that moves along a line (OC1, CART-LC), for gini and twoing without weights. A
// tally ranks splits by the q of score/fast_ranking.hpp, at a fraction of the cost of scoring them.
//
// A row is coded by its class and its way: 2 class + 1 if it goes to the left as t grows, 2 class if it leaves it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "numeric/simd.hpp"
#include "score/criterion.hpp"
#include "score/fast_ranking.hpp"
#include "score/sweep.hpp"

namespace askew::line {

using namespace score;

// Rows of each code in bins of a line, one code after the other.
struct Bins {
  const std::uint32_t* counts;
  std::size_t n;

  std::uint32_t operator()(std::size_t code, std::size_t b) const { return counts[code * n + b]; }
  std::size_t size(std::size_t n_codes, std::size_t b) const {
    std::size_t sum = 0;
    for (std::size_t code = 0; code < n_codes; ++code) sum += (*this)(code, b);
    return sum;
  }
};

// At the ends of bins, from the start of the first to the end of the last: D, which is what q is made of, and how
// many rows are on the left. `scratch` is for the bins in between.
struct BinEnds {
  std::vector<double> distance, size, scratch;

  void resize(std::size_t n_bins) { distance.resize(n_bins + 1), size.resize(n_bins + 1), scratch.resize(n_bins + 1); }
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
  // The q below which candidates are clearly worse, if there is one with this.
  double least_beside(double q) const { return std::max(least_, q * (1 - kRankMargin)); }
  // The numerator below which a candidate with this denominator is clearly worse.
  double floor_of(double denominator) const { return least_ * denominator; }
  double score() { return found_ ? score_of(best_left_) : kInfinity; }

  Counts all, left;
  double n, n_left;

 private:
  void set_bound(Fraction q) {
    best_ = q;
    least_ = q.numerator / q.denominator * (1 - kRankMargin);
  }
  double score_of(const Counts& counts) {
    for (std::size_t c = 0; c < all.size(); ++c) right_[c] = all[c] - counts[c];
    return score_sides(criterion_, counts.data(), right_.data(), static_cast<int>(all.size()));
  }

  C criterion_;
  Counts best_left_, right_;
  Fraction best_;
  double least_ = -1;  // of candidates that are not clearly worse
  bool found_ = false;
};

// How D and the rows on the left change over each bin of two classes.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void bin_steps(const std::uint32_t* counts, std::size_t n, const double* step, double* d,
                                       double* size) {
  const std::uint32_t *c0 = counts, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
  const double s0 = step[0], s1 = step[1], s2 = step[2], s3 = step[3];
  for (std::size_t b = 0; b < n; ++b) {
    const double out0 = static_cast<std::int32_t>(c0[b]), in0 = static_cast<std::int32_t>(c1[b]);
    const double out1 = static_cast<std::int32_t>(c2[b]), in1 = static_cast<std::int32_t>(c3[b]);
    d[b] = (s0 * out0 + s1 * in0) + (s2 * out1 + s3 * in1);
    size[b] = (in0 + in1) - (out0 + out1);
  }
}

// q at the ends of bins; -1 where a side is empty.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void end_ratios(const double* d, const double* size, std::size_t n, double all, double* q) {
  for (std::size_t b = 0; b < n; ++b) {
    const double sizes = size[b] * (all - size[b]);
    q[b] = sizes > 0 ? d[b] * d[b] / sizes : -1.0;
  }
}

// By how much D^2 may exceed `least` times the sizes inside each bin of two classes. Each class's count on the left
// lies between what it has when all of its leaving rows have left and none has come, and the other way round. q is
// convex, so it is largest at a corner of that box.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void bin_excess(const std::uint32_t* counts, std::size_t n, const double* step, const double* d,
                                        const double* size, double all, double least, double* excess) {
  const std::uint32_t *c0 = counts, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
  const double s0 = step[0], s1 = step[1], s2 = step[2], s3 = step[3];
  const auto at = [=](double D, double left) { return D * D - least * (left * (all - left)); };
  for (std::size_t b = 0; b < n; ++b) {
    const double out0 = static_cast<std::int32_t>(c0[b]), in0 = static_cast<std::int32_t>(c1[b]);
    const double out1 = static_cast<std::int32_t>(c2[b]), in1 = static_cast<std::int32_t>(c3[b]);
    const double d_out = d[b] + s0 * out0, d_in = d[b] + s1 * in0, n_out = size[b] - out0, n_in = size[b] + in0;
    const double e0 = at(d_out + s2 * out1, n_out - out1), e1 = at(d_out + s3 * in1, n_out + in1);
    const double e2 = at(d_in + s2 * out1, n_in - out1), e3 = at(d_in + s3 * in1, n_in + in1);
    const double f0 = e0 > e1 ? e0 : e1, f1 = e2 > e3 ? e2 : e3;
    excess[b] = f0 > f1 ? f0 : f1;
  }
}

// Two classes: D follows the rows, for gini and twoing alike.
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
    const double size = counts[0] + counts[1];
    return rank_by_distance(this->n * counts[1] - this->all[1] * size, size, this->n);
  }
  void move(std::uint32_t code) {
    D += step[code & 3];
    this->n_left += (code & 1) ? 1.0 : -1.0;
  }
  bool improves() {
    const Fraction q = now();
    if (this->clearly_worse(q) || q.denominator <= 0) return false;
    this->left[1] = (D + this->all[1] * this->n_left) / this->n;
    this->left[0] = this->n_left - this->left[1];
    return this->keep(q);
  }

  // --- whole bins of rows

  Fraction now() const { return rank_by_distance(D, this->n_left, this->n); }

  // Finds the bins that may hold a winner, from the start of the line on; returns how many rows they have.
  std::size_t open(const Bins& bins, BinEnds& ends, std::vector<std::uint8_t>& flags) const {
    ends.resize(bins.n);
    double *d = ends.distance.data(), *size = ends.size.data(), *scratch = ends.scratch.data();
    bin_steps(bins.counts, bins.n, step, d, size);
    double at = D, left_at = this->n_left;
    for (std::size_t b = 0; b < bins.n; ++b) {
      at += std::exchange(d[b], at);
      left_at += std::exchange(size[b], left_at);
    }
    d[bins.n] = at, size[bins.n] = left_at;
    end_ratios(d, size, bins.n + 1, this->n, scratch);
    double highest = -1;
    for (std::size_t b = 0; b <= bins.n; ++b) highest = std::max(highest, scratch[b]);
    const double least = this->least_beside(highest);
    bin_excess(bins.counts, bins.n, step, d, size, this->n, least, scratch);
    std::size_t rows = 0;
    for (std::size_t b = 0; b < bins.n; ++b) {
      flags[b] = !(scratch[b] < 0);
      if (flags[b]) rows += bins.size(4, b);
    }
    return rows;
  }
  void skip(const Bins&, const BinEnds& ends, std::size_t from, std::size_t to) {
    D += ends.distance[to] - ends.distance[from];
    this->n_left += ends.size[to] - ends.size[from];
  }

  double step[4], D = 0;
};

// Gini of many classes: the sums of squares follow the rows.
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
    const double size = total(counts.data(), static_cast<int>(counts.size()));
    return rank_of<Gini>(all.data(), counts.data(), all.size(), size, n);
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
struct TwoingOfMany : Tally<Twoing, std::vector<double>> {
  static constexpr bool binned = true;
  using Tally::Tally;

  Fraction rate(const std::vector<double>& counts) const {
    const double size = total(counts.data(), static_cast<int>(counts.size()));
    return rank_of<Twoing>(all.data(), counts.data(), all.size(), size, n);
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

  std::size_t open(const Bins& bins, BinEnds& ends, std::vector<std::uint8_t>& flags) const {
    ends.resize(bins.n);
    TwoingOfMany scout = *this;  // finds the best of the ends
    for (std::size_t b = 0;; ++b) {
      ends.distance[b] = scout.distance(), ends.size[b] = scout.n_left;
      scout.improves();
      if (b == bins.n) break;
      scout.skip(bins, ends, b, b + 1);
    }
    std::size_t rows = 0;
    for (std::size_t b = 0; b < bins.n; ++b) {
      flags[b] = scout.may_win_inside(bins, b, ends);
      if (flags[b]) rows += bins.size(2 * all.size(), b);
    }
    return rows;
  }
  void skip(const Bins& bins, const BinEnds&, std::size_t from, std::size_t to) {
    for (std::size_t c = 0; c < all.size(); ++c) {
      double change = 0;
      for (std::size_t b = from; b < to; ++b)
        change += static_cast<double>(bins(2 * c + 1, b)) - static_cast<double>(bins(2 * c, b));
      left[c] += change;
      n_left += change;
    }
    patience = -1;
  }

 private:
  // A state inside a bin is some of its rows away from one end, and the others from the other.
  bool may_win_inside(const Bins& bins, std::size_t b, const BinEnds& ends) const {
    double leave = 0, come = 0;
    for (std::size_t c = 0; c < all.size(); ++c) leave += bins(2 * c, b), come += bins(2 * c + 1, b);
    const double highest = (ends.distance[b] + ends.distance[b + 1]) / 2 + n * (leave + come);
    const double low = ends.size[b] - leave, high = ends.size[b] + come;
    const double sizes = std::min(low * (n - low), high * (n - high));
    return low <= 0 || high >= n || !clearly_worse({highest * highest, sizes});
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

}  // namespace askew::line
