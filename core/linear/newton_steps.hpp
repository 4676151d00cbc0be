// Newton's method for penalised fits, without the rows: it says at which weights it wants to know the loss, and takes
// what the rows have there. They may be in memory (penalised_fit.hpp) or on several machines.
//
//   minimise  loss(w) + l2/2 |w|^2 + l1 |w|_1
//
// w has a weight for each column of mean 0 and deviation 1, then a constant.
//
// A step solves (H + l2 I) step = -gradient, H the curvature of the loss: by Cholesky's factor, by conjugate gradients
// where features are many, and with l1 by coordinate descent on the quadratic model (as glmnet does).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "linear/normal_equations.hpp"
#include "numeric/simd.hpp"

namespace askew::linear {

using namespace numeric;
using namespace score;

enum class Loss { squared, logistic };

struct FitRules {
  Loss loss = Loss::logistic;
  double l2 = 1, l1 = 0;
  int max_steps = 50;
  std::size_t direct = 400;  // features up to which the matrix is factored
  double tolerance = 1e-9;   // of the objective, as a share of the sum of the weights
};

// A curvature that is given as a matrix: the lower triangle of m rows.
struct GivenCurvature {
  const std::vector<double>& matrix;
  std::size_t m;

  const std::vector<double>& gram() const { return matrix; }
  double total() const { return matrix[m * m - 1]; }
  void multiply(const std::vector<double>& p, std::vector<double>& to) const {
    for (std::size_t i = 0; i < m; ++i) {
      to[i] = 0;
      for (std::size_t j = 0; j < m; ++j) to[i] += matrix[std::max(i, j) * m + std::min(i, j)] * p[j];
    }
  }
};

class NewtonSteps {
 public:
  // `mass` is the sum of the rows' weights; the start has a weight for each column and the constant.
  NewtonSteps(const FitRules& rules, double mass, std::vector<double> start)
      : rules_(rules), mass_(mass), m_(start.size()), d_(m_ - 1), w_(start), at_(std::move(start)) {}

  bool done() const { return done_; }
  const std::vector<double>& at() const { return at_; }      // where the loss is wanted next
  const std::vector<double>& weights() const { return w_; }  // the best so far

  // Takes the loss at `at`, its gradient, and its curvature, of which `gram()` is (X 1)' diag(v) (X 1), `multiply(p,
  // to)` its product with p and `total()` the sum of v. It is asked for where a step is accepted.
  template <class Curvature>
  void take(double loss, std::vector<double> gradient, const Curvature& curvature) {
    for (std::size_t j = 0; j < d_; ++j) {
      gradient[j] += rules_.l2 * at_[j];
      loss += 0.5 * rules_.l2 * at_[j] * at_[j] + rules_.l1 * std::abs(at_[j]);
    }
    if (started_) {
      // Armijo: the step is halved until the objective falls enough.
      if (!(loss <= objective_ + 1e-4 * length_ * slope_)) {
        done_ = ++halvings_ == 40;
        length_ /= 2;
        move();
        return;
      }
      w_ = at_;
    }
    objective_ = loss, gradient_ = std::move(gradient);
    // One step is the answer to least squares.
    if (started_ && (++steps_ == rules_.max_steps || (rules_.loss == Loss::squared && rules_.l1 == 0))) done_ = true;
    started_ = true;
    if (!done_) step(curvature);
  }

 private:
  template <class Curvature>
  void step(const Curvature& curvature) {
    step_ = direction(curvature);
    slope_ = slope();
    if (!(slope_ < -rules_.tolerance * mass_)) {
      done_ = true;
      return;
    }
    length_ = 1, halvings_ = 0;
    move();
    if (rules_.max_steps == 1) w_ = at_, done_ = true;
  }

  void move() {
    for (std::size_t j = 0; j < m_; ++j) at_[j] = w_[j] + length_ * step_[j];
  }

  // What the objective falls by along the step, to first order (below 0).
  double slope() const {
    double slope = 0;
    for (std::size_t j = 0; j < m_; ++j) slope += gradient_[j] * step_[j];
    if (rules_.l1 > 0)
      for (std::size_t j = 0; j < d_; ++j) slope += rules_.l1 * (std::abs(w_[j] + step_[j]) - std::abs(w_[j]));
    return slope;
  }

  template <class Curvature>
  std::vector<double> direction(const Curvature& curvature) const {
    if (rules_.l1 > 0) return coordinate_descent(curvature.gram());
    if (d_ > rules_.direct) return conjugate_gradients(curvature);
    const Factor factor(curvature.gram(), m_, rules_.l2);
    std::vector<double> step(m_, 0.0);
    if (!factor.ok) return step;
    for (std::size_t j = 0; j < m_; ++j) step[j] = -gradient_[j];
    factor.solve(step.data());
    return step;
  }

  template <class Curvature>
  std::vector<double> conjugate_gradients(const Curvature& curvature) const {
    const double total = curvature.total();
    // Columns have deviation 1: the diagonal is about the sum of v.
    const double inner = 1 / (total + rules_.l2), last = 1 / std::max(total, 1e-300);
    const auto precondition = [&](const std::vector<double>& r, std::vector<double>& to) {
      for (std::size_t j = 0; j < m_; ++j) to[j] = r[j] * (j < d_ ? inner : last);
    };
    const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
      double sum = 0;
      for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
      return sum;
    };
    std::vector<double> step(m_, 0.0), r(m_), q(m_), p(m_), ap(m_);
    for (std::size_t j = 0; j < m_; ++j) r[j] = -gradient_[j];
    precondition(r, q);
    p = q;
    double rq = product(r, q);
    const double enough = 1e-8 * rq;
    for (int turn = 0; turn < 200 && rq > enough; ++turn) {
      curvature.multiply(p, ap);
      for (std::size_t j = 0; j < d_; ++j) ap[j] += rules_.l2 * p[j];
      const double pap = product(p, ap);
      if (!(pap > 0)) break;
      const double alpha = rq / pap;
      for (std::size_t j = 0; j < m_; ++j) step[j] += alpha * p[j], r[j] -= alpha * ap[j];
      precondition(r, q);
      const double next = product(r, q);
      for (std::size_t j = 0; j < m_; ++j) p[j] = q[j] + next / rq * p[j];
      rq = next;
    }
    return step;
  }

  // The minimum of the quadratic model plus l1 |w + step|, one coefficient at a time.
  std::vector<double> coordinate_descent(std::vector<double> hessian) const {
    for (std::size_t i = 0; i < m_; ++i)
      for (std::size_t j = i + 1; j < m_; ++j) hessian[i * m_ + j] = hessian[j * m_ + i];
    for (std::size_t j = 0; j < d_; ++j) hessian[j * m_ + j] += rules_.l2;
    std::vector<double> step(m_, 0.0), slope = gradient_;  // of the model at the step
    for (int sweep = 0; sweep < 1000; ++sweep) {
      double moved = 0;
      for (std::size_t j = 0; j < m_; ++j) {
        const double h = hessian[j * m_ + j];
        if (!(h > 0)) continue;
        const double at = w_[j] + step[j], aim = at - slope[j] / h, cut = j < d_ ? rules_.l1 / h : 0;
        const double next = aim > cut ? aim - cut : aim < -cut ? aim + cut : 0.0, change = next - at;
        if (change == 0) continue;
        step[j] += change;
        if (next == 0) step[j] = -w_[j];  // exactly
        add_multiple(slope.data(), change, &hessian[j * m_], m_, slope.data());
        moved = std::max(moved, h * change * change);
      }
      if (moved <= 0.1 * rules_.tolerance * mass_) break;
    }
    return step;
  }

  FitRules rules_;
  double mass_;
  std::size_t m_, d_;
  std::vector<double> w_, at_, gradient_, step_;
  double objective_ = 0, slope_ = 0, length_ = 1;
  int steps_ = 0, halvings_ = 0;
  bool started_ = false, done_ = false;
};

}  // namespace askew::linear
