// A penalised multinomial logistic model of the rows of a node, added to given logits, the strength of the penalty
// chosen by approximate leave-one-out. For linear leaves.
//
//   minimise  mean u (log sum_c exp f_c - f_y) + l2/2 sum_c |w_c|^2 + free/2 sum_c b_c^2,   f_c = given_c + w_c.z + b_c
//
// L-BFGS on the principal axes, each scaled by its curvature. Leaving a sample out moves f_c by about
// h (p - y) / (1 - h v), h = a' H^-1 a the leverage under the curvature H of class c, and v = k/(k-1) p (1-p): exact to
// second order for two classes, and where all have equal shares.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "linear/lbfgs.hpp"
#include "linear/normal_equations.hpp"
#include "linear/principal_axes.hpp"
#include "linear/standardised.hpp"
#include "numeric/parallel.hpp"
#include "numeric/portable_math.hpp"

namespace askew::linear {

using namespace numeric;
using namespace score;

struct MultinomialRows {
  std::size_t k = 0;               // classes
  std::vector<std::size_t> label;  // of each row
  std::vector<double> sample;      // weight of one sample of a row, as a share of all
  std::vector<double> given;       // logits to begin with: k x stride
};

struct MultinomialChoice {
  double loss = std::numeric_limits<double>::infinity();    // mean negative log-likelihood when left out
  double errors = std::numeric_limits<double>::infinity();  // share of errors when left out
  std::vector<double> w;                                    // k x (axes + 1), the constant last
};

// The coordinates of the rows on the principal axes, as `weighted_gram` takes columns.
struct AxisColumns {
  std::size_t n, d, stride;
  std::vector<double> columns;
  AxisColumns(const Standardised& data, const PrincipalAxes& axes)
      : n(data.n), d(axes.size()), stride(data.stride), columns(d * stride, 0.0) {
    for (std::size_t k = 0; k < d; ++k) axes.project(k, &columns[k * stride]);
  }
  const double* column(std::size_t k) const { return &columns[k * stride]; }
};

class MultinomialFit {
 public:
  MultinomialFit(const Standardised& data, const PrincipalAxes& axes, const MultinomialRows& rows, double free,
                 Interrupt& interrupt)
      : rows_(rows), axes_(axes), T_(data, axes), free_(free), m_(T_.d + 1), share_(data.weight),
        interrupt_(interrupt) {
    for (double& u : share_) u /= data.mass;
  }

  // From the strongest penalty on, for as long as the loss when left out falls.
  MultinomialChoice choose() {
    MultinomialChoice best;
    std::vector<double> w(rows_.k * m_, 0.0);
    int worse = 0;
    for (const double l2 : {1e1, 1e0, 3e-1, 1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5}) {
      fit(l2, w);
      MultinomialChoice one = left_out(l2, w);
      worse = one.loss < best.loss ? 0 : worse + 1;
      if (worse == 0) best = std::move(one);
      if (worse == 2) break;
    }
    return best;
  }

 private:
  void logits(const std::vector<double>& w, std::vector<double>& f) const {
    f = rows_.given;
    for (std::size_t c = 0; c < rows_.k; ++c) {
      double* own = &f[c * T_.stride];
      const double* a = &w[c * m_];
      for (std::size_t i = 0; i < T_.n; ++i) own[i] += a[T_.d];
      add_multiples(own, a, T_.d, T_.columns.data(), T_.stride, T_.stride);
    }
  }
  // f becomes probabilities; returns the mean loss.
  double soften(std::vector<double>& f) const {
    const std::size_t n = T_.stride;
    std::vector<double> most(f.begin(), f.begin() + static_cast<std::ptrdiff_t>(n)), total(n, 0.0), own(n, 0.0);
    for (std::size_t c = 1; c < rows_.k; ++c)
      for (std::size_t i = 0; i < n; ++i) most[i] = std::max(most[i], f[c * n + i]);
    for (std::size_t i = 0; i < T_.n; ++i) own[i] = f[rows_.label[i] * n + i];
    for (std::size_t c = 0; c < rows_.k; ++c) exponentials(&f[c * n], most.data(), total.data(), n);
    for (std::size_t c = 0; c < rows_.k; ++c)
      for (std::size_t i = 0; i < n; ++i) f[c * n + i] /= total[i];
    double loss = 0;
    for (std::size_t i = 0; i < T_.n; ++i) loss += share_[i] * (portable_log(total[i]) + most[i] - own[i]);
    return loss;
  }
  ASKEW_WIDE_VECTORS static void exponentials(double* f, const double* most, double* total, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) f[i] = portable_exp(f[i] - most[i]), total[i] += f[i];
  }

  void fit(double l2, std::vector<double>& w) {
    const std::size_t n = T_.stride, d = T_.d;
    std::vector<double> scale(m_), penalty(m_, l2), f, residual(n);
    penalty[d] = free_;
    for (std::size_t k = 0; k < m_; ++k) scale[k] = 1 / std::sqrt(0.25 * (k < d ? axes_.value(k) : 1.0) + penalty[k]);
    std::vector<double> x(w), at(w.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] /= scale[i % m_];
    const auto evaluate = [&](const std::vector<double>& v, std::vector<double>& gradient) {
      for (std::size_t i = 0; i < v.size(); ++i) at[i] = v[i] * scale[i % m_];
      logits(at, f);
      double value = soften(f);
      for (std::size_t c = 0; c < rows_.k; ++c) {
        for (std::size_t i = 0; i < T_.n; ++i) residual[i] = share_[i] * (f[c * n + i] - (rows_.label[i] == c));
        for (std::size_t k = 0; k < m_; ++k) {
          const std::size_t p = c * m_ + k;
          gradient[p] = k < d ? lane_dot(T_.column(k), residual.data(), n) : sum(residual);
          gradient[p] = (gradient[p] + penalty[k] * at[p]) * scale[k];
          value += 0.5 * penalty[k] * at[p] * at[p];
        }
      }
      return value;
    };
    lbfgs(x, std::vector<bool>(x.size(), false), {.max_iter = 100, .tolerance = 1e-7}, evaluate,
          [&](double) { interrupt_.check(); });
    for (std::size_t i = 0; i < x.size(); ++i) w[i] = x[i] * scale[i % m_];
  }

  MultinomialChoice left_out(double l2, const std::vector<double>& w) {
    const std::size_t n = T_.stride;
    std::vector<double> f, p, v(n, 0.0);
    logits(w, f);
    p = f;
    soften(p);
    const double more = static_cast<double>(rows_.k) / static_cast<double>(rows_.k - 1);
    for (std::size_t c = 0; c < rows_.k; ++c) {
      for (std::size_t i = 0; i < T_.n; ++i) v[i] = more * p[c * n + i] * (1 - p[c * n + i]);
      const std::vector<double> h = leverages(l2, v);
      for (std::size_t i = 0; i < T_.n; ++i) {
        const double own = h[i] * rows_.sample[i];
        f[c * n + i] += own * (p[c * n + i] - (rows_.label[i] == c)) / std::max(1 - own * v[i], 1e-6);
      }
    }
    MultinomialChoice found;
    found.errors = 0;
    for (std::size_t i = 0; i < T_.n; ++i) {
      std::size_t likeliest = 0;
      for (std::size_t c = 1; c < rows_.k; ++c)
        if (f[c * n + i] > f[likeliest * n + i]) likeliest = c;
      if (likeliest != rows_.label[i]) found.errors += share_[i];
    }
    found.loss = soften(f);
    found.w = w;
    return found;
  }
  // a' (A' diag(u v) A + penalty)^-1 a for each row a of the axes and 1.
  std::vector<double> leverages(double l2, const std::vector<double>& v) {
    const std::size_t n = T_.stride;
    std::vector<double> uv(n), h(n, 0.0);
    multiply_lanes(share_.data(), v.data(), n, uv.data());
    std::vector<double> lower = weighted_gram(T_, uv.data(), 1, interrupt_);
    for (std::size_t k = 0; k < m_; ++k) lower[k * m_ + k] += k < T_.d ? l2 : free_;
    if (!cholesky(lower.data(), m_)) return h;
    std::vector<double> y(m_ * n);
    for (std::size_t j = 0; j < m_; ++j) {  // L y = a, for all rows at once
      double* own = &y[j * n];
      if (j < T_.d) std::copy_n(T_.column(j), n, own);
      else std::fill_n(own, n, 1.0);
      for (std::size_t k = 0; k < j; ++k) add_multiple(own, -lower[j * m_ + k], &y[k * n], n, own);
      for (std::size_t i = 0; i < n; ++i) own[i] /= lower[j * m_ + j], h[i] += own[i] * own[i];
    }
    return h;
  }
  static double sum(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += value;
    return total;
  }

  const MultinomialRows& rows_;
  const PrincipalAxes& axes_;
  AxisColumns T_;
  double free_;  // penalty of the constants
  std::size_t m_;
  std::vector<double> share_;
  Interrupt& interrupt_;
};

}  // namespace askew::linear
