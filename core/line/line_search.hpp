// The one-dimensional problem of OC1 and CART-LC: move a hyperplane along a line, and cut best.
//
// Row j lies at V_j(t) = V_j + t s_j. It is above the plane (V > 0) for t > t_j = -V_j / s_j if s_j > 0, for
// t < t_j if s_j < 0, and stays where it is if s_j = 0. Going from t = -inf to +inf, each row changes its side
// once, at t_j; rows with equal t_j move together:
//
//   t          t_3        t_0  = t_5        t_1
//   ------------|-------------|--------------|------------>
//    candidate     candidate      candidate     candidate      one in each open interval
//
// Left is below the plane (V <= 0), as the tree's test has it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "line/binned_search.hpp"
#include "line/crossings.hpp"
#include "line/cut_tally.hpp"
#include "numeric/simd.hpp"
#include "score/node_data.hpp"
#include "score/sweep.hpp"

namespace askew::line {

using namespace numeric;
using namespace score;

// How many rows with this label are above the plane.
ASKEW_WIDE_VECTORS
static std::size_t count_above(const double* V, const std::int32_t* label, std::size_t n, std::int32_t wanted) {
  std::int64_t count = 0;
  for (std::size_t j = 0; j < n; ++j)
    count += static_cast<std::int64_t>(V[j] > 0) & static_cast<std::int64_t>(label[j] == wanted);
  return static_cast<std::size_t>(count);
}

template <class Sides>
class LineSearch {
 public:
  // Of `leaf` only what each side must have is read; what the node has is counted here.
  LineSearch(const Sides& sides, const Target& target, std::size_t n, LeafLimits leaf)
      : sides_(sides), target_(target), n_(n), leaf_(leaf), tallied_(serves(target, leaf)),
        crossings_(n, tallied_ ? target.label : nullptr, target.k) {
    if (leaf_.min_weight <= 0) leaf_.min_weight = -kInfinity;  // sums of weights may be below 0 by rounding
    leaf_.n_samples = leaf_.weight = 0;
    if constexpr (Tallies<Sides>::exist)
      if (tallied_) counted_ = counted_search(n, target.label, sides_.all(), std::is_same_v<Sides, CountSides<Twoing>>);
    for (std::uint32_t j = 0; j < n; ++j) leaf_.n_samples += target.samples_of(j), leaf_.weight += target.weight_of(j);
  }

  // V and s are below kLargest in size, and a move is shorter than kFarthest: nothing overflows on the way. If the
  // best move is one beyond that, there is none.
  static constexpr double kLargest = 1e150, kFarthest = 1e100;

  // The best of all candidates; of equals the lowest t. Only those that score at least as well as `incumbent` are
  // looked for, if it is given.
  LineCut best(const double* V, const double* s, const Incumbent& incumbent = {}) {
    if constexpr (Tallies<Sides>::exist) {
      if (counted_)
        return checked(counted_->best(V, s, incumbent, [this](const double* left) { return score_of(left); }));
    }
    crossings_.sort(V, s);
    if constexpr (Tallies<Sides>::exist)
      if (tallied_) return count(incumbent);
    return score_every();
  }

  // The score of the plane itself, from the sides that rows are on; infinite if one is smaller than a leaf may be.
  double score(const double* V) {
    divide(V);
    return leaf_.matter() && !allows(V) ? kInfinity : sides_.score();
  }

  // The same of the plane moved along s by t; `to` gets its values.
  double score_moved(const double* V, double t, const double* s, double* to) {
    if constexpr (Tallies<Sides>::exist)
      if (tallied_ && target_.k == 2) {
        const Above above = add_and_count(V, t, s, target_.label, n_, to);
        on_the_right_.assign(
            {static_cast<std::uint32_t>(above.all - above.ones), static_cast<std::uint32_t>(above.ones)});
        sides_.set_right(on_the_right_);
        return sides_.score();
      }
    add_multiple(V, t, s, n_, to);
    return score(to);
  }

  // The weighted impurity of both sides, in the units that the tree records.
  double impurity(const double* V) {
    divide(V);
    return sides_.impurity();
  }

  // The counts on the left of the plane that was scored last; null if this search has no use for them.
  const std::vector<double>* left() const {
    if constexpr (Tallies<Sides>::exist) return tallied_ ? &sides_.left() : nullptr;
    return nullptr;
  }

 private:
  // The score of a split with these counts on the left.
  double score_of(const double* left) {
    rest_ = sides_.all();
    for (std::size_t c = 0; c < rest_.size(); ++c) rest_[c] -= left[c];
    return score_sides(sides_.criterion(), left, rest_.data(), target_.k);
  }

  // Whether whole counts are all there is to follow.
  static bool serves(const Target& target, const LeafLimits& leaf) {
    return Tallies<Sides>::exist && target.classification() && !target.weight && !leaf.matter();
  }

  // Entries that an interval without crossings lies between; none: the line goes on without end.
  struct Interval {
    std::size_t after = kNone, before = kNone;
  };

  // Crosses all entries, those of equal crossings together: move(i) for each, consider(interval) for each candidate.
  template <class Move, class Consider>
  void walk(Move move, Consider consider) {
    const std::size_t end = crossings_.size();
    consider(Interval{kNone, 0});
    for (std::size_t i = 0; i < end;) {
      if (i + 1 < end && crossings_.key(i + 1) == crossings_.key(i)) {
        const std::size_t run = crossings_.order_run(i);
        while (i < run) {  // one group of equal crossings or, rarely, several
          const double t = crossings_.entry_at(i);
          do move(i++);
          while (i < run && crossings_.entry_at(i) == t);
          consider(Interval{i - 1, i});
        }
      } else {
        move(i++);
        consider(Interval{i - 1, i});
      }
    }
  }

  double between(Interval interval) const {
    const double low = interval.after == kNone ? -kInfinity : crossings_.entry_at(interval.after);
    return move_between(low, interval.before < crossings_.size() ? crossings_.entry_at(interval.before) : kInfinity);
  }

  static LineCut checked(LineCut move) { return std::abs(move.t) < kFarthest ? move : LineCut{}; }

  // --- by whole counts

  LineCut count(const Incumbent& incumbent) {
    typename Tallies<Sides>::Many tally(sides_.criterion(), sides_.all());
    if (incumbent.left) tally.set_bound(*incumbent.left);
    on_the_right_.assign(static_cast<std::size_t>(target_.k), 0);
    for (std::size_t j = 0; j < n_; ++j)
      on_the_right_[static_cast<std::size_t>(target_.label[j])] += crossings_.starts_above(j);
    tally.begin(on_the_right_);
    Interval best;
    walk([&](std::size_t i) { tally.move(crossings_.code(i)); },
         [&](Interval interval) {
           if (tally.improves()) best = interval;
         });
    const double score = tally.score();
    return score < kInfinity ? checked({between(best), score}) : LineCut{};
  }

  // --- by scoring every candidate: for criteria and weights that no tally serves

  LineCut score_every() {
    sides_.all_left();
    double samples = leaf_.n_samples, weight = leaf_.weight;  // on the left
    const auto move = [&](std::uint32_t row, bool to_left) {
      if (to_left) sides_.to_left(row);
      else sides_.to_right(row);
      const double sign = to_left ? 1.0 : -1.0;
      samples += sign * target_.samples_of(row), weight += sign * target_.weight_of(row);
    };
    for (std::uint32_t j = 0; j < n_; ++j)
      if (crossings_.starts_above(j)) move(j, false);
    Interval best;
    double lowest = kInfinity;
    [[maybe_unused]] WaitingCuts waiting;
    std::vector<Interval> intervals;
    const auto consider = [&](Interval interval) {
      if (!leaf_.allow(samples, weight)) return;
      if constexpr (Sides::batched) {
        waiting.add(sides_.left().data(), sides_.right().data(), target_.k);
        intervals.push_back(interval);
      } else {
        if (const double score = sides_.score(); score < lowest) lowest = score, best = interval;
      }
    };
    walk([&](std::size_t i) { move(crossings_.row(i), crossings_.code(i) & 1); }, consider);
    if constexpr (Sides::batched) {
      const std::vector<double> scores = waiting.scores(sides_.criterion(), target_.k);
      for (std::size_t i = 0; i < scores.size(); ++i)
        if (scores[i] < lowest) lowest = scores[i], best = intervals[i];
    }
    return lowest < kInfinity ? checked({between(best), lowest}) : LineCut{};
  }

  // --- the plane itself

  void divide(const double* V) {
    if constexpr (Tallies<Sides>::exist) {
      if (tallied_) {
        count_on_the_right(V);
        sides_.set_right(on_the_right_);
        return;
      }
    }
    sides_.all_left();
    for (std::size_t j = 0; j < n_; ++j)
      if (V[j] > 0) sides_.to_right(static_cast<std::uint32_t>(j));
  }

  void count_on_the_right(const double* V) {
    on_the_right_.assign(static_cast<std::size_t>(target_.k), 0);
    if (target_.k <= 4) {  // a look at all rows for each class is quicker than a look at the class of each row
      for (std::size_t c = 0; c < on_the_right_.size(); ++c)
        on_the_right_[c] = static_cast<std::uint32_t>(count_above(V, target_.label, n_, static_cast<std::int32_t>(c)));
    } else {
      for (std::size_t j = 0; j < n_; ++j) on_the_right_[static_cast<std::size_t>(target_.label[j])] += V[j] > 0;
    }
  }

  bool allows(const double* V) const {
    double samples = 0, weight = 0;  // on the left
    for (std::uint32_t j = 0; j < n_; ++j)
      if (!(V[j] > 0)) samples += target_.samples_of(j), weight += target_.weight_of(j);
    return leaf_.allow(samples, weight);
  }

  Sides sides_;
  Target target_;
  std::size_t n_;
  LeafLimits leaf_;
  bool tallied_;
  Crossings crossings_;
  std::unique_ptr<CountedSearch> counted_;
  std::vector<double> rest_;                 // of the counts that are scored
  std::vector<std::uint32_t> on_the_right_;  // by class
};

}  // namespace askew::line
