// Directions at a node of a forest's tree, in some drawn features: one penalised Newton step of a logistic or linear
// model from zero (Jaeger et al. 2024, accelerated oblique random survival forests), canonical directions for more than
// two classes (Rainforth and Wood 2015, canonical correlation forests), or random sparse combinations (Breiman 2001,
// Forest-RC; Tomita et al. 2020, SPORF).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "ensemble/cut_scan.hpp"
#include "ensemble/node_columns.hpp"
#include "numeric/cholesky.hpp"
#include "numeric/rng.hpp"
#include "numeric/symmetric_eigen.hpp"

namespace askew::ensemble {

using namespace numeric;

// One direction: weights in the units of the columns.
class NodeDirections {
 public:
  bool found = false;
  std::vector<double> weights;

  // The first Newton step from zero: H = X' U X / 4 + l2 I for classes (curvature 1/4), X' U X + l2 I for numbers; the
  // columns have mean 0 and deviation 1. A factor of the direction changes no cut.
  void newton(const NodeColumns& columns, const double* z, double l2, double curvature) {
    start(columns);
    if (!factor(columns, l2 / (curvature * columns.mass))) return;
    columns.covariances(z, weights.data());
    solve_lower(factor_.data(), m_, weights.data());
    solve_upper(factor_.data(), m_, weights.data());
    keep(columns);
  }

  // The first eigenvector of (T + l2 I)^-1 B: T is the scatter of all rows, B that between the classes. It is that of
  // (W + l2 I)^-1 B, W = T - B within the classes.
  void canonical(const NodeColumns& columns, const ClassRows& rows, double l2) {
    const std::size_t k = rows.of_class.size();
    start(columns);
    if (!factor(columns, 4 * l2 / columns.mass)) return;
    means_.assign(k * m_, 0.0);  // of each class, times the root of its share
    for (std::size_t j = 0; j < m_; ++j) {
      const double* x = columns.weighted(j);
      for (std::size_t i = 0; i < columns.n; ++i) means_[static_cast<std::size_t>(rows.label[i]) * m_ + j] += x[i];
    }
    std::vector<double> between(m_ * m_, 0.0);
    double size = 0;
    for (std::size_t c = 0; c < k; ++c) {
      double* mean = means_.data() + c * m_;
      const double root = std::sqrt(rows.of_class[c] * columns.mass);
      for (std::size_t j = 0; j < m_; ++j)
        mean[j] = columns.deviation[j] > 0 ? mean[j] / root / columns.deviation[j] : 0.0;
      solve_lower(factor_.data(), m_, mean);
      for (std::size_t i = 0; i < m_; ++i)
        for (std::size_t j = 0; j < m_; ++j) between[i * m_ + j] += mean[i] * mean[j];
    }
    for (std::size_t i = 0; i < m_; ++i) size += between[i * m_ + i];
    if (!(size > 1e-100)) return;
    const SymmetricEigen eigen(std::move(between), m_);
    std::copy(eigen.vector(0), eigen.vector(0) + m_, weights.begin());
    solve_upper(factor_.data(), m_, weights.data());
    keep(columns);
  }

  // Two of the columns, scaled, with random signs.
  void random_pair(const NodeColumns& columns, Rng& random) {
    start(columns);
    const std::size_t first = static_cast<std::size_t>(random.below(m_));
    std::size_t second = static_cast<std::size_t>(random.below(m_ - 1));
    second += second >= first;
    weights[first] = 1;
    weights[second] = (random.next() >> 63) != 0 ? 1.0 : -1.0;
    keep(columns);
  }

 private:
  void start(const NodeColumns& columns) {
    m_ = columns.m;
    found = false;
    weights.assign(m_, 0.0);
  }
  // The penalty is raised until the matrix can be factored.
  bool factor(const NodeColumns& columns, double penalty) {
    for (int attempt = 0; attempt < 12; ++attempt) {
      factor_ = columns.correlation;
      for (std::size_t j = 0; j < m_; ++j) factor_[j * m_ + j] += penalty;
      if (cholesky(factor_.data(), m_)) return true;
      penalty = std::max(10 * penalty, 1e-8);
    }
    return false;
  }
  // From scaled columns to columns as they are.
  void keep(const NodeColumns& columns) {
    for (std::size_t j = 0; j < m_; ++j) {
      weights[j] = columns.deviation[j] > 0 ? weights[j] / columns.deviation[j] : 0.0;
      if (!std::isfinite(weights[j])) return;
      found = found || weights[j] != 0;
    }
  }

  std::size_t m_ = 0;
  std::vector<double> factor_, means_;
};

}  // namespace askew::ensemble
