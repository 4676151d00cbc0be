// Second-order boosting (XGBoost: Chen and Guestrin 2016, equations 5 to 7), for growth by axis-parallel cuts: the value
// of a leaf and the score of a cut from sums of gradients and hessians, with a penalty on the leaf's value.
//
// A row of gradient g and hessian h > 0 is a row of the target y = -g / h with the weight h: Newton's step for this row
// alone. A leaf of sums G and H has the value -G / (H + penalty), and lowers the loss by G^2 / (H + penalty) / 2.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/score_bound.hpp"
#include "base/summary.hpp"
#include "base/target.hpp"

namespace askew {

struct Newton {
  double penalty;
};

class NewtonSides {
 public:
  static constexpr bool batched = false;

  NewtonSides(const Newton& criterion, const Target& target, const std::uint32_t* rows, std::size_t n)
      : penalty_(criterion.penalty), target_(target) {
    for (std::size_t i = 0; i < n; ++i) total_.add(target, rows[i]);
  }

  void all_right() { left_ = {}; }
  void to_left(std::uint32_t row) { left_.add(target_, row); }
  double score() const { return -left_.gain(penalty_) - (total_ - left_).gain(penalty_); }
  double sweep_score() const { return score(); }
  Filter<Newton> filter() { return {}; }

  // What a leaf is that holds all rows. Its impurity is the least of sum h (y - v)^2 + penalty v^2, by weight: a split
  // lowers the sum of weight x impurity as much as it lowers the score.
  Summary summary(const std::uint32_t* rows, std::size_t n) const {
    Summary s;
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double y = target_.y[rows[i]];
      squares += target_.weight_of(rows[i]) * y * y;
      s.n_samples += target_.samples_of(rows[i]);
      s.pure = s.pure && y == target_.y[rows[0]];
    }
    s.mass = total_.hessian;
    s.value = {total_.gradient / (total_.hessian + penalty_)};
    s.impurity = s.pure ? 0.0 : std::max(0.0, squares - total_.gain(penalty_)) / s.mass;
    return s;
  }

 private:
  struct Sums {
    double hessian = 0, gradient = 0;  // the gradient's sign is that of the step
    void add(const Target& target, std::uint32_t row) {
      hessian += target.weight_of(row), gradient += target.weight_of(row) * target.y[row];
    }
    Sums operator-(const Sums& other) const { return {hessian - other.hessian, gradient - other.gradient}; }
    double gain(double penalty) const { return gradient * gradient / (hessian + penalty); }
  };

  double penalty_;
  Target target_;
  Sums total_, left_;
};

}  // namespace askew
