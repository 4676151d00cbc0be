// Penalised logistic and least-squares fits by Newton's method, for `search="linear"`.
//
//   minimise  sum u loss(z, w.x + b) + l2/2 |w|^2 + l1 |w|_1     over columns of mean 0 and deviation 1
//
// A Newton step solves (X' diag(v) X + l2 I) step = -gradient: by Cholesky's factor, by conjugate gradients where
// features are many, and with l1 by coordinate descent on the quadratic model (as glmnet does). The first step from
// zero is ridge regression on the labels: the direction of linear discriminant analysis.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"
#include "base/portable_math.hpp"
#include "base/simd.hpp"
#include "linear/normal_equations.hpp"
#include "linear/standardised.hpp"

namespace askew {

enum class Loss { squared, logistic };

struct FitRules {
  Loss loss = Loss::logistic;
  double l2 = 1, l1 = 0;
  int max_steps = 50;
  std::size_t direct = 400;  // features up to which the matrix is factored
  double tolerance = 1e-9;   // of the objective, as a share of the sum of the weights
};

// Value of log(1 + exp(-|f|)) and of the probability at f, for each of n rows.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void logistic(const double* f, std::size_t n, double* softplus, double* probability) {
  for (std::size_t i = 0; i < n; ++i) {
    const double small = portable_exp(-std::abs(f[i]));
    const double upper = 1 / (1 + small);
    softplus[i] = portable_log(1 + small);
    probability[i] = f[i] >= 0 ? upper : small * upper;
  }
}

class PenalisedFit {
 public:
  PenalisedFit(const Standardised& data, const FitRules& rules, int threads, Pulse& pulse)
      : data_(data), rules_(rules), threads_(threads), pulse_(pulse), m_(data.d + 1) {}

  // Weights of the features and the constant for targets z with weights u (both of data.stride rows, 0 in the padding),
  // from a start of the same length; weights of features that are constant here are 0.
  std::vector<double> fit(const double* z, const double* u, std::vector<double> w) {
    z_ = z, u_ = u;
    mass_ = 0;
    for (std::size_t i = 0; i < data_.n; ++i) mass_ += u[i];
    State now = evaluate(w);
    for (int step = 0; step < rules_.max_steps; ++step) {
      pulse_.check();
      std::vector<double> towards = direction(now, w);
      const double slope = slope_along(now, w, towards);
      if (!(slope < -rules_.tolerance * mass_)) break;
      if (rules_.max_steps == 1) {
        for (std::size_t j = 0; j < m_; ++j) w[j] += towards[j];
        break;
      }
      if (!descend(now, w, towards, slope)) break;
      if (rules_.loss == Loss::squared && rules_.l1 == 0) break;  // one step is the answer
    }
    return w;
  }

 private:
  struct State {
    std::vector<double> gradient;   // of the loss and of l2, at w
    std::vector<double> curvature;  // v, for each row
    double objective = 0;
  };

  void values(const std::vector<double>& w, std::vector<double>& f) const {
    f.assign(data_.stride, w[data_.d]);
    for (std::size_t j = 0; j < data_.d; ++j)
      if (w[j] != 0) add_multiple(f.data(), w[j], data_.column(j), data_.stride, f.data());
  }

  State evaluate(const std::vector<double>& w) {
    const std::size_t n = data_.stride;
    State s;
    std::vector<double> f, residual(n), softplus(n);
    values(w, f);
    s.curvature.resize(n);
    if (rules_.loss == Loss::logistic) {
      std::vector<double> p(n);
      logistic(f.data(), n, softplus.data(), p.data());
      for (std::size_t i = 0; i < n; ++i) {
        s.objective += u_[i] * (softplus[i] + std::max(f[i], 0.0) - z_[i] * f[i]);
        residual[i] = u_[i] * (p[i] - z_[i]);
        s.curvature[i] = u_[i] * std::max(p[i] * (1 - p[i]), 1e-10);
      }
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        residual[i] = u_[i] * (f[i] - z_[i]);
        s.objective += 0.5 * residual[i] * (f[i] - z_[i]);
        s.curvature[i] = u_[i];
      }
    }
    s.gradient.resize(m_);
    for (std::size_t j = 0; j < data_.d; ++j) {
      s.gradient[j] = lane_dot(data_.column(j), residual.data(), n) + rules_.l2 * w[j];
      s.objective += 0.5 * rules_.l2 * w[j] * w[j] + rules_.l1 * std::abs(w[j]);
    }
    for (const double r : residual) s.gradient[data_.d] += r;
    return s;
  }

  std::vector<double> direction(const State& s, const std::vector<double>& w) {
    if (rules_.l1 > 0) return coordinate_descent(s, w);
    if (data_.d > rules_.direct) return conjugate_gradients(s);
    const Factor factor(weighted_gram(data_, s.curvature.data(), threads_, pulse_), m_, rules_.l2);
    std::vector<double> step(m_, 0.0);
    if (!factor.ok) return step;
    for (std::size_t j = 0; j < m_; ++j) step[j] = -s.gradient[j];
    factor.solve(step.data());
    return step;
  }

  // What the objective falls by along a step, to first order (below 0).
  double slope_along(const State& s, const std::vector<double>& w, const std::vector<double>& step) const {
    double slope = 0;
    for (std::size_t j = 0; j < m_; ++j) slope += s.gradient[j] * step[j];
    if (rules_.l1 > 0)
      for (std::size_t j = 0; j < data_.d; ++j) slope += rules_.l1 * (std::abs(w[j] + step[j]) - std::abs(w[j]));
    return slope;
  }

  // Halves the step until the objective falls enough (Armijo); false if it does not.
  bool descend(State& now, std::vector<double>& w, const std::vector<double>& step, double slope) {
    double length = 1;
    for (int halving = 0; halving < 40; ++halving, length /= 2) {
      std::vector<double> next(m_);
      for (std::size_t j = 0; j < m_; ++j) next[j] = w[j] + length * step[j];
      State there = evaluate(next);
      if (there.objective <= now.objective + 1e-4 * length * slope) {
        w = std::move(next), now = std::move(there);
        return true;
      }
    }
    return false;
  }

  // (X' diag(v) X + l2 I) p, without the matrix.
  void multiply(const State& s, const std::vector<double>& p, std::vector<double>& to) const {
    std::vector<double> f;
    values(p, f);
    multiply_lanes(f.data(), s.curvature.data(), data_.stride, f.data());
    for (std::size_t j = 0; j < data_.d; ++j) to[j] = lane_dot(data_.column(j), f.data(), data_.stride) + rules_.l2 * p[j];
    to[data_.d] = 0;
    for (const double value : f) to[data_.d] += value;
  }

  std::vector<double> conjugate_gradients(const State& s) {
    double total = 0;
    for (const double v : s.curvature) total += v;
    // Columns have deviation 1: the diagonal is about the sum of v.
    const double inner = 1 / (total + rules_.l2), last = 1 / std::max(total, 1e-300);
    const auto precondition = [&](const std::vector<double>& r, std::vector<double>& to) {
      for (std::size_t j = 0; j < m_; ++j) to[j] = r[j] * (j < data_.d ? inner : last);
    };
    const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
      double sum = 0;
      for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
      return sum;
    };
    std::vector<double> step(m_, 0.0), r(m_), q(m_), p(m_), ap(m_);
    for (std::size_t j = 0; j < m_; ++j) r[j] = -s.gradient[j];
    precondition(r, q);
    p = q;
    double rq = product(r, q);
    const double enough = 1e-8 * rq;
    for (int turn = 0; turn < 200 && rq > enough; ++turn) {
      pulse_.check();
      multiply(s, p, ap);
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
  std::vector<double> coordinate_descent(const State& s, const std::vector<double>& w) {
    std::vector<double> hessian = weighted_gram(data_, s.curvature.data(), threads_, pulse_);
    for (std::size_t i = 0; i < m_; ++i)
      for (std::size_t j = i + 1; j < m_; ++j) hessian[i * m_ + j] = hessian[j * m_ + i];
    for (std::size_t j = 0; j < data_.d; ++j) hessian[j * m_ + j] += rules_.l2;
    std::vector<double> step(m_, 0.0), slope = s.gradient;  // of the model at the step
    for (int sweep = 0; sweep < 1000; ++sweep) {
      double moved = 0;
      for (std::size_t j = 0; j < m_; ++j) {
        const double h = hessian[j * m_ + j];
        if (!(h > 0)) continue;
        const double at = w[j] + step[j], aim = at - slope[j] / h, cut = j < data_.d ? rules_.l1 / h : 0;
        const double next = aim > cut ? aim - cut : aim < -cut ? aim + cut : 0.0, change = next - at;
        if (change == 0) continue;
        step[j] += change;
        if (next == 0) step[j] = -w[j];  // exactly
        add_multiple(slope.data(), change, &hessian[j * m_], m_, slope.data());
        moved = std::max(moved, h * change * change);
      }
      if (moved <= 0.1 * rules_.tolerance * mass_) break;
    }
    return step;
  }

  const Standardised& data_;
  FitRules rules_;
  int threads_;
  Pulse& pulse_;
  std::size_t m_;
  const double *z_ = nullptr, *u_ = nullptr;
  double mass_ = 0;
};

}  // namespace askew
