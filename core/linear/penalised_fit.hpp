// Penalised logistic and least-squares fits to rows in memory, for `search="linear"`.
//
//   minimise  sum u loss(z, w.x + b) + l2/2 |w|^2 + l1 |w|_1     over columns of mean 0 and deviation 1
//
// By Newton's method (newton_steps.hpp). The first step from zero is ridge regression on the labels: the direction of
// linear discriminant analysis.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "linear/newton_steps.hpp"
#include "linear/normal_equations.hpp"
#include "linear/standardised.hpp"
#include "numeric/parallel.hpp"
#include "numeric/portable_math.hpp"
#include "numeric/simd.hpp"

namespace askew::linear {

using namespace numeric;
using namespace score;

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

// The loss of each of n rows with targets z and weights u at the values f, its slope in f and its curvature.
[[maybe_unused]] static void row_losses(Loss kind, const double* f, const double* z, const double* u, std::size_t n,
                                        double* loss, double* slope, double* curvature) {
  if (kind == Loss::logistic) {
    logistic(f, n, loss, slope);
    for (std::size_t i = 0; i < n; ++i) {
      const double p = slope[i];
      loss[i] = u[i] * (loss[i] + std::max(f[i], 0.0) - z[i] * f[i]);
      slope[i] = u[i] * (p - z[i]);
      curvature[i] = u[i] * std::max(p * (1 - p), 1e-10);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      slope[i] = u[i] * (f[i] - z[i]);
      loss[i] = 0.5 * slope[i] * (f[i] - z[i]);
      curvature[i] = u[i];
    }
  }
}

class PenalisedFit {
 public:
  PenalisedFit(const Standardised& data, const FitRules& rules, int threads, Interrupt& interrupt)
      : data_(data), rules_(rules), threads_(threads), interrupt_(interrupt), m_(data.d + 1) {}

  // Weights of the features and the constant for targets z with weights u (both of data.stride rows, 0 in the padding),
  // from a start of the same length; weights of features that are constant here are 0.
  std::vector<double> fit(const double* z, const double* u, std::vector<double> w) {
    double mass = 0;
    for (std::size_t i = 0; i < data_.n; ++i) mass += u[i];
    NewtonSteps newton(rules_, mass, std::move(w));
    std::vector<double> f, loss(data_.stride), slope(data_.stride);
    Curvature curvature{*this, std::vector<double>(data_.stride)};
    while (!newton.done()) {
      interrupt_.check();
      values(newton.at(), f);
      row_losses(rules_.loss, f.data(), z, u, data_.stride, loss.data(), slope.data(), curvature.v.data());
      double total = 0;
      for (const double one : loss) total += one;
      newton.take(total, products(slope), curvature);
    }
    return newton.weights();
  }

 private:
  struct Curvature {
    const PenalisedFit& fit;
    std::vector<double> v;  // of each row

    std::vector<double> gram() const { return weighted_gram(fit.data_, v.data(), fit.threads_, fit.interrupt_); }
    double total() const {
      double sum = 0;
      for (const double one : v) sum += one;
      return sum;
    }
    void multiply(const std::vector<double>& p, std::vector<double>& to) const {
      fit.interrupt_.check();
      std::vector<double> f;
      fit.values(p, f);
      multiply_lanes(f.data(), v.data(), fit.data_.stride, f.data());
      to = fit.products(f);
    }
  };

  void values(const std::vector<double>& w, std::vector<double>& f) const {
    f.assign(data_.stride, w[data_.d]);
    for (std::size_t j = 0; j < data_.d; ++j)
      if (w[j] != 0) add_multiple(f.data(), w[j], data_.column(j), data_.stride, f.data());
  }

  // (X 1)' r
  std::vector<double> products(const std::vector<double>& r) const {
    std::vector<double> sums(m_, 0.0);
    for (std::size_t j = 0; j < data_.d; ++j) sums[j] = lane_dot(data_.column(j), r.data(), data_.stride);
    for (const double one : r) sums[data_.d] += one;
    return sums;
  }

  const Standardised& data_;
  FitRules rules_;
  int threads_;
  Interrupt& interrupt_;
  std::size_t m_;
};

}  // namespace askew::linear
