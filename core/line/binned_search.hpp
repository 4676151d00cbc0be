// The line search of line_search.hpp by whole counts of classes, for twoing of up to 32 classes, and for gini of two.
//
//   rows -> bins of the line -> bins that may hold a winner -> their rows, sorted -> states -> winners
//
// A state is what lies on the left of one candidate: the rows N, and D of score/fast_ranking.hpp. At the ends of a bin
// the counts are exact; inside, they are bounded: only the rows of bins that may hold a winner are sorted.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "line/bin_loops.hpp"
#include "line/many_states.hpp"
#include "line/sort_few.hpp"
#include "line/spread.hpp"
#include "line/two_states.hpp"
#include "score/fast_ranking.hpp"
#include "score/node_data.hpp"

namespace askew::line {

using namespace score;

// How far to move to lie between two crossings.
inline double move_between(double low, double high) {
  if (low == -kInfinity && high == kInfinity) return 0;
  const auto step = [](double t) { return std::max(1.0, std::abs(t) * 0x1.0p-40); };  // 1, unless rounding loses it
  if (low == -kInfinity) return high - step(high);
  if (high == kInfinity) return low + step(low);
  return midpoint(low, high);
}

// The plane to be moved: the counts on its left by class, and its score. With `only_better`, candidates of the same
// score are not searched for.
struct Incumbent {
  const std::vector<double>* left = nullptr;
  double score = kInfinity;
  bool only_better = false;
};

// A search over the rows of one node. `score` gives the score of the counts on the left.
class CountedSearch {
 public:
  using Score = std::function<double(const double* left)>;
  virtual ~CountedSearch() = default;
  virtual LineCut best(const double* V, const double* s, const Incumbent& incumbent, const Score& score) = 0;
};

// `States` counts classes: TwoStates or ManyStates.
template <class States>
class BinnedSearch final : public CountedSearch {
 public:
  BinnedSearch(std::size_t n, const std::int32_t* label, const std::vector<double>& all)
      : n_(n), row_bits_(kFew ? static_cast<int>(std::bit_width(n - 1)) : 32), label_(label),
        states_(all, bin_bits(n, all.size())), keys_(n), slot_(n), taken_(kFew ? room(n) : 0) {
    if (kFew) make_room(n);
  }

  LineCut best(const double* V, const double* s, const Incumbent& incumbent, const Score& score) override {
    read(V, s);
    states_.count(slot_.data(), n_);
    set_bound(incumbent);
    open();
    mark_states(states_.d, states_.n_left, n_bins() + 1, states_.n, least_, end_marks_);
    Ones ends(end_marks_, n_bins() + 1);
    std::size_t next = 0;
    do {
      next = sort_some(next);
      find(ends, score);
      const bool last = next == n_opened_;
      if (last)
        for (; ends.place() <= n_bins(); ends.next()) consider_end(ends.place(), score);
      if (winner_.bin != kNone) keep_winner(!last);
    } while (next < n_opened_);
    if (!found_any_) return {};
    if (std::isnan(score_)) score_ = score(best_counts());
    if (!(score_ < kInfinity)) return {};
    return {t_, score_};
  }

 private:
  using Width = typename States::Width;
  using Count = typename Width::Count;
  using Entry = typename Width::Entry;
  static constexpr bool kFew = sizeof(Entry) == 4;

  // Where more bins pay was measured, on OC1's nodes of 5 to 1,500 rows, and at roots of 500 to 3,000.
  static int bin_bits(std::size_t n, std::size_t k) {
    if (!kFew) return std::clamp(static_cast<int>(std::bit_width(n / (k <= 4 ? 16 : 32))), 4, 11);
    const std::size_t rows_in_bin = k == 2 ? 8 : 16;
    return n < 3 * rows_in_bin ? 3 : std::clamp(static_cast<int>(std::bit_width(n / rows_in_bin)), 4, 5);
  }
  static std::size_t room(std::size_t m) { return m + kFewToCompare + 32; }
  void make_room(std::size_t m) {
    if (order_.size() >= room(m)) return;
    order_.resize(room(m)), d_.resize(room(m)), size_.resize(room(m));
    tied_.resize(room(m)), spare_.resize(room(m)), marks_.resize(room(m));
  }
  std::size_t n_bins() const { return states_.slots.n_bins(); }

  double at(std::size_t row) const { return -V_[row] / s_[row]; }

  // Keys are spread evenly about the middle of the crossings.
  void read(const double* V, const double* s) {
    V_ = V, s_ = s;
    const auto crossing = [&](std::size_t j) { return at(j); };
    const Spread spread = kFew ? spread_of_few(n_, crossing) : spread_of_many(n_, crossing);
    const double scale = spread.width > 1e-290 && spread.width < 1e290 ? 2 / spread.width : 1;
    read_rows<kFew>(V, s, label_, n_, spread.middle, scale, row_bits_ & 31, states_.slots, keys_.data(), slot_.data());
  }

  void set_bound(const Incumbent& incumbent) {
    best_ = {}, least_ = -1, found_ = found_any_ = false, winner_ = {};
    score_ = std::numeric_limits<double>::quiet_NaN();
    counts_ = nullptr;
    if (incumbent.left == nullptr) return;
    const Fraction q = states_.rate(incumbent.left->data());
    if (!(q.denominator > 0)) return;
    counts_ = incumbent.left->data();
    score_ = incumbent.score;
    found_ = incumbent.only_better;
    set_bound(q);
  }
  void set_bound(Fraction q) {
    best_ = q;
    least_ = q.numerator / q.denominator * (1 - kRankMargin);
  }

  // --- the rows of bins that may hold a winner

  void open() {
    const std::size_t bins = n_bins();
    if (bins == kFewestBins) std::fill_n(open_, bins, std::uint8_t{1});
    else states_.open(least_, open_);
    n_opened_ = 0;
    for (Ones ones(open_, bins); ones.place() < bins; ones.next())
      opened_[n_opened_++] = static_cast<std::uint16_t>(ones.place());
  }

  // Sorts the rows of open bins from the first on, and finds the states behind them. Of very many rows some bins are
  // sorted at a time, so that memory is not needed for all. Returns the number of the next open bin.
  std::size_t sort_some(std::size_t first) {
    constexpr std::size_t kManyRows = 65536;
    const std::size_t most = n_ <= kManyRows ? n_ : n_ / 8;
    m_ = 0;
    std::size_t last = first;
    for (; last < n_opened_; ++last) {
      const std::size_t b = opened_[last], rows = states_.rows_in(b);
      if (m_ > 0 && m_ + rows > most) break;
      start_[b] = at_[b] = m_, m_ += rows;
    }
    group_ = &opened_[first], n_group_ = last - first;
    if (!kFew) make_room(m_);
    sort();
    order_[m_] = std::numeric_limits<Entry>::max();
    if (follow(tied_) && order_ties()) follow(spare_);
    return last;
  }
  void sort() {
    if (m_ == 0) return;
    if constexpr (kFew) {
      std::uint32_t bits = 0;
      for (std::size_t b = 0; b < n_bins(); b += 8) bits |= static_cast<std::uint32_t>(bits_of(open_ + b)) << b;
      take_open(keys_.data(), slot_.data(), n_, states_.slots, bits, taken_.data());
      if (m_ <= kFewToCompare) return sort_by_comparing(taken_.data(), m_, order_.data());
      for (std::size_t i = 0; i < m_; ++i) order_[at_[bin_of(taken_[i])]++] = taken_[i];
    } else {
      for_rows_in(slot_.data(), n_, states_.slots, group_[0], group_[n_group_ - 1], [&](std::size_t j) {
        const std::size_t b = states_.slots.bin_of(slot_[j]);
        if (open_[b]) order_[at_[b]++] = static_cast<Entry>(keys_[j]) * (Entry{1} << 32) + static_cast<Entry>(j);
      });
    }
    for (std::size_t i = 0; i < n_group_; ++i) sort_bin(&order_[start_[group_[i]]], states_.rows_in(group_[i]));
  }

  // The states; true if the keys of some rows are those of the next, too.
  bool follow(std::vector<std::uint8_t>& tied) {
    const EntryOrder<Entry> order{order_.data(), m_, row_mask(), slot_.data(), group_, n_group_, start_};
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
      const auto earlier = [&](Entry a, Entry b) { return at(row(a)) < at(row(b)); };
      Entry *first = &order_[i], *last = first + (end - i);
      if (!std::is_sorted(first, last, earlier)) std::stable_sort(first, last, earlier), changed = true;
      for (; i + 1 < end; ++i) tied_[i] = at(row(order_[i])) == at(row(order_[i + 1]));
    }
    return changed;
  }
  Entry row_mask() const { return (Entry{1} << row_bits_) - 1; }
  std::size_t row(Entry entry) const { return static_cast<std::size_t>(entry & row_mask()); }
  std::size_t bin_of(Entry entry) const { return states_.slots.bin_of(slot_[row(entry)]); }

  // --- candidates from the left to the right: ends of bins, and states behind rows of open bins

  void find(Ones& ends, const Score& score) {
    if (m_ == 0) return;
    mark_states(d_.data(), size_.data(), m_, states_.n, least_, marks_.data());
    for (Ones ones(marks_.data(), m_); ones.place() < m_; ones.next()) {
      const std::size_t i = ones.place();
      if (tied_[i]) continue;
      const std::size_t b = bin_of(order_[i]);
      for (; ends.place() <= b; ends.next()) consider_end(ends.place(), score);
      consider({b, i}, d_[i], size_[i], score);
    }
  }
  void consider_end(std::size_t b, const Score& score) { consider({b, kNone}, states_.d[b], states_.n_left[b], score); }
  struct Place {
    std::size_t bin = kNone, row = kNone;  // at the start of a bin, or behind the i-th row in the order
  };
  void consider(Place place, Count D, Count N, const Score& score) {
    const Fraction q = rank_by_distance(D, N, states_.n);
    if (!exceeds(q, best_, 1 - kRankMargin) || q.denominator <= 0) return;
    double now = std::numeric_limits<double>::quiet_NaN();
    if (!exceeds(q, best_, 1 + kRankMargin)) {
      const double* counts = counts_at(place);
      mine_.assign(counts, counts + states_.k);
      const double* other = best_counts();
      if (std::equal(mine_.begin(), mine_.end(), other)) {
        if (found_) return;
        now = score_;
      } else {
        if (std::isnan(score_)) score_ = score(other);
        now = score(mine_.data());
        if (!(now < score_) && (found_ || now != score_)) return;
      }
    }
    winner_ = place, score_ = now, found_ = found_any_ = true;
    set_bound(q);
  }

  // The counts on the left of the best so far.
  const double* best_counts() { return winner_.bin == kNone ? counts_ : counts_at(winner_); }
  // The counts on the left of a state; they are lost with the next call.
  const double* counts_at(Place place) {
    if (place.row == kNone) return states_.counts_at_end(place.bin);
    const std::size_t start = start_[place.bin];
    const auto slot = [&](std::size_t l) { return slot_[row(order_[start + l])]; };
    return states_.counts_behind(place.bin, place.row - start + 1, d_[place.row], size_[place.row], slot);
  }

  // Notes where the winner lies and, if other rows are sorted next, its counts.
  void keep_winner(bool others_follow) {
    t_ = between();
    if (!others_follow) return;
    const double* counts = counts_at(winner_);
    kept_.assign(counts, counts + states_.k);
    counts_ = kept_.data();
    winner_ = {};
  }

  // --- where the winner's interval lies

  double between() const {
    const std::size_t i = winner_.row, behind = i == kNone ? winner_.bin : winner_.bin + 1;
    const double low = i == kNone ? highest_below(winner_.bin) : at(row(order_[i]));
    const bool inside = i != kNone && i + 1 < start_[winner_.bin] + states_.rows_in(winner_.bin);
    return move_between(low, inside ? at(row(order_[i + 1])) : lowest_above(behind));
  }
  bool sorted(std::size_t bin) const {
    return open_[bin] && n_group_ > 0 && bin >= group_[0] && bin <= group_[n_group_ - 1];
  }
  double highest_below(std::size_t bin) const {
    while (bin > 0 && states_.rows_in(bin - 1) == 0) --bin;
    if (bin == 0) return -kInfinity;
    if (sorted(bin - 1)) return at(row(order_[start_[bin - 1] + states_.rows_in(bin - 1) - 1]));
    double highest = -kInfinity;
    for_rows_in(slot_.data(), n_, states_.slots, bin - 1, bin - 1,
                [&](std::size_t j) { highest = std::max(highest, at(j)); });
    return highest;
  }
  double lowest_above(std::size_t bin) const {
    while (bin < n_bins() && states_.rows_in(bin) == 0) ++bin;
    if (bin == n_bins()) return kInfinity;
    if (sorted(bin)) return at(row(order_[start_[bin]]));
    double lowest = kInfinity;
    for_rows_in(slot_.data(), n_, states_.slots, bin, bin, [&](std::size_t j) { lowest = std::min(lowest, at(j)); });
    return lowest;
  }

  std::size_t n_;
  int row_bits_;
  const std::int32_t* label_;
  States states_;
  const double *V_ = nullptr, *s_ = nullptr;
  std::vector<std::int32_t> keys_;  // of few rows with their numbers
  std::vector<std::uint32_t> slot_;
  // Bins that may hold a winner, and those of them whose rows are sorted now.
  std::uint8_t open_[Width::kMostBins + 8], end_marks_[Width::kMostBins + 16];
  std::uint16_t opened_[Width::kMostBins];
  const std::uint16_t* group_ = nullptr;
  std::size_t n_opened_ = 0, n_group_ = 0, m_ = 0;  // m_: rows that are sorted
  std::size_t start_[Width::kMostBins], at_[Width::kMostBins];
  std::vector<Entry> taken_, order_;
  std::vector<Count> d_, size_;
  std::vector<std::uint8_t> tied_, spare_, marks_;
  // The best so far.
  Fraction best_;
  double least_ = -1, score_ = 0, t_ = 0;  // the score is that of the best, NaN if it is not known
  const double* counts_ = nullptr;         // on the left of the best, if it is not among the rows sorted now
  std::vector<double> mine_, kept_;
  Place winner_;
  bool found_ = false, found_any_ = false;
};

// The search for a node, if there is one for its classes.
inline std::unique_ptr<CountedSearch> counted_search(std::size_t n, const std::int32_t* label,
                                                     const std::vector<double>& all, bool twoing) {
  const auto made = [&]<class W>(W) -> std::unique_ptr<CountedSearch> {
    if (all.size() == 2) return std::make_unique<BinnedSearch<TwoStates<W>>>(n, label, all);
    if (!twoing || all.size() > 32) return nullptr;
    if (all.size() <= 8) return std::make_unique<BinnedSearch<ManyStates<8, W>>>(n, label, all);
    if (all.size() <= 16) return std::make_unique<BinnedSearch<ManyStates<16, W>>>(n, label, all);
    return std::make_unique<BinnedSearch<ManyStates<32, W>>>(n, label, all);
  };
  return n <= Narrow::kMostRows ? made(Narrow()) : made(Wide());
}

}  // namespace askew::line
