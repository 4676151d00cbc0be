// Which columns of a node do not depend on others there. For CE-DT.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "score/column_scales.hpp"

namespace askew::cedt {

using namespace score;

// Finds out which columns depend on others on the rows of a node, by Gaussian elimination (CE-DT, Lemma 1).
//
// For each feature kept there is a combination of features and the constant, and a row, its pivot, such that
// the combination is 1 there and 0 at the pivots before. A feature is dependent if, once the combinations are
// taken off it, it is 0 at every row. Most that are not show it at one of the first rows: the whole column is
// walked only for those that are.
class Elimination {
 public:
  Elimination(const double* X, std::size_t d, const std::uint32_t* rows, std::size_t n, const ColumnScale* scales)
      : X_(X), d_(d), rows_(rows), n_(n), scales_(scales) {}

  // Of the features in the given order, those that do not depend on the constant and features before them.
  std::vector<std::int64_t> independent(const std::int64_t* order, std::size_t n_order) {
    std::vector<std::int64_t> kept;
    if (n_ > 0) steps_.push_back({{1.0}, 0});  // the constant
    for (std::size_t i = 0; i < n_order && steps_.size() < n_; ++i) {
      if (scales_[order[i]].scale == 0) continue;
      kept.push_back(order[i]);
      if (!eliminate(kept)) kept.pop_back();
    }
    return kept;
  }

 private:
  struct Step {
    std::vector<double> weights;  // of the constant, then of the features kept, in their order
    std::size_t pivot;            // a place in rows_
  };

  double coordinate(std::size_t place, std::int64_t feature) const {
    const ColumnScale& m = scales_[feature];
    return (X_[rows_[place] * d_ + static_cast<std::size_t>(feature)] - m.shift) / m.scale;
  }
  double value(const std::vector<double>& weights, const std::vector<std::int64_t>& kept, std::size_t place) const {
    double sum = weights[0];
    for (std::size_t j = 1; j < weights.size(); ++j) sum += weights[j] * coordinate(place, kept[j - 1]);
    return sum;
  }

  // Takes the steps off the last of `kept`; adds its step if something is left.
  bool eliminate(const std::vector<std::int64_t>& kept) {
    constexpr double kNothing = 1e-9;
    constexpr std::size_t kEnough = 64;  // rows among which the pivot is the one with the largest rest
    std::vector<double> weights(kept.size() + 1, 0.0);
    weights.back() = 1;
    double size = 0;  // of the column at the pivots: the remainder is compared with it
    for (const Step& step : steps_) {
      const double here = value(weights, kept, step.pivot);
      size = std::max(size, std::abs(coordinate(step.pivot, kept.back())));
      for (std::size_t j = 0; j < step.weights.size(); ++j) weights[j] -= here * step.weights[j];
    }
    double most = 0;
    std::size_t pivot = 0, found = 0;
    for (std::size_t place = 0; place < n_ && found < kEnough; ++place) {
      const double rest = std::abs(value(weights, kept, place));
      const double least = kNothing * std::max(size, std::abs(coordinate(place, kept.back())));
      if (!(rest > least)) continue;
      ++found;
      if (rest > most) most = rest, pivot = place;
    }
    if (found == 0) return false;
    const double scale = value(weights, kept, pivot);
    for (double& w : weights) w /= scale;
    steps_.push_back({std::move(weights), pivot});
    return true;
  }

  const double* X_;
  std::size_t d_;
  const std::uint32_t* rows_;
  std::size_t n_;
  const ColumnScale* scales_;
  std::vector<Step> steps_;
};

}  // namespace askew::cedt
