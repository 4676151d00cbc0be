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
#include <vector>

#include "sort.hpp"
#include "sweep.hpp"

namespace askew {

struct Move {
  double t = 0;
  double score = kInfinity;  // infinite: there is no candidate
};

template <class Sides>
class LineSearch {
 public:
  LineSearch(const Sides& sides, const Target& target, std::size_t n, double min_samples_leaf)
      : sides_(sides), target_(target), n_(n), min_samples_leaf_(min_samples_leaf) {
    for (std::size_t j = 0; j < n; ++j) n_samples_ += target.samples_of(static_cast<std::uint32_t>(j));
  }

  // The best of all candidates; of equals the lowest t.
  Move best(const double* V, const double* s) {
    V_ = V, s_ = s;
    best_ = kNone;
    score_ = kInfinity;
    start();
    sort_entries(entries_, spare_);
    consider(0);
    for (std::size_t i = 0; i < entries_.size();) {
      std::size_t end = i + 1;
      while (end < entries_.size() && key_of(entries_[end]) == key_of(entries_[i])) ++end;
      if (end - i == 1) {
        cross(entries_[i++]);
        consider(i);
        continue;
      }
      order_exactly(i, end);
      while (i < end) {  // a run of equal keys holds one group of equal t or, rarely, several
        const double t = crossing(row_of(entries_[i]));
        do cross(entries_[i++]);
        while (i < end && crossing(row_of(entries_[i])) == t);
        consider(i);
      }
    }
    settle();
    return {place(), score_};
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

 private:
  void divide(const double* V) {
    sides_.all_left();
    for (std::size_t j = 0; j < n_; ++j)
      if (V[j] > 0) sides_.to_right(static_cast<std::uint32_t>(j));
  }

  static constexpr std::uint32_t kDown = 0x80000000u;  // this row goes down, not up, as t grows

  static std::size_t row_of(Keyed e) { return item_of(e) & ~kDown; }
  double crossing(std::size_t row) const { return -V_[row] / s_[row]; }

  // The state at t = -inf, and an entry for every row that moves.
  void start() {
    sides_.all_left();
    entries_.clear();
    lefts_.clear(), rights_.clear(), crossed_.clear();
    samples_left_ = n_samples_;
    for (std::size_t j = 0; j < n_; ++j) {
      const auto row = static_cast<std::uint32_t>(j);
      const double t = s_[j] != 0 ? crossing(j) : kInfinity;
      const bool moves = std::isfinite(t), down = moves && s_[j] < 0;
      if (moves) entries_.push_back(keyed(ordered_bits(static_cast<float>(t)), row | (down ? kDown : 0)));
      if (down || (!moves && V_[j] > 0)) {
        sides_.to_right(row);
        samples_left_ -= target_.samples_of(row);
      }
    }
  }

  void cross(Keyed e) {
    const auto row = static_cast<std::uint32_t>(row_of(e));
    if (item_of(e) & kDown) {
      sides_.to_left(row);
      samples_left_ += target_.samples_of(row);
    } else {
      sides_.to_right(row);
      samples_left_ -= target_.samples_of(row);
    }
  }

  // Keys are rounded to float32: puts the rows of one key in the order of their exact crossings.
  void order_exactly(std::size_t begin, std::size_t end) {
    const auto at = [&](std::size_t i) { return entries_.begin() + static_cast<std::ptrdiff_t>(i); };
    const auto earlier = [&](Keyed a, Keyed b) { return crossing(row_of(a)) < crossing(row_of(b)); };
    if (!std::is_sorted(at(begin), at(end), earlier)) std::stable_sort(at(begin), at(end), earlier);
  }

  // A candidate: the interval behind the first `crossed` entries.
  void consider(std::size_t crossed) {
    if (samples_left_ < min_samples_leaf_ || n_samples_ - samples_left_ < min_samples_leaf_) return;
    if constexpr (Sides::batched) {
      lefts_.insert(lefts_.end(), sides_.left().begin(), sides_.left().end());
      rights_.insert(rights_.end(), sides_.right().begin(), sides_.right().end());
      crossed_.push_back(crossed);
    } else {
      if (const double score = sides_.score(); score < score_) score_ = score, best_ = crossed;
    }
  }

  void settle() {
    if constexpr (Sides::batched) {
      std::vector<double> scores(crossed_.size());
      if (!scores.empty())
        sides_.criterion().function(lefts_.data(), rights_.data(), scores.size(), target_.k, scores.data());
      for (std::size_t i = 0; i < scores.size(); ++i)
        if (scores[i] < score_) score_ = scores[i], best_ = crossed_[i];
    }
  }

  double place() const {
    if (best_ == kNone || entries_.empty()) return 0;
    const auto at = [&](std::size_t i) { return crossing(row_of(entries_[i])); };
    if (best_ == 0) return at(0) - 1;
    if (best_ == entries_.size()) return at(best_ - 1) + 1;
    return midpoint(at(best_ - 1), at(best_));
  }

  Sides sides_;
  Target target_;
  std::size_t n_;
  double min_samples_leaf_, n_samples_ = 0, samples_left_ = 0;
  const double* V_ = nullptr;
  const double* s_ = nullptr;
  std::vector<Keyed> entries_, spare_;
  std::size_t best_ = kNone;  // entries crossed at the best candidate
  double score_ = kInfinity;
  std::vector<double> lefts_, rights_;  // of all candidates, for a criterion that scores them at once
  std::vector<std::size_t> crossed_;
};

}  // namespace askew
