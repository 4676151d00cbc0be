// The line search of line_search.hpp for few rows: loops without branches over short arrays that stay in the nearest
// cache. By whole counts of classes, for twoing, and for gini of two classes.
//
//   rows -> bins of the line -> bins that may hold a winner -> their rows, sorted -> states -> winners
//
// A state is what lies on the left of one candidate: the rows N, and D of score/fast_ranking.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "line/few_loops.hpp"
#include "line/few_sort.hpp"
#include "line/many_states.hpp"
#include "line/rough_spread.hpp"
#include "line/two_states.hpp"
#include "score/fast_ranking.hpp"
#include "score/node_data.hpp"

namespace askew::line {

using namespace score;

// How far to move to lie between two crossings.
inline double move_between(double low, double high) {
  if (low == -kInfinity && high == kInfinity) return 0;
  const auto step = [](double t) { return std::max(1.0, std::abs(t) * 0x1.0p-40); };  // 1, unless that is lost
  if (low == -kInfinity) return high - step(high);
  if (high == kInfinity) return low + step(low);
  return midpoint(low, high);
}

// The plane to be moved: the counts on its left by class, and its score. If only what is better is of use, what is as
// good is not looked for.
struct Incumbent {
  const std::vector<double>* left = nullptr;
  double score = kInfinity;
  bool only_better = false;
};

// `States` counts classes: TwoStates or ManyStates.
template <class States>
class FewRows {
 public:
  FewRows(std::size_t n, const std::int32_t* label, const std::vector<double>& all)
      : n_(n), row_bits_(static_cast<int>(std::bit_width(n - 1))), states_(all, bin_bits(n, all.size())), label_(n),
        t_(n), bin_(n), slot_(n), packed_(n), order_(room()), taken_(room()), d_(room()), size_(room()), tied_(room()),
        spare_(room()), marks_(room()) {
    for (std::size_t j = 0; j < n; ++j) label_[j] = static_cast<std::uint32_t>(label[j]) << states_.slots.label_shift;
  }

  // `score` gives the score of the counts on the left.
  template <class Score>
  LineCut best(const double* V, const double* s, const Incumbent& incumbent, Score score) {
    read(V, s);
    states_.count(slot_.data(), n_);
    set_bound(incumbent);
    open_ = states_.open(least_);
    sort();
    find(score);
    if (winner_.bin == kNone) return {};
    if (std::isnan(score_)) score_ = score(counts_at(winner_));
    if (!(score_ < kInfinity)) return {};
    return {between(), score_};
  }

 private:
  // Where more bins pay was measured, on OC1's nodes of 5 to 1,500 rows.
  static int bin_bits(std::size_t n, std::size_t k) {
    const std::size_t rows_in_bin = k == 2 ? 8 : 16;
    return n < 3 * rows_in_bin ? 3 : std::clamp(static_cast<int>(std::bit_width(n / rows_in_bin)), 4, 5);
  }
  std::size_t room() const { return n_ + kFewToCompare + 32; }

  void read(const double* V, const double* s) {
    spread(V, s);
    read_few(V, s, label_.data(), n_, middle_, scale_, row_bits_, states_.slots, t_.data(), packed_.data(), bin_.data(),
             slot_.data());
  }

  // Keys are spread evenly about the middle of the crossings.
  void spread(const double* V, const double* s) {
    const Spread rough = rough_spread(n_, [&](std::size_t j) { return -V[j] / s[j]; });
    middle_ = rough.middle;
    scale_ = rough.width > 1e-290 && rough.width < 1e290 ? 2 / rough.width : 1;
  }

  void set_bound(const Incumbent& incumbent) {
    best_ = {}, least_ = -1, found_ = false, winner_ = {};
    score_ = std::numeric_limits<double>::quiet_NaN();
    incumbent_ = nullptr;
    if (incumbent.left == nullptr) return;
    const Fraction q = states_.rate(incumbent.left->data());
    if (!(q.denominator > 0)) return;
    incumbent_ = incumbent.left->data();
    score_ = incumbent.score;
    found_ = incumbent.only_better;
    lead(q);
  }
  void lead(Fraction q) {
    best_ = q;
    least_ = q.numerator / q.denominator * (1 - kRankMargin);
  }

  // The rows of open bins in the order of their crossings, and the states behind them.
  void sort() {
    m_ = take_open(packed_.data(), bin_.data(), n_, open_, taken_.data());
    std::size_t start = 0;
    for (std::uint32_t left = open_; left != 0; left &= left - 1) {
      const auto b = static_cast<std::size_t>(std::countr_zero(left));
      start_[b] = start, start += states_.rows_in(b);
    }
    if (m_ <= kFewToCompare) sort_by_comparing(taken_.data(), m_, order_.data());
    else sort_bins();
    order_[m_] = std::numeric_limits<std::int32_t>::max();
    if (follow(tied_) && order_ties()) follow(spare_);
  }
  void sort_bins() {
    std::size_t at[kMostFewBins];
    std::copy(start_, start_ + kMostFewBins, at);
    for (std::size_t i = 0; i < m_; ++i) order_[at[bin_[row(taken_[i])]]++] = taken_[i];
    for (std::uint32_t left = open_; left != 0; left &= left - 1) {
      const auto b = static_cast<std::size_t>(std::countr_zero(left));
      const std::size_t rows = states_.rows_in(b);
      std::int32_t *first = &order_[start_[b]], from[kMostToCompare + 32], to[kMostToCompare + 1];
      if (rows > kMostToCompare) {
        std::sort(first, first + rows);
      } else if (rows > 1) {
        std::copy(first, first + rows, from);
        sort_by_comparing(from, rows, to);
        std::copy(to, to + rows, first);
      }
    }
  }

  // The states; true if the keys of some rows are those of the next, too.
  bool follow(std::vector<std::uint8_t>& tied) {
    const FewOrder order{order_.data(), m_, (std::int32_t{1} << row_bits_) - 1, slot_.data(), open_, start_};
    return states_.follow(order, d_.data(), size_.data(), tied.data());
  }
  // Keeps `tied_` for rows that cross exactly together with the next. True if the order has changed.
  bool order_ties() {
    bool changed = false;
    for (std::size_t i = 0; i < m_; ++i) {
      if (!tied_[i]) continue;
      std::size_t end = i + 1;
      while (tied_[end]) ++end;
      ++end;
      const auto earlier = [&](std::int32_t a, std::int32_t b) { return t_[row(a)] < t_[row(b)]; };
      std::int32_t *first = &order_[i], *last = first + (end - i);
      if (!std::is_sorted(first, last, earlier)) std::stable_sort(first, last, earlier), changed = true;
      for (; i + 1 < end; ++i) tied_[i] = t_[row(order_[i])] == t_[row(order_[i + 1])];
    }
    return changed;
  }
  std::size_t row(std::int32_t entry) const {
    return static_cast<std::size_t>(entry & ((std::int32_t{1} << row_bits_) - 1));
  }

  // Looks at all candidates from the left to the right: ends of bins, and states behind rows of open bins.
  template <class Score>
  void find(Score score) {
    std::uint64_t ends = states_.ends(least_);
    const auto consider_ends = [&](std::uint64_t some) {
      for (ends &= ~some; some != 0; some &= some - 1) {
        const auto b = static_cast<std::size_t>(std::countr_zero(some));
        consider({b, kNone}, states_.d[b], states_.n_left[b], score);
      }
    };
    mark_states(d_.data(), size_.data(), m_, states_.n, least_, marks_.data());
    std::memset(&marks_[m_], 0, 8);
    for (std::size_t first = 0; first < m_; first += 8) {
      for (std::uint64_t eight = eight_bytes(&marks_[first]); eight != 0; eight &= eight - 1) {
        const std::size_t i = first + static_cast<std::size_t>(std::countr_zero(eight)) / 8;
        if (tied_[i]) continue;
        const std::size_t b = bin_[row(order_[i])];
        consider_ends(ends & ((std::uint64_t{2} << b) - 1));
        consider({b, i}, d_[i], size_[i], score);
      }
    }
    consider_ends(ends);
  }
  struct Place {
    std::size_t bin = kNone, row = kNone;  // at the start of a bin, or behind the i-th row in the order
  };
  template <class Score>
  void consider(Place place, std::int32_t D, std::int32_t N, Score score) {
    const Fraction q = rank_by_distance(D, N, states_.n);
    if (!exceeds(q, best_, 1 - kRankMargin) || q.denominator <= 0) return;
    double now = std::numeric_limits<double>::quiet_NaN();
    if (!exceeds(q, best_, 1 + kRankMargin)) {
      const double* counts = counts_at(place);
      mine_.assign(counts, counts + states_.k);
      const double* other = winner_.bin == kNone ? incumbent_ : counts_at(winner_);
      bool same = true;
      for (std::size_t c = 0; c < states_.k; ++c) same &= mine_[c] == other[c];
      if (same) {
        if (found_) return;
        now = score_;
      } else {
        if (std::isnan(score_)) score_ = score(other);
        now = score(mine_.data());
        if (!(now < score_) && (found_ || now != score_)) return;
      }
    }
    winner_ = place, score_ = now, found_ = true;
    lead(q);
  }

  // The counts on the left of a state; they are lost with the next call.
  const double* counts_at(Place place) {
    if (place.row == kNone) return states_.counts_at_end(place.bin);
    const std::size_t start = start_[place.bin];
    const auto slot = [&](std::size_t l) { return slot_[row(order_[start + l])]; };
    return states_.counts_behind(place.bin, place.row - start + 1, d_[place.row], size_[place.row], slot);
  }

  // --- where the winner's interval lies

  double between() const {
    const std::size_t i = winner_.row, behind = i == kNone ? winner_.bin : winner_.bin + 1;
    const double low = i == kNone ? highest_below(winner_.bin) : t_[row(order_[i])];
    const bool inside = i != kNone && i + 1 < start_[winner_.bin] + states_.rows_in(winner_.bin);
    return move_between(low, inside ? t_[row(order_[i + 1])] : lowest_above(behind));
  }
  double highest_below(std::size_t bin) const {
    while (bin > 0 && states_.rows_in(bin - 1) == 0) --bin;
    if (bin == 0) return -kInfinity;
    if (open_ >> (bin - 1) & 1) return t_[row(order_[start_[bin - 1] + states_.rows_in(bin - 1) - 1])];
    return highest_in(bin_.data(), t_.data(), n_, static_cast<std::uint32_t>(bin - 1));
  }
  double lowest_above(std::size_t bin) const {
    const std::size_t end = states_.slots.n_bins();
    while (bin < end && states_.rows_in(bin) == 0) ++bin;
    if (bin == end) return kInfinity;
    if (open_ >> bin & 1) return t_[row(order_[start_[bin]])];
    return lowest_in(bin_.data(), t_.data(), n_, static_cast<std::uint32_t>(bin));
  }

  std::size_t n_;
  int row_bits_;
  States states_;
  std::vector<std::uint32_t> label_;  // shifted to its place in a slot
  std::vector<double> t_, mine_;
  std::vector<std::uint32_t> bin_, slot_;
  std::vector<std::int32_t> packed_, order_, taken_, d_, size_;
  std::vector<std::uint8_t> tied_, spare_, marks_;
  std::uint32_t open_ = 0;                // bins that may hold a winner
  std::size_t m_ = 0;                     // rows in open bins
  std::size_t start_[kMostFewBins] = {};  // of each open bin in the order
  double middle_ = 0, scale_ = 1;
  // The best so far.
  Fraction best_;
  double least_ = -1, score_ = 0;  // the score is that of the best, NaN if it is not known
  const double* incumbent_ = nullptr;
  Place winner_;
  bool found_ = false;
};

// The search of few rows where there is one for them.
struct AnyFewRows {
  static constexpr std::size_t kMost = 2047;  // rows: their numbers take 11 bits of a key

  AnyFewRows() = default;
  AnyFewRows(std::size_t n, const std::int32_t* label, const std::vector<double>& all, bool twoing) {
    if (n > kMost) return;
    if (all.size() == 2) two = std::make_unique<FewRows<TwoStates>>(n, label, all);
    else if (twoing && all.size() <= 8) eight = std::make_unique<FewRows<ManyStates<8>>>(n, label, all);
    else if (twoing && all.size() <= 16) sixteen = std::make_unique<FewRows<ManyStates<16>>>(n, label, all);
  }
  explicit operator bool() const { return two || eight || sixteen; }
  template <class Score>
  LineCut best(const double* V, const double* s, const Incumbent& incumbent, Score score) {
    if (two) return two->best(V, s, incumbent, score);
    if (eight) return eight->best(V, s, incumbent, score);
    return sixteen->best(V, s, incumbent, score);
  }

  std::unique_ptr<FewRows<TwoStates>> two;
  std::unique_ptr<FewRows<ManyStates<8>>> eight;
  std::unique_ptr<FewRows<ManyStates<16>>> sixteen;
};

}  // namespace askew::line
