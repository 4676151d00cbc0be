// The Cholesky factor of a small symmetric matrix, for penalised fits: linear nodes and leaves, forests, boosting.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace askew::numeric {

// A = L L', in the lower triangle; false if A is not positive definite to working precision.
inline bool cholesky(double* a, std::size_t m) {
  for (std::size_t i = 0; i < m; ++i) {
    double* row = a + i * m;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = a + j * m;
      double part[4] = {};
      std::size_t k = 0;
      for (; k + 4 <= j; k += 4)
        for (std::size_t l = 0; l < 4; ++l) part[l] += row[k + l] * other[k + l];
      for (; k < j; ++k) part[0] += row[k] * other[k];
      const double rest = row[j] - ((part[0] + part[1]) + (part[2] + part[3]));
      if (j < i) {
        row[j] = rest / other[j];
      } else {
        if (!(rest > 1e-13 * row[i])) return false;
        row[i] = std::sqrt(rest);
      }
    }
  }
  return true;
}

// b becomes L^-1 b.
inline void solve_lower(const double* l, std::size_t m, double* b) {
  for (std::size_t i = 0; i < m; ++i) {
    double sum = b[i];
    for (std::size_t k = 0; k < i; ++k) sum -= l[i * m + k] * b[k];
    b[i] = sum / l[i * m + i];
  }
}
// b becomes L'^-1 b.
inline void solve_upper(const double* l, std::size_t m, double* b) {
  for (std::size_t i = m; i-- > 0;) {
    b[i] /= l[i * m + i];
    for (std::size_t k = 0; k < i; ++k) b[k] -= l[i * m + k] * b[i];
  }
}

// A + l2 I, factored; l2 is raised by powers of ten where the matrix is singular. With `constant`, the last row is that
// of the constant, which has no penalty.
struct Factor {
  std::vector<double> lower;
  std::size_t m = 0;
  double l2 = 0;
  bool ok = false;

  Factor(const std::vector<double>& gram, std::size_t size, double penalty, bool constant = true)
      : m(size), l2(penalty) {
    double trace = 0;
    for (std::size_t i = 0; i < m; ++i) trace += gram[i * m + i];
    const double least = 1e-10 * trace / static_cast<double>(m);
    for (int attempt = 0; attempt < 14 && !ok; ++attempt) {
      lower = gram;
      for (std::size_t i = 0; i + constant < m; ++i) lower[i * m + i] += l2;
      if (constant) lower[m * m - 1] += attempt > 0 ? 1e-10 * l2 : 0;
      ok = cholesky(lower.data(), m);
      if (!ok) l2 = std::max(10 * l2, least);
    }
  }
  void solve(double* b) const { solve_lower(lower.data(), m, b), solve_upper(lower.data(), m, b); }
};

}  // namespace askew::numeric
