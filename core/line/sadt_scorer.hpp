// SADT's scorer: planes are scored one at a time, as the walk asks. Rows lie in the order of their classes, so that
// a pass counts classes without looking at them:
//
//   class        0 0 0 0 0 0 | 1 1 1 1 | 2 2 2
//   above        ....x.xx..x   xx.x...   .....      -> counts 4 3 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "numeric/simd.hpp"
#include "score/criterion.hpp"
#include "score/sweep.hpp"
#include "score/target.hpp"

namespace askew::line {

using namespace score;

ASKEW_WIDE_VECTORS
static std::int64_t count_above(const double* V, const double* x, double t, std::size_t n) {
  std::int64_t above = 0;
  for (std::size_t j = 0; j < n; ++j) above += V[j] + t * x[j] > 0;
  return above;
}

// Some rows, in the order of their classes: class c is start[c]..start[c + 1].
struct RowsView {
  const double* V;
  const double* x;
  const std::size_t* start;
};

// Scores planes by the counts (or moments) of their sides. Rows on the right are above the plane. A plane whose sides
// are smaller than the limits allow is infinitely bad.
template <class C>
class CountScorer {
 public:
  static constexpr bool batched = std::is_same_v<C, Batch>;

  CountScorer(const C& criterion, const Target& target, std::size_t n, const LeafLimits& leaf)
      : criterion_(criterion), target_(target), n_(n), k_(static_cast<std::size_t>(target.k)), leaf_(leaf),
        all_(k_, 0.0), left_(k_), right_(k_) {
    std::vector<std::uint32_t> everyone(n);
    std::iota(everyone.begin(), everyone.end(), 0u);
    if constexpr (std::is_same_v<C, SquaredError>) centre_ = centre_of(target, everyone.data(), n);
    for (const auto row : everyone) target.add(all_.data(), row, 1, centre_);
  }

  // Looks at a plane, moved by t. What it scores comes out of `scores`.
  void look(const RowsView& rows, double t) {
    double samples = 0, weight = 0;
    if (target_.label && !target_.weight && !target_.multiplicity) {
      for (std::size_t c = 0; c < k_; ++c) {
        const std::size_t begin = rows.start[c], size = rows.start[c + 1] - begin;
        right_[c] = static_cast<double>(count_above(rows.V + begin, rows.x + begin, t, size));
        samples += right_[c];
      }
      weight = samples;
    } else {
      std::fill(right_.begin(), right_.end(), 0.0);
      for (std::uint32_t j = 0; j < n_; ++j) {
        if (!(rows.V[j] + t * rows.x[j] > 0)) continue;
        target_.add(right_.data(), j, 1, centre_);
        samples += target_.samples_of(j), weight += target_.weight_of(j);
      }
    }
    const bool allowed = leaf_.allow(leaf_.n_samples - samples, leaf_.weight - weight);
    if constexpr (batched) {
      allowed_.push_back(allowed);
      if (!allowed) return;
      for (std::size_t c = 0; c < k_; ++c) left_[c] = all_[c] - right_[c];
      waiting_.add(left_.data(), right_.data(), target_.k);
    } else {
      scores_.push_back(allowed ? score() : kInfinity);
    }
  }

  const std::vector<double>& scores() {
    if constexpr (batched) {
      const std::vector<double> found = waiting_.scores(criterion_, target_.k);
      std::size_t i = 0;
      for (const bool allowed : allowed_) scores_.push_back(allowed ? found[i++] : kInfinity);
      allowed_.clear();
    }
    result_.swap(scores_);
    scores_.clear();
    return result_;
  }

 private:
  double score() {
    if (right_ == last_) return last_score_;  // equal counts, equal score
    for (std::size_t c = 0; c < k_; ++c) left_[c] = all_[c] - right_[c];
    last_ = right_;
    return last_score_ = score_sides(criterion_, left_.data(), right_.data(), static_cast<int>(k_));
  }

  C criterion_;
  Target target_;
  std::size_t n_, k_;
  LeafLimits leaf_;
  double centre_ = 0, last_score_ = 0;
  std::vector<double> all_, left_, right_, last_, scores_, result_;
  WaitingCuts waiting_;
  std::vector<bool> allowed_;
};

// Absolute error needs the rows themselves: those that have changed sides since the last plane are moved.
class MedianScorer {
 public:
  static constexpr bool batched = false;
  MedianScorer(const AbsoluteError& criterion, const Target& target, std::size_t n, const LeafLimits& leaf)
      : target_(target), n_(n), leaf_(leaf), sides_(criterion, target, everyone(n).data(), n), right_(n, 1) {}
  void look(const RowsView& rows, double t) {
    if (looked_++ % 256 == 0) {  // sums collect rounding errors as rows are added and removed
      sides_.all_right();
      right_.assign(n_, 1);
    }
    double samples = 0, weight = 0;
    for (std::uint32_t j = 0; j < n_; ++j) {
      const bool above = rows.V[j] + t * rows.x[j] > 0;
      if (above) samples += target_.samples_of(j), weight += target_.weight_of(j);
      if (above == static_cast<bool>(right_[j])) continue;
      right_[j] = above;
      if (above) sides_.to_right(j);
      else sides_.to_left(j);
    }
    const bool allowed = leaf_.allow(leaf_.n_samples - samples, leaf_.weight - weight);
    score_.assign(1, allowed ? sides_.score() : kInfinity);
  }
  const std::vector<double>& scores() const { return score_; }

 private:
  static std::vector<std::uint32_t> everyone(std::size_t n) {
    std::vector<std::uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0u);
    return rows;
  }
  Target target_;
  std::size_t n_, looked_ = 0;
  LeafLimits leaf_;
  MedianSides sides_;
  std::vector<std::uint8_t> right_;
  std::vector<double> score_;
};

}  // namespace askew::line
