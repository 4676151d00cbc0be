// The mirrors of HHCART: each takes an eigenvector of a class's covariance to the first axis.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "numeric/symmetric_eigen.hpp"

namespace askew::hhcart {

using namespace numeric;

// Rows of d numbers between -1 and 1, and how much each counts.
struct WeightedRows {
  const double* X;
  const double* weight;
  std::size_t n, d;
};

// Different rows in the order of their values, each with the square root of its share of the weight, less the mean.
// Neither the order of the rows nor repetition changes a sum over these.
class CentredRows {
 public:
  explicit CentredRows(const WeightedRows& rows) : d(rows.d), mean_(rows.d, 0.0) {
    const auto x = [&](std::uint32_t i) { return rows.X + i * d; };
    std::vector<std::uint32_t> order(rows.n);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
      const auto [a, b] = std::mismatch(x(i), x(i) + d, x(j));
      return a == x(i) + d ? rows.weight[i] < rows.weight[j] : *a < *b;
    });
    double total = 0;
    std::vector<double> weight;
    for (std::size_t at = 0; at < rows.n; ++at) {
      const std::uint32_t i = order[at];
      total += rows.weight[i];
      if (at > 0 && std::equal(x(i), x(i) + d, x(order[at - 1]))) {
        weight.back() += rows.weight[i];
      } else {
        weight.push_back(rows.weight[i]);
        centred.insert(centred.end(), x(i), x(i) + d);
      }
    }
    n = weight.size();
    for (std::size_t i = 0; i < n; ++i) add_to(mean_.data(), weight[i] / total, row(i), d);
    for (std::size_t i = 0; i < n; ++i) {
      const double root = std::sqrt(weight[i] / total);
      double* own = centred.data() + i * d;
      for (std::size_t f = 0; f < d; ++f) own[f] = root * (own[f] - mean_[f]);
    }
  }
  const double* row(std::size_t i) const { return centred.data() + i * d; }

  std::size_t n = 0, d;
  std::vector<double> centred;

 private:
  std::vector<double> mean_;
};

// The eigenvectors of the rows' covariance, that of the largest eigenvalue first, as rows of d numbers; those whose
// eigenvalue is below `spread` of the largest are left out. Of its components of the largest size, the first is
// positive.
inline std::vector<double> principal_directions(const WeightedRows& given, double spread, bool dominant_alone) {
  std::vector<double> found;
  if (given.n < 2) return found;
  const CentredRows rows(given);
  const std::size_t d = rows.d, n = rows.n;
  // With C the centred rows, C'C has the eigenvectors; C C', which is smaller where rows are few, has their images.
  const bool by_features = n >= d;
  const std::size_t m = by_features ? d : n;
  std::vector<double> product(m * m, 0.0);
  if (by_features)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t f = 0; f < d; ++f) add_to(&product[f * d], rows.row(i)[f], rows.row(i), d);
  else
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) product[i * n + j] = product[j * n + i] = dot(rows.row(i), rows.row(j), d);
  double largest = 0;
  for (const double entry : product) largest = std::max(largest, std::abs(entry));
  if (!(largest > 0)) return found;
  const int power = -std::ilogb(largest);
  for (double& entry : product) entry = std::ldexp(entry, power);
  const SymmetricEigen eigen(std::move(product), m);
  std::vector<double> q(d);
  for (std::size_t k = 0; k < m && eigen.value(k) > spread * eigen.value(0); ++k) {
    if (by_features) {
      std::copy_n(eigen.vector(k), d, q.begin());
    } else {
      std::fill(q.begin(), q.end(), 0.0);
      for (std::size_t i = 0; i < n; ++i) add_to(q.data(), std::ldexp(eigen.vector(k)[i], power / 2), rows.row(i), d);
    }
    const double length = std::sqrt(dot(q.data(), q.data(), d));
    double size = 0;
    for (const double component : q) size = std::max(size, std::abs(component));
    const auto first = std::find_if(q.begin(), q.end(), [&](double c) { return std::abs(c) > (1 - 1e-9) * size; });
    const double factor = *first > 0 ? 1 / length : -1 / length;
    for (const double component : q) found.push_back(component * factor);
    if (dominant_alone) break;
  }
  return found;
}

// The unit normal of the mirror that takes q to the first axis; false if q is nearer to it than tau.
inline bool mirror_of(const double* q, std::size_t d, double tau, double* normal) {
  for (std::size_t f = 0; f < d; ++f) normal[f] = -q[f];
  normal[0] += 1;
  const double length = std::sqrt(dot(normal, normal, d));
  if (!(length > tau)) return false;
  for (std::size_t f = 0; f < d; ++f) normal[f] /= length;
  return true;
}

// The rows as the mirror shows them: x - 2 (x u) u.
inline std::vector<double> reflect(const double* X, std::size_t n, std::size_t d, const double* u) {
  std::vector<double> image(X, X + n * d);
  for (std::size_t i = 0; i < n; ++i) add_to(&image[i * d], -2 * dot(X + i * d, u, d), u, d);
  return image;
}

}  // namespace askew::hhcart
