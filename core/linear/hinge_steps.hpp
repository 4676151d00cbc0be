// Breiman's hinges, without the rows: a ridge line on each side of a split, then the split where the two lines cross,
// until the squared error of the lines stops falling. What is asked of the rows are the moments of both sides.
#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "linear/newton_steps.hpp"
#include "numeric/symmetric_eigen.hpp"

namespace askew::linear {

using namespace numeric;

// Of some rows with weights u: (X 1)'U(X 1), of which the lower triangle counts, (X 1)'U y and y'U y.
struct LineMoments {
  std::vector<double> gram, products;
  double squares = 0;

  // Half of the squared error of a line; its gradient replaces `slope`.
  double loss(const std::vector<double>& w, std::vector<double>& slope) const {
    const std::size_t m = products.size();
    GivenCurvature{gram, m}.multiply(w, slope);
    const double value = 0.5 * (dot(w.data(), slope.data(), m) + squares) - dot(w.data(), products.data(), m);
    for (std::size_t j = 0; j < m; ++j) slope[j] -= products[j];
    return value;
  }
};

// The weights of the columns and the constant of ridge regression.
inline std::vector<double> ridge_line(const LineMoments& rows, FitRules rules) {
  const std::size_t m = rows.products.size();
  rules.loss = Loss::squared;
  NewtonSteps newton(rules, rows.gram[m * m - 1], std::vector<double>(m, 0.0));
  std::vector<double> slope(m);
  while (!newton.done()) {
    const double loss = rows.loss(newton.at(), slope);
    newton.take(loss, slope, GivenCurvature{rows.gram, m});
  }
  return newton.weights();
}

class HingeSteps {
 public:
  explicit HingeSteps(const FitRules& rules) : rules_(rules) {}

  bool done() const { return done_; }
  const std::vector<double>& best() const { return best_; }  // a weight for each column; empty before the first step
  // The left line less the right one: a weight for each column and a constant, 0 where they cross.
  const std::vector<double>& gap() const { return gap_; }

  void take_sides(const LineMoments& left, const LineMoments& right) {
    std::vector<double> line = ridge_line(left, rules_), other = ridge_line(right, rules_), slope(line.size());
    const double error = left.loss(line, slope) + right.loss(other, slope);
    if (!(error < least_ * (1 - 1e-9))) {
      done_ = true;
      return;
    }
    least_ = error;
    for (std::size_t j = 0; j < line.size(); ++j) line[j] -= other[j];
    gap_ = std::move(line);
    best_.assign(gap_.begin(), gap_.end() - 1);
  }

  // Takes how many of n rows are above the crossing (gap > 0), how many are left, and how many both. Returns whether
  // the rows above it are the new left side: where most of those that were left are.
  bool take_counts(std::size_t n, std::size_t above, std::size_t left, std::size_t both) {
    done_ = above == 0 || above == n || ++turns_ == 20;
    const std::size_t agree = both + (n - above - left + both);
    return 2 * agree >= n;
  }

 private:
  FitRules rules_;
  std::vector<double> best_, gap_;
  double least_ = std::numeric_limits<double>::infinity();
  int turns_ = 0;
  bool done_ = false;
};

}  // namespace askew::linear
