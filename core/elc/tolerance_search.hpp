// CART-ELC with the tolerance of its authors' program: samples near a plane count as on it. "Near" is not transitive,
// so that no sweep over angles can serve: every plane is tried on every sample.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "elc/candidate.hpp"
#include "elc/exact_frame.hpp"
#include "elc/placed_plane.hpp"
#include "elc/side_tally.hpp"
#include "numeric/parallel.hpp"
#include "numeric/sort.hpp"

namespace askew::elc {

using namespace numeric;
using namespace score;

template <class Tally>
class ToleranceSearch {
 public:
  // `tolerance`: samples no further from a plane count as on it.
  ToleranceSearch(const ExactTable& table, const Tally& tally, const ExhaustiveRules& rules, double tolerance,
                  Interrupt& interrupt)
      : table_(table), tally_(tally), rules_(rules), tolerance_(tolerance), interrupt_(interrupt), weights_(table.d),
        distance_(table.n), side_(table.n), entries_(table.n) {}

  // Samples of a plane ascend; the last one runs fastest, after the features.
  void run() {
    if (table_.n < rules_.r) return;
    if (rules_.r == 1) return run_along_axes();
    const auto frame = make_frame(table_, rules_.r);
    now_.fixed = first_combination(rules_.r - 1);
    do {
      now_.features = first_combination(rules_.r);
      do {
        if (table_.any_lacks(now_.fixed, now_.features) || !frame->set(now_.fixed, now_.features)) continue;
        for (std::uint32_t u = now_.fixed.back() + 1; u < table_.n; ++u)
          if (!table_.lacks(u, now_.features)) through(u, *frame);
      } while (next_combination(now_.features, table_.d));
    } while (next_combination(now_.fixed, table_.n - 1));
  }

  const Candidate& best() const { return best_; }
  const SampledPlane& plane() const { return plane_; }
  double threshold() const { return threshold_; }
  std::size_t n_evaluated() const { return n_evaluated_; }

 private:
  void run_along_axes() {
    for (now_.partner = 0; now_.partner < table_.n; ++now_.partner)
      for (std::uint32_t f = 0; f < table_.d; ++f) {
        now_.features = {f};
        now_.last = now_.partner;
        if (!table_.lacks(now_.partner, now_.features)) through_axis(now_.partner);
      }
  }

  // The plane through the fixed samples and u.
  void through(std::uint32_t u, const Frame& frame) {
    double y[2];
    frame.project(u, y);
    now_.partner = now_.last = u;
    if (y[0] != 0 || y[1] != 0) return set_weights(u, frame), score_sides();
    if (!rules_.eigen || rules_.r != 2) return;
    now_.partner = kAxisPlane;
    through_axis(now_.fixed[0]);
  }
  // The plane on which the first feature is that of u.
  void through_axis(std::uint32_t u) {
    const std::uint32_t feature = now_.features[0];
    std::fill(weights_.begin(), weights_.end(), 0.0);
    weights_[feature] = 1, constant_ = table_.columns[feature].raw[u];
    score_sides();
  }
  void set_weights(std::uint32_t u, const Frame& frame) {
    const std::vector<double> normal = normal_of(frame, u, rules_.r);
    double length = 0;
    for (const double w : normal) length += w * w;
    std::fill(weights_.begin(), weights_.end(), 0.0);
    constant_ = 0;
    for (std::size_t k = 0; k < rules_.r; ++k) {
      const std::uint32_t feature = now_.features[k];
      weights_[feature] = normal[k] / std::sqrt(length);
      constant_ += weights_[feature] * table_.columns[feature].raw[u];
    }
  }

  // On or above the plane is left; the other way round, on or below it. Where a feature is missing is right in any
  // case.
  void score_sides() {
    interrupt_.check();
    std::fill(distance_.begin(), distance_.end(), -constant_);
    for (const std::uint32_t feature : now_.features) {
      if (weights_[feature] == 0) continue;
      const double w = weights_[feature], *x = table_.columns[feature].raw.data();
      for (std::size_t v = 0; v < table_.n; ++v) distance_[v] += w * x[v];
    }
    for (std::size_t v = 0; v < table_.n; ++v)
      side_[v] = distance_[v] > tolerance_ ? 1 : distance_[v] < -tolerance_ ? -1 : 0;
    for (int turned = 0; turned < 1 + rules_.both; ++turned) offer(turned != 0);
  }
  void offer(bool turned) {
    ++n_evaluated_;
    const auto is_left = [&](std::uint32_t v) {
      return (turned ? -side_[v] : side_[v]) >= 0 && !table_.lacks(v, now_.features);
    };
    for (std::uint32_t v = 0; v < table_.n; ++v) entries_[v] = v << 1 | static_cast<std::uint32_t>(!is_left(v));
    tally_.fill(entries_.data(), table_.n);
    now_.score = tally_.offer(true, rules_.leaf);
    now_.flipped = turned;
    if (!now_.before(best_) || now_.score == kWorse) return;
    best_ = now_;
    tally_.accepted();
    plane_ = {weights_, std::vector<bool>(table_.n)};
    for (std::uint32_t v = 0; v < table_.n; ++v) plane_.left[v] = is_left(v);
    if (!turned)
      for (double& w : plane_.weights) w = -w;
    threshold_ = (turned ? constant_ : -constant_) + tolerance_;
  }

  const ExactTable& table_;
  Tally tally_;
  ExhaustiveRules rules_;
  double tolerance_;
  Interrupt& interrupt_;
  std::vector<double> weights_, distance_;
  double constant_ = 0, threshold_ = 0;
  std::vector<int> side_;
  std::vector<Keyed> entries_;
  SampledPlane plane_;
  Candidate now_, best_;
  std::size_t n_evaluated_ = 0;
};

}  // namespace askew::elc
