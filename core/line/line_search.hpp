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

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "line/crossings.hpp"
#include "line/cut_tally.hpp"
#include "line/few_rows.hpp"
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
        crossings_(n, tallied_ ? target.label : nullptr, target.k, bin_bits(n, target.k)) {
    if (leaf_.min_weight <= 0) leaf_.min_weight = -kInfinity;  // sums of weights may be below 0 by rounding
    leaf_.n_samples = leaf_.weight = 0;
    if constexpr (Tallies<Sides>::exist)
      if (tallied_) few_ = AnyFewRows(n, target.label, sides_.all(), std::is_same_v<Sides, CountSides<Twoing>>);
    for (std::uint32_t j = 0; j < n; ++j) leaf_.n_samples += target.samples_of(j), leaf_.weight += target.weight_of(j);
  }

  // V and s are below kLargest in size, and a move is shorter than kFarthest: nothing overflows on the way. If the
  // best move is one beyond that, there is none.
  static constexpr double kLargest = 1e150, kFarthest = 1e100;

  // The best of all candidates; of equals the lowest t. Only those that score at least as well as `incumbent` are
  // looked for, if it is given.
  LineCut best(const double* V, const double* s, const Incumbent& incumbent = {}) {
    if constexpr (Tallies<Sides>::exist)
      if (few_) return checked(few_.best(V, s, incumbent, [&](const double* left) { return score_of(left); }));
    crossings_.read(V, s);
    if constexpr (Tallies<Sides>::exist) {
      const auto with = [&](auto tally) {
        if (incumbent.left) tally.stand(*incumbent.left, tally.rate(*incumbent.left));
        return count(tally);
      };
      if (tallied_ && target_.k == 2) return with(typename Tallies<Sides>::Two(sides_.criterion(), sides_.all()));
      if (tallied_) return with(typename Tallies<Sides>::Many(sides_.criterion(), sides_.all()));
    }
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
  static constexpr std::size_t kManyRows = 65536;

  // Where bins pay was measured (OC1 at roots of 500 to 3,000 rows): what they cost grows with the classes.
  static bool binned(std::size_t n, int k) {
    return k == 2 ? n >= 64 : n >= 50 * static_cast<std::size_t>(k) && k <= Crossings::kPackedLabels;
  }
  static int bin_bits(std::size_t n, int k) {
    if (!binned(n, k)) return 1;
    const std::size_t rows_in_bin = k <= 4 ? 16 : 32;
    return std::clamp(static_cast<int>(std::bit_width(n / rows_in_bin)), 4, 11);
  }

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

  // --- by whole counts

  template <class T>
  LineCut count(T& tally) {
    on_the_right_.assign(static_cast<std::size_t>(target_.k), 0);
    if constexpr (T::binned)
      if (binned(n_, target_.k)) return count_bins(tally);
    for (std::size_t j = 0; j < n_; ++j)
      on_the_right_[static_cast<std::size_t>(target_.label[j])] += crossings_.starts_above(j);
    tally.begin(on_the_right_);
    crossings_.sort_all();
    return walk(tally);
  }

  // Counts rows into bins of the line first. At the ends of a bin the counts are exact; inside, they are bounded:
  // only bins that may hold a winner are sorted.
  template <class T>
  LineCut count_bins(T& tally) {
    const Slots& slots = crossings_.slots();
    crossings_.count(counts_);
    const Bins bins{counts_.data(), slots.n_bins()};
    for (std::uint32_t code = 1; code < slots.n_codes; code += 2) {
      std::uint32_t above = counts_[slots.still() + code];
      for (std::size_t b = 0; b < bins.n; ++b) above += bins(code, b);
      on_the_right_[code >> 1] = above;
    }
    tally.begin(on_the_right_);
    open_.resize(bins.n);
    const std::size_t n_open = tally.open(bins, ends_, open_);
    if (n_ <= kManyRows && n_open > n_ / 2) {
      crossings_.sort_all();
      return walk(tally);
    }
    return walk_bins(tally, bins);
  }

  struct Interval {
    std::size_t after = kNone, before = kNone;  // entries; none: the line goes on without end
    std::size_t bin = 0;                        // where one is unsorted: the interval leads into this bin
    bool found = false;
  };
  static constexpr std::size_t kUnsorted = kNone - 1;

  // The candidates among sorted entries, from the first to the last interval.
  template <class T>
  LineCut walk(T& tally) {
    Interval best;
    if (tally.improves()) best = {kNone, crossings_.size() == 0 ? kNone : 0, 0, true};
    walk_to(tally, 0, crossings_.size(), best);
    return place(tally, best);
  }

  // The candidates in open bins. Of many rows some bins are sorted at a time: so much memory is not needed for all.
  template <class T>
  LineCut walk_bins(T& tally, const Bins& bins) {
    const std::size_t most = n_ <= kManyRows ? n_ : n_ / 8;
    double t = 0;
    std::size_t at = 0;  // the bin that the tally stands before
    for (std::size_t b = 0, end; b < bins.n; b = end) {
      std::size_t rows = 0;
      for (end = b; end < bins.n; ++end) {
        if (!open_[end]) continue;
        const std::size_t more = bins.size(crossings_.slots().n_codes, end);
        if (rows > 0 && rows + more > most) break;
        rows += more;
      }
      crossings_.sort_open(open_, b, end, rows);
      Interval best;
      walk_group(tally, bins, b, end, at, best);
      if (best.found) t = between(best);
    }
    const double score = tally.score();
    return score < kInfinity ? checked({t, score}) : LineCut{};
  }

  template <class T>
  void walk_group(T& tally, const Bins& bins, std::size_t first, std::size_t last, std::size_t& at, Interval& best) {
    const int shift = crossings_.slots().shift();
    std::size_t i = 0;
    for (std::size_t b = first; b < last; ++b) {
      if (!open_[b]) continue;
      tally.skip(bins, ends_, at, b);
      std::size_t end = i;
      while (end < crossings_.size() && (crossings_.entry_key(end) >> shift) == b) ++end;
      // The interval that leads into the bin; what lies before it need not have been sorted.
      if (tally.improves()) best = {kUnsorted, end > i ? i : kUnsorted, b, true};
      walk_to(tally, i, end, best);
      if (best.found && best.before == end) best.before = kUnsorted, best.bin = b + 1;
      i = end, at = b + 1;
    }
  }

  // Crosses entries [i, end) group by group.
  template <class T>
  void walk_to(T& tally, std::size_t i, std::size_t end, Interval& best) {
    while (i < end) {
      if (i + 1 < end && crossings_.entry_key(i + 1) == crossings_.entry_key(i)) {
        const std::size_t run = crossings_.order_run(i, end);
        while (i < run) {  // one group of equal crossings or, rarely, several
          const double t = crossings_.entry_at(i);
          do tally.move(crossings_.code(i++));
          while (i < run && crossings_.entry_at(i) == t);
          if (tally.improves()) best = {i - 1, i, 0, true};
        }
      } else {
        tally.move(crossings_.code(i++));
        if (tally.improves()) best = {i - 1, i, 0, true};
      }
    }
  }

  template <class T>
  LineCut place(T& tally, Interval best) {
    const double score = tally.score();
    if (!(score < kInfinity)) return {};
    return checked({between(best), score});
  }

  double between(Interval interval) {
    double low = -kInfinity, high = kInfinity;
    if (interval.after < kUnsorted) low = crossings_.entry_at(interval.after);
    if (interval.before < crossings_.size()) high = crossings_.entry_at(interval.before);
    if (interval.after == kUnsorted || interval.before == kUnsorted) {  // what was not sorted is looked up
      const Slots& slots = crossings_.slots();
      const Bins bins{counts_.data(), slots.n_bins()};
      const auto empty = [&](std::size_t b) { return bins.size(slots.n_codes, b) == 0; };
      std::size_t below = interval.bin, above = interval.bin;
      if (interval.after == kUnsorted) {
        while (below > 0 && empty(below - 1)) --below;
        if (below > 0) low = crossings_.ends_of(static_cast<std::uint32_t>(below - 1)).high;
      }
      if (interval.before == kUnsorted) {
        while (above < bins.n && empty(above)) ++above;
        if (above < bins.n) high = crossings_.ends_of(static_cast<std::uint32_t>(above)).low;
      }
    }
    return move_between(low, high);
  }

  static LineCut checked(LineCut move) { return std::abs(move.t) < kFarthest ? move : LineCut{}; }

  // --- by scoring every candidate: for criteria and weights that no tally serves

  LineCut score_every() {
    crossings_.sort_all();
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
    consider({kNone, crossings_.size() == 0 ? kNone : 0, 0, true});
    for (std::size_t i = 0, run = 0; i < crossings_.size();) {
      if (i >= run) run = crossings_.order_run(i, crossings_.size());
      const double t = crossings_.entry_at(i);
      do {
        move(crossings_.row(i), crossings_.code(i) & 1);
        ++i;
      } while (i < run && crossings_.entry_at(i) == t);
      consider({i - 1, i, 0, true});
    }
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
  AnyFewRows few_;
  std::vector<double> rest_;                          // of the counts that are scored
  std::vector<std::uint32_t> on_the_right_, counts_;  // by class; by slot
  BinEnds ends_;
  std::vector<std::uint8_t> open_;  // bins that may hold a winner
};

}  // namespace askew::line
