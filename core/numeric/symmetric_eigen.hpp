// Eigenvectors of a symmetric matrix, for HHCART and canonical directions. Those of a library depend on the kernels
// that it chooses for the processor, and so would the trees; these are the same everywhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "numeric/simd.hpp"

namespace askew::numeric {

// Four sums at once, in a fixed order: the same bits everywhere.
inline double dot(const double* a, const double* b, std::size_t n) {
  double part[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k) part[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) part[0] += a[i] * b[i];
  return (part[0] + part[1]) + (part[2] + part[3]);
}
inline void add_to(double* sum, double factor, const double* x, std::size_t n) { add_multiple(sum, factor, x, n, sum); }
ASKEW_WIDE_VECTORS [[maybe_unused]] static void rotate_rows(double* a, double* b, double c, double s, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = a[i], y = b[i];
    a[i] = c * x - s * y;
    b[i] = s * x + c * y;
  }
}

// Householder's reduction to a tridiagonal matrix, then QL iterations with implicit shifts (Golub & Van Loan, Matrix
// Computations, sections 8.3.1 and 8.3.3).
class SymmetricEigen {
 public:
  // Row-major, n x n, neither empty nor zero; squares of its entries must not vanish.
  SymmetricEigen(std::vector<double>&& matrix, std::size_t n)
      : n_(n), a_(std::move(matrix)), q_(n * n, 0.0), diagonal_(n), off_diagonal_(n, 0.0), order_(n) {
    const std::vector<double> h = reduce();
    accumulate(h);
    for (std::size_t l = 0; l < n_; ++l) iterate(l);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](auto i, auto j) { return diagonal_[i] > diagonal_[j]; });
  }
  // The k-th largest eigenvalue, and its eigenvector of length 1.
  double value(std::size_t k) const { return diagonal_[order_[k]]; }
  const double* vector(std::size_t k) const { return q_.data() + order_[k] * n_; }

 private:
  // A becomes tridiagonal by reflections I - u u' / h; u takes the place of the row that it was made of.
  std::vector<double> reduce() {
    std::vector<double> h(n_, 0.0), p(n_);
    for (std::size_t k = 0; k + 1 < n_; ++k) {
      const std::size_t m = n_ - k - 1;
      double* u = a_.data() + k * n_ + k + 1;
      diagonal_[k] = u[-1];
      off_diagonal_[k] = u[0];
      const double rest = dot(u + 1, u + 1, m - 1);
      if (rest == 0) continue;
      const double length = std::sqrt(u[0] * u[0] + rest);
      off_diagonal_[k] = u[0] > 0 ? -length : length;
      u[0] -= off_diagonal_[k];
      h[k] = 0.5 * (u[0] * u[0] + rest);
      std::fill_n(p.begin(), m, 0.0);
      for (std::size_t i = 0; i < m; ++i) add_to(p.data(), u[i] / h[k], row(k + 1 + i) + k + 1, m);
      add_to(p.data(), -0.5 * dot(u, p.data(), m) / h[k], u, m);
      for (std::size_t i = 0; i < m; ++i) {
        add_to(row(k + 1 + i) + k + 1, -u[i], p.data(), m);
        add_to(row(k + 1 + i) + k + 1, -p[i], u, m);
      }
    }
    diagonal_[n_ - 1] = a_[n_ * n_ - 1];
    return h;
  }
  // The product of all reflections, transposed: its rows become the eigenvectors.
  void accumulate(const std::vector<double>& h) {
    for (std::size_t i = 0; i < n_; ++i) q_[i * n_ + i] = 1;
    for (std::size_t k = n_ - 1; k-- > 0;) {
      if (h[k] == 0) continue;
      const std::size_t m = n_ - k - 1;
      const double* u = row(k) + k + 1;
      for (std::size_t i = k + 1; i < n_; ++i) {
        double* q = q_.data() + i * n_ + k + 1;
        add_to(q, -dot(q, u, m) / h[k], u, m);
      }
    }
  }
  // Iterates until the off-diagonal entry of row l vanishes.
  void iterate(std::size_t l) {
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    for (int turn = 0; turn < 100; ++turn) {
      std::size_t m = l;
      while (m + 1 < n_ &&
             std::abs(off_diagonal_[m]) > kEpsilon * (std::abs(diagonal_[m]) + std::abs(diagonal_[m + 1])))
        ++m;
      if (m == l) return;
      const double g = (diagonal_[l + 1] - diagonal_[l]) / (2 * off_diagonal_[l]), root = std::sqrt(g * g + 1);
      chase(l, m, diagonal_[m] - diagonal_[l] + off_diagonal_[l] / (g + (g < 0 ? -root : root)));
    }
  }
  // One QL step between l and m: the rotations move the entry that disturbs the form up and out.
  void chase(std::size_t l, std::size_t m, double g) {
    double s = 1, c = 1, p = 0;
    for (std::size_t i = m; i-- > l;) {
      const double f = s * off_diagonal_[i], b = c * off_diagonal_[i], r = std::sqrt(f * f + g * g);
      off_diagonal_[i + 1] = r;
      if (r == 0) {  // it splits here
        diagonal_[i + 1] -= p;
        off_diagonal_[m] = 0;
        return;
      }
      s = f / r, c = g / r;
      g = diagonal_[i + 1] - p;
      const double t = (diagonal_[i] - g) * s + 2 * c * b;
      p = s * t;
      diagonal_[i + 1] = g + p;
      g = c * t - b;
      rotate_rows(q_.data() + i * n_, q_.data() + (i + 1) * n_, c, s, n_);
    }
    diagonal_[l] -= p;
    off_diagonal_[l] = g;
    off_diagonal_[m] = 0;
  }

  double* row(std::size_t i) { return a_.data() + i * n_; }

  std::size_t n_;
  std::vector<double> a_, q_, diagonal_, off_diagonal_;
  std::vector<std::size_t> order_;
};

}  // namespace askew::numeric
