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
#include <vector>

#include "simd.hpp"
#include "sort.hpp"
#include "sweep.hpp"
#include "tally.hpp"

namespace askew {

// Keys that rise with t, equal for equal t: x / (width + |x|) in 32 bits, x = t - middle rounded to a float. With the
// width a power of two and |x| below 2^28 of it the sum is exact, so that rounding keeps the order.
ASKEW_WIDE_VECTORS
static void spread_keys(const double* V, const double* s, std::size_t n, double middle, double width,
                        std::uint32_t* keys) {
  const double most = 0x1p28 * width;
  for (std::size_t j = 0; j < n; ++j) {
    const double x = static_cast<double>(static_cast<float>(-V[j] / s[j] - middle));
    const double near = x >= -most ? (x <= most ? x : most) : -most;
    const auto key = static_cast<std::int32_t>(near / (width + std::abs(near)) * 2147483520.0);
    keys[j] = static_cast<std::uint32_t>(key) ^ 0x80000000u;
  }
}

struct Move {
  double t = 0;
  double score = kInfinity;  // infinite: there is no candidate
};

template <class Sides>
class LineSearch {
 public:
  LineSearch(const Sides& sides, const Target& target, std::size_t n, double min_samples_leaf)
      : sides_(sides), target_(target), n_(n), min_samples_leaf_(min_samples_leaf), keys_(n), notes_(n) {
    if (n >= kMaxRows) throw std::length_error("a node of an oblique search holds at most 16,777,215 rows");
    for (std::size_t j = 0; j < n; ++j) n_samples_ += target.samples_of(static_cast<std::uint32_t>(j));
    tallied_ = Tallies<Sides>::exist && target.classification() && !target.weight && min_samples_leaf <= 1 &&
               target.k <= kMaxClasses;
    for (std::size_t j = 0; j < n; ++j)
      notes_[j] = static_cast<std::uint32_t>(j << kRowShift) | (tallied_ ? static_cast<std::uint32_t>(target.label[j]) << 1 : 0);
  }

  // V and s are below kLargest in size, and a move is shorter than kFarthest: nothing overflows on the way. If the
  // best move is one beyond that, there is none.
  static constexpr double kLargest = 1e150, kFarthest = 1e100;

  // The best of all candidates; of equals the lowest t. Only those that score at least as well as the counts of
  // `standing` (on the left of a plane, by class) are looked for, if it is given.
  Move best(const double* V, const double* s, const std::vector<double>* standing = nullptr) {
    V_ = V, s_ = s;
    if constexpr (Tallies<Sides>::exist) {
      const auto with = [&](auto tally) {
        if (standing) tally.stand(*standing, tally.rate(*standing));
        return count(tally);
      };
      if (tallied_ && target_.k == 2) return with(typename Tallies<Sides>::Two(sides_.criterion(), sides_.all()));
      if (tallied_) return with(typename Tallies<Sides>::Many(sides_.criterion(), sides_.all()));
    }
    return score_every();
  }

  // The score of the plane itself, from the sides that rows are on.
  double score(const double* V) {
    divide(V);
    return sides_.score();
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
  // An entry is a key, by which it is sorted, and a note: row (24 bits) | code of the tally (8 bits).
  static constexpr int kRowShift = 8, kMaxClasses = 128;
  static constexpr std::uint32_t kCode = 0xff;
  static constexpr std::size_t kRowsInBin = 32;
  static constexpr std::size_t kMaxRows = std::size_t{1} << 24;
  static std::size_t row_of(Keyed e) { return item_of(e) >> kRowShift; }
  double crossing(std::size_t row) const { return -V_[row] / s_[row]; }
  double entry_crossing(Keyed e) const { return crossing(row_of(e)); }

  // --- by whole counts

  template <class T>
  Move count(T& tally) {
    read();
    on_the_right_.assign(static_cast<std::size_t>(target_.k), 0);
    if constexpr (T::binned)
      if (n_ >= (target_.k == 2 ? 64u : 20000u)) return count_bins(tally);
    for (std::size_t j = 0; j < n_; ++j)
      on_the_right_[static_cast<std::size_t>(target_.label[j])] += s_[j] != 0 ? s_[j] < 0 : V_[j] > 0;
    tally.begin(on_the_right_);
    gather([](std::uint32_t) { return true; });
    return walk(tally);
  }

  // Counts rows into bins of the line first. At the ends of a bin the counts are exact; inside, they are bounded:
  // only bins that may hold a winner are sorted.
  template <class T>
  Move count_bins(T& tally) {
    const int bits = std::clamp(static_cast<int>(std::bit_width(n_ / kRowsInBin)), 4, 11), shift = 32 - bits;
    const std::size_t n_bins = std::size_t{1} << bits, codes = 2 * static_cast<std::size_t>(target_.k);
    bins_.assign(n_bins * codes, 0);
    for (std::size_t j = 0; j < n_; ++j) {
      if (s_[j] != 0) [[likely]] ++bins_[(keys_[j] >> shift) * codes + code_of(j)];
      else on_the_right_[static_cast<std::size_t>(target_.label[j])] += V_[j] > 0;
    }
    for (std::size_t b = 0; b < n_bins; ++b)
      for (std::size_t c = 0; c < on_the_right_.size(); ++c) on_the_right_[c] += bins_[b * codes + 2 * c + 1];
    tally.begin(on_the_right_);
    distance_.resize(n_bins + 1), size_.resize(n_bins + 1), open_.assign(n_bins, 0);
    T scout = tally;  // finds the best of the ends
    for (std::size_t b = 0; b < n_bins; ++b) {
      distance_[b] = scout.distance(), size_[b] = scout.n_left;
      scout.wins();
      scout.move_all(&bins_[b * codes]);
    }
    distance_[n_bins] = scout.distance();
    scout.wins();
    std::size_t n_open = 0;
    for (std::size_t b = 0; b < n_bins; ++b) {
      const std::uint32_t* bin = &bins_[b * codes];
      open_[b] = scout.may_win_inside(bin, distance_[b], size_[b], distance_[b + 1]);
      if (open_[b])
        for (std::size_t c = 0; c < codes; ++c) n_open += bin[c];
    }
    if (n_open > n_ / 2) {
      gather([](std::uint32_t) { return true; });
      return walk(tally);
    }
    gather([&](std::uint32_t key) { return open_[key >> shift]; });
    return walk_bins(tally, shift, codes);
  }

  // The candidates among sorted entries, from the first to the last interval.
  template <class T>
  Move walk(T& tally) {
    Interval best;
    if (tally.wins()) best = {kNone, entries_.empty() ? kNone : 0};
    walk_to(tally, 0, entries_.size(), best);
    return place(tally, best);
  }

  template <class T>
  Move walk_bins(T& tally, int shift, std::size_t codes) {
    Interval best;
    std::size_t i = 0;
    for (std::size_t b = 0; b < open_.size(); ++b) {
      if (!open_[b]) {
        tally.move_all(&bins_[b * codes]);
        continue;
      }
      std::size_t end = i;
      while (end < entries_.size() && (key_of(entries_[end]) >> shift) == b) ++end;
      // The interval that leads into the bin; what lies before it need not have been sorted.
      if (tally.wins()) best = {kUnsorted, end > i ? i : kUnsorted, static_cast<std::uint32_t>(b) << shift};
      walk_to(tally, i, end, best);
      if (best.before == end && best.before != kNone) best.before = kUnsorted;
      i = end;
    }
    return place(tally, best);
  }

  // Crosses entries [i, end) group by group.
  struct Interval {
    std::size_t after = kNone, before = kNone;  // entries; none: the line goes on without end
    std::uint32_t key = 0;                      // where one is unsorted: the least key behind the interval
  };
  static constexpr std::size_t kUnsorted = kNone - 1;

  template <class T>
  void walk_to(T& tally, std::size_t i, std::size_t end, Interval& best) {
    while (i < end) {
      if (i + 1 < end && key_of(entries_[i + 1]) == key_of(entries_[i])) {
        const std::size_t run = order_run(i, end);
        while (i < run) {  // one group of equal crossings or, rarely, several
          const double t = entry_crossing(entries_[i]);
          do tally.move(item_of(entries_[i++]) & kCode);
          while (i < run && entry_crossing(entries_[i]) == t);
          if (tally.wins()) best = {i - 1, i};
        }
      } else {
        tally.move(item_of(entries_[i++]) & kCode);
        if (tally.wins()) best = {i - 1, i};
      }
    }
  }

  template <class T>
  Move place(T& tally, Interval best) const {
    const double score = tally.score();
    if (!(score < kInfinity)) return {};
    return checked({between(best), score});
  }

  double between(Interval interval) const {
    double low = -kInfinity, high = kInfinity;
    if (interval.after < kUnsorted) low = entry_crossing(entries_[interval.after]);
    if (interval.before < entries_.size()) high = entry_crossing(entries_[interval.before]);
    // What was not sorted is looked up: the nearest crossings on either side.
    const bool look_low = interval.after == kUnsorted, look_high = interval.before == kUnsorted;
    if (look_low || look_high)
      for (std::size_t j = 0; j < n_; ++j) {
        if (s_[j] == 0) continue;
        const double t = crossing(j);
        const bool behind = look_low ? keys_[j] >= interval.key : t > low;
        if (look_high && behind) high = std::min(high, t);
        if (look_low && !behind) low = std::max(low, t);
      }
    if (low == -kInfinity && high == kInfinity) return 0;
    const auto step = [](double t) { return std::max(1.0, std::abs(t) * 0x1.0p-40); };  // 1, unless that is lost
    if (low == -kInfinity) return high - step(high);
    if (high == kInfinity) return low + step(low);
    return midpoint(low, high);
  }

  static Move checked(Move move) { return std::abs(move.t) < kFarthest ? move : Move{}; }

  // --- by scoring every candidate: for criteria and weights that no tally serves

  Move score_every() {
    read();
    gather([](std::uint32_t) { return true; });
    sides_.all_left();
    double samples = n_samples_;
    const auto move = [&](std::uint32_t row, bool to_left) {
      if (to_left) sides_.to_left(row);
      else sides_.to_right(row);
      samples += to_left ? target_.samples_of(row) : -target_.samples_of(row);
    };
    for (std::size_t j = 0; j < n_; ++j)
      if (s_[j] != 0 ? s_[j] < 0 : V_[j] > 0) move(static_cast<std::uint32_t>(j), false);
    Interval best;
    double lowest = kInfinity;
    std::vector<double> lefts, rights;
    std::vector<Interval> intervals;
    const auto consider = [&](Interval interval) {
      if (samples < min_samples_leaf_ || n_samples_ - samples < min_samples_leaf_) return;
      if constexpr (Sides::batched) {
        lefts.insert(lefts.end(), sides_.left().begin(), sides_.left().end());
        rights.insert(rights.end(), sides_.right().begin(), sides_.right().end());
        intervals.push_back(interval);
      } else {
        if (const double score = sides_.score(); score < lowest) lowest = score, best = interval;
      }
    };
    consider({kNone, entries_.empty() ? kNone : 0});
    for (std::size_t i = 0, run = 0; i < entries_.size();) {
      if (i >= run) run = order_run(i, entries_.size());
      const double t = entry_crossing(entries_[i]);
      do {
        move(static_cast<std::uint32_t>(row_of(entries_[i])), item_of(entries_[i]) & 1);
        ++i;
      } while (i < run && entry_crossing(entries_[i]) == t);
      consider({i - 1, i});
    }
    if constexpr (Sides::batched) {
      std::vector<double> scores(intervals.size());
      if (!scores.empty())
        sides_.criterion().function(lefts.data(), rights.data(), scores.size(), target_.k, scores.data());
      for (std::size_t i = 0; i < scores.size(); ++i)
        if (scores[i] < lowest) lowest = scores[i], best = intervals[i];
    }
    return lowest < kInfinity ? checked({between(best), lowest}) : Move{};
  }

  // --- keys and entries

  void read() {
    spread();
    spread_keys(V_, s_, n_, middle_, width_, keys_.data());
  }

  // Keys are spread evenly if the middle is that of the crossings and the width is how far they spread: a sample
  // of them tells.
  void spread() {
    double sample[33];
    const std::size_t wanted = n_ < 2048 ? 11 : 33;
    std::size_t size = 0;
    for (std::size_t i = 0; i < wanted; ++i)
      if (const double t = crossing(i * n_ / wanted); std::isfinite(t)) sample[size++] = t;
    const auto median = [&] {
      std::nth_element(sample, sample + size / 2, sample + size);
      return sample[size / 2];
    };
    middle_ = size ? median() : 0;
    for (std::size_t i = 0; i < size; ++i) sample[i] = std::abs(sample[i] - middle_);
    const double width = size ? median() : 1;
    width_ = std::ldexp(1.0, std::clamp(width > 0 && std::isfinite(width) ? std::ilogb(width) : 0, -900, 900));
  }

  std::uint32_t code_of(std::size_t j) const {
    return (notes_[j] & kCode) | static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(s_[j]) >> 63);
  }

  // Sorted entries of the rows that move and whose key is wanted.
  template <class Wanted>
  void gather(Wanted wanted) {
    entries_.resize(n_);
    std::size_t n = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      entries_[n] = keyed(keys_[j], (notes_[j] & ~kCode) | code_of(j));
      n += (s_[j] != 0) & static_cast<bool>(wanted(keys_[j]));
    }
    entries_.resize(n);
    sort_entries(entries_, spare_);
  }

  // Puts the run of equal keys that begins at `begin` in the order of the exact crossings; returns its end.
  std::size_t order_run(std::size_t begin, std::size_t limit) {
    std::size_t end = begin + 1;
    while (end < limit && key_of(entries_[end]) == key_of(entries_[begin])) ++end;
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(end);
    const auto earlier = [&](Keyed a, Keyed b) { return entry_crossing(a) < entry_crossing(b); };
    if (end - begin > 1 && !std::is_sorted(first, last, earlier)) std::stable_sort(first, last, earlier);
    return end;
  }

  void divide(const double* V) {
    if constexpr (Tallies<Sides>::exist) {
      if (tallied_) {
        on_the_right_.assign(static_cast<std::size_t>(target_.k), 0);
        for (std::size_t j = 0; j < n_; ++j) on_the_right_[static_cast<std::size_t>(target_.label[j])] += V[j] > 0;
        sides_.set_right(on_the_right_);
        return;
      }
    }
    sides_.all_left();
    for (std::size_t j = 0; j < n_; ++j)
      if (V[j] > 0) sides_.to_right(static_cast<std::uint32_t>(j));
  }

  Sides sides_;
  Target target_;
  std::size_t n_;
  double min_samples_leaf_, n_samples_ = 0;
  bool tallied_ = false;
  const double* V_ = nullptr;
  const double* s_ = nullptr;
  double middle_ = 0, width_ = 1;
  std::vector<std::uint32_t> keys_, notes_, on_the_right_, bins_;
  std::vector<double> distance_, size_;  // at the ends of bins
  std::vector<std::uint8_t> open_;       // bins that may hold a winner
  std::vector<Keyed> entries_, spare_;
};

}  // namespace askew
