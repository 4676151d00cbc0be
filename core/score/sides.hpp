// The two sides of a cut that moves over the rows of a node, and their score: one class for criteria of counts, one for
// the absolute error. For every method that sweeps.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "score/criterion.hpp"
#include "score/score_bound.hpp"
#include "score/target.hpp"

namespace askew::score {

// Rounds scores of regression before they are compared, to 2^-36 of the score of the undivided node: below that lies
// the rounding of sums, which depends on the order of the rows and on whether a row counts twice or is there twice. Two
// features that divide the rows alike then have equal scores, and the first of them wins.
class ScoreGrid {
 public:
  ScoreGrid() = default;  // leaves scores as they are
  explicit ScoreGrid(double undivided) {
    constexpr int kBits = 36;
    if (undivided > 0 && std::isfinite(undivided)) large_ = std::ldexp(1.5, std::ilogb(undivided) + 52 - kBits);
    if (!std::isfinite(large_)) large_ = 0;
  }
  double round(double score) const {
    return (score + large_) - large_;
  }  // what is below the last bit of the sum is lost

 private:
  double large_ = 0;
};

// The counts on both sides of a moving cut, for criteria that are functions of counts.
template <class C>
class CountSides {
 public:
  static constexpr bool batched = std::is_same_v<C, Batch>;

  CountSides(const C& criterion, const Target& target, const std::uint32_t* rows, std::size_t n)
      : criterion_(criterion), target_(target), rows_(n), total_(static_cast<std::size_t>(target.k), 0.0) {
    // The user's own criterion gets the moments as they are.
    if constexpr (std::is_same_v<C, SquaredError>) centre_ = centre_of(target, rows, n);
    for (std::size_t i = 0; i < n; ++i) target_.add(total_.data(), rows[i], 1, centre_);
    if constexpr (std::is_same_v<C, SquaredError>) grid_ = ScoreGrid(total_[2] / total_[0]);
    all_right();
  }

  void all_right() {
    left_.assign(total_.size(), 0.0);
    right_ = total_;
  }
  void all_left() {
    left_ = total_;
    right_.assign(total_.size(), 0.0);
  }
  void to_left(std::uint32_t row) { move(row, 1); }
  void to_right(std::uint32_t row) { move(row, -1); }
  double score() const { return score_sides(criterion_, left_.data(), right_.data(), target_.k); }
  double sweep_score() const {  // of the cuts of a sweep
    if constexpr (std::is_same_v<C, SquaredError>) return grid_.round(score());
    else return score();
  }
  Filter<C> filter() {
    if constexpr (std::is_same_v<C, Gini> || std::is_same_v<C, Twoing>) return {target_, total_, scratch_};
    else if constexpr (std::is_same_v<C, Entropy>) return {target_, total_, logs_, tally_};
    else if constexpr (std::is_same_v<C, SquaredError>) return {target_, total_, centre_, rows_};
    else return {};
  }

  // The weighted impurity of both sides, in the units that the tree records.
  double impurity() const {
    double sum = 0, weight = 0;
    for (const auto* side : {&left_, &right_}) {
      const double n = target_.classification() ? total(side->data(), target_.k) : (*side)[0];
      if (n <= 0) continue;
      sum += n * node_impurity(criterion_, side->data(), target_.k, target_.classification());
      weight += n;
    }
    return sum / weight;
  }

  void set_right(const std::vector<std::uint32_t>& counts) {  // whole counts, without weights
    for (std::size_t c = 0; c < total_.size(); ++c) right_[c] = counts[c], left_[c] = total_[c] - right_[c];
  }

  const C& criterion() const { return criterion_; }
  const std::vector<double>& all() const { return total_; }
  const std::vector<double>& left() const { return left_; }
  const std::vector<double>& right() const { return right_; }

 private:
  void move(std::uint32_t row, double sign) {
    target_.add(left_.data(), row, sign, centre_);
    target_.add(right_.data(), row, -sign, centre_);
  }

  C criterion_;
  Target target_;
  std::size_t rows_;
  double centre_ = 0;
  ScoreGrid grid_;
  std::vector<double> total_, left_, right_, scratch_, logs_;  // the last two of the filter
  std::vector<std::size_t> tally_;                             // and this
};

// Absolute error needs the median of each side: a Fenwick tree over the ranks of y on either side.
class MedianSides {
 public:
  static constexpr bool batched = false;

  MedianSides(const AbsoluteError&, const Target& target, const std::uint32_t* rows, std::size_t n) : target_(target) {
    std::vector<std::uint32_t> order(rows, rows + n);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return target.y[a] < target.y[b]; });
    for (std::size_t i = 0; i < n; ++i)
      if (i == 0 || target.y[order[i]] > values_.back()) values_.push_back(target.y[order[i]]);
    sides_[0].assign(values_.size());
    sides_[1].assign(values_.size());
    for (const auto row : order) add(1, row, 1);
    everything_ = sides_[1];
    grid_ = ScoreGrid(score());
  }

  void all_right() {
    sides_[0].assign(values_.size());
    sides_[1] = everything_;
  }
  void all_left() {
    all_right();
    std::swap(sides_[0], sides_[1]);
  }
  void to_left(std::uint32_t row) { add(1, row, -1), add(0, row, 1); }
  void to_right(std::uint32_t row) { add(0, row, -1), add(1, row, 1); }
  double score() const {
    const double weight = sides_[0].weight + sides_[1].weight;
    return (deviation(sides_[0]) + deviation(sides_[1])) / weight;
  }
  double sweep_score() const { return grid_.round(score()); }
  double impurity() const { return score(); }
  Filter<AbsoluteError> filter() { return {}; }
  double median() const { return values_[middle(sides_[1]).rank - 1]; }  // of all rows, before any move

 private:
  struct Sums {
    double weight = 0, sum = 0;
  };
  struct Side {
    double weight = 0, sum = 0;
    std::vector<Sums> fenwick;
    void assign(std::size_t n) {
      weight = sum = 0;
      fenwick.assign(n + 1, {});
    }
  };
  struct Middle {
    std::size_t rank;
    Sums below;
  };

  std::size_t rank(std::uint32_t row) const {  // from 1, as a Fenwick tree counts
    return static_cast<std::size_t>(std::lower_bound(values_.begin(), values_.end(), target_.y[row]) -
                                    values_.begin()) +
           1;
  }
  void add(int side, std::uint32_t row, double sign) {
    const double w = sign * target_.weight_of(row), wy = w * target_.y[row];
    Side& s = sides_[side];
    s.weight += w;
    s.sum += wy;
    for (std::size_t i = rank(row); i < s.fenwick.size(); i += i & (~i + 1)) {
      s.fenwick[i].weight += w;
      s.fenwick[i].sum += wy;
    }
  }
  // The lowest rank at which half of the weight is reached, and the sums strictly below it.
  Middle middle(const Side& s) const {
    const double half = s.weight / 2;
    std::size_t position = 0;
    Sums below;
    for (std::size_t step = std::bit_floor(s.fenwick.size() - 1); step > 0; step /= 2)
      if (position + step < s.fenwick.size() && below.weight + s.fenwick[position + step].weight < half) {
        position += step;
        below.weight += s.fenwick[position].weight;
        below.sum += s.fenwick[position].sum;
      }
    return {std::min(position + 1, values_.size()), below};
  }
  double deviation(const Side& s) const {
    if (s.weight <= 0) return 0;
    const Middle m = middle(s);
    const double median = values_[m.rank - 1];
    return std::max(
        0.0, median * m.below.weight - m.below.sum + (s.sum - m.below.sum) - median * (s.weight - m.below.weight));
  }

  Target target_;
  std::vector<double> values_;
  ScoreGrid grid_;
  Side everything_, sides_[2];
};

// Calls f(type tag) with the Sides class that serves this criterion on this target.
template <class S>
struct SidesType {
  using type = S;
};
template <class F>
decltype(auto) with_sides(const Criterion& criterion, const Target& target, F&& f) {
  return with_criterion(criterion, [&]<class C>(const C& c) -> decltype(auto) {
    if constexpr (std::is_same_v<C, AbsoluteError>) {
      if (target.classification()) throw std::invalid_argument("absolute_error is for regression");
      return f(SidesType<MedianSides>{}, c);
    } else {
      if (std::is_same_v<C, SquaredError> && target.classification())
        throw std::invalid_argument("squared_error is for regression");
      return f(SidesType<CountSides<C>>{}, c);
    }
  });
}

}  // namespace askew::score
