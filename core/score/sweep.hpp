// The best cut of rows in the order of a value: one loop for every criterion, classification and regression. For every
// method that sweeps.
//
//   sorted rows   r0 r1 | r2 r3 r4 | r5        equal values between bars move together
//   left grows -->      ^ cut      ^ cut       one candidate between distinct values
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "numeric/parallel.hpp"
#include "numeric/sort.hpp"
#include "score/batch.hpp"
#include "score/sides.hpp"
#include "score/target.hpp"

namespace askew::score {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct Best {
  double score = kInfinity;
  std::size_t position = kNone;  // the cut is behind this place in the order
};

// What each side of a cut must have, of what the node has.
struct LeafLimits {
  double min_samples = 1, n_samples = 0, min_weight = 0, weight = 0;

  // The usual limits hold for any cut: a row stands for one sample or more.
  bool matter() const { return min_samples > 1 || min_weight > 0; }
  bool allow(double samples_left, double weight_left) const {
    return samples_left >= min_samples && n_samples - samples_left >= min_samples && weight_left >= min_weight &&
           weight - weight_left >= min_weight;
  }
};

// Which cuts between distinct values are boundary points: all but those with one class on both neighbouring values.
// The cut of highest information gain is always one of them (Fayyad and Irani 1992). Asked of every place in turn.
template <class Row, class Differs>
class Boundary {
 public:
  Boundary(const Target& target, std::size_t n, Row row, Differs differs)
      : label_(target.label), n_(n), row_(row), differs_(differs) {}

  bool operator()(std::size_t i) {
    const std::int32_t label = label_[row_(i)];
    if (first_) class_ = label, mixed_ = false;
    mixed_ = mixed_ || label != class_;
    first_ = differs_(i);
    if (!first_ || mixed_) return first_;
    for (std::size_t j = i + 1; j < n_; ++j) {
      if (label_[row_(j)] != class_) return true;
      if (j + 1 < n_ && differs_(j)) break;
    }
    return false;
  }

 private:
  const std::int32_t* label_;
  std::size_t n_;
  Row row_;
  Differs differs_;
  std::int32_t class_ = 0;             // of the value that place i has
  bool first_ = true, mixed_ = false;  // place i is the first of its value; its value has several classes
};

// The best cut of n rows in order, if its score is below `bound`. `row(i)` is the i-th row; `differs(i)`
// whether the i-th and the next have different values. The first of equally good cuts wins.
template <class Sides, class Row, class Differs>
Best sweep(Sides& sides, const Target& target, std::size_t n, Row row, Differs differs, const LeafLimits& leaf,
           double bound = kInfinity) {
  sides.all_right();
  Best best{bound, kNone};
  auto filter = sides.filter();
  filter.set_bound(bound);
  std::size_t moved = 0;  // the sides follow when a score is wanted
  double samples = 0, weight = 0;
  [[maybe_unused]] WaitingCuts waiting;
  [[maybe_unused]] std::vector<std::size_t> positions;
  const bool counted = leaf.matter();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    filter.to_left(row(i));
    if (counted) samples += target.samples_of(row(i)), weight += target.weight_of(row(i));
    if (!differs(i) || !filter.may_beat()) continue;
    if (counted && !leaf.allow(samples, weight)) continue;
    for (; moved <= i; ++moved) sides.to_left(row(moved));
    if constexpr (Sides::batched) {
      waiting.add(sides.left().data(), sides.right().data(), target.k);
      positions.push_back(i);
    } else {
      if (const double score = sides.sweep_score(); score < best.score) filter.set_bound(score), best = {score, i};
    }
  }
  if constexpr (Sides::batched) {
    const std::vector<double> scores = waiting.scores(sides.criterion(), target.k);
    for (std::size_t j = 0; j < scores.size(); ++j)
      if (scores[j] < best.score) best = {scores[j], positions[j]};
  }
  return best;
}

// The same, of boundary points alone or of all cuts.
template <class Sides, class Row, class Differs>
Best sweep_some(bool boundaries, Sides& sides, const Target& target, std::size_t n, Row row, Differs differs,
                const LeafLimits& leaf, double bound = kInfinity) {
  if (boundaries) return sweep(sides, target, n, row, Boundary<Row, Differs>(target, n, row, differs), leaf, bound);
  return sweep(sides, target, n, row, differs, leaf, bound);
}

// Half-way between a < b, never b: the test is `value <= threshold`.
inline double midpoint(double a, double b) {
  const double middle = a * 0.5 + b * 0.5;
  return middle >= a && middle < b ? middle : a;
}

}  // namespace askew::score
