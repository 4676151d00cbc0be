// Canonical directions of several classes (linear discriminant analysis), for `search="linear"` and forests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "numeric/cholesky.hpp"
#include "numeric/symmetric_eigen.hpp"

namespace askew::numeric {

using Direction = std::vector<double>;  // a weight for each standardised column

// Of the rows of k classes, all with rows, with weights u: their weight, the sums of their columns (k x d), and
// (X 1)'U(X 1) of all, of which the lower triangle counts. The columns have mean 0.
struct ClassMoments {
  std::vector<double> mass, sums, gram;
};

// The eigenvectors of (W + l2 I)^-1 B, W the scatter within and B that between the classes, of the largest eigenvalues.
inline std::vector<Direction> canonical_directions(const ClassMoments& rows, double l2, std::size_t most) {
  const std::vector<double>& mass = rows.mass;
  const std::size_t k = mass.size(), d = rows.sums.size() / k, m = d + 1;
  std::vector<double> means = rows.sums, within = rows.gram;
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t j = 0; j < d; ++j) means[c * d + j] /= mass[c];
  // W = X'UX - sum mass m m'; the mean of all rows is 0.
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t c = 0; c < k; ++c) within[i * m + j] -= mass[c] * means[c * d + i] * means[c * d + j];
  for (std::size_t j = 0; j < d; ++j) within[d * m + j] = 0;
  const Factor factor(within, m, l2);
  std::vector<Direction> found;
  if (!factor.ok) return found;
  std::vector<double> a(k * m, 0.0), product(k * k);
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t j = 0; j < d; ++j) a[c * m + j] = std::sqrt(mass[c]) * means[c * d + j];
    solve_lower(factor.lower.data(), m, &a[c * m]);
  }
  double largest = 0;
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t e = 0; e < k; ++e) {
      product[c * k + e] = dot(&a[c * m], &a[e * m], d);
      largest = std::max(largest, std::abs(product[c * k + e]));
    }
  if (!(largest > 0)) return found;
  for (double& entry : product) entry /= largest;
  const SymmetricEigen eigen(std::move(product), k);
  for (std::size_t e = 0; e < std::min(most, k - 1) && eigen.value(e) > 1e-9 * eigen.value(0); ++e) {
    std::vector<double> w(m, 0.0);
    for (std::size_t c = 0; c < k; ++c) add_to(w.data(), eigen.vector(e)[c], &a[c * m], m);
    solve_upper(factor.lower.data(), m, w.data());
    w.resize(d);
    found.push_back(std::move(w));
  }
  return found;
}

}  // namespace askew::numeric
