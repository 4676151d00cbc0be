// The Cholesky factor of a small symmetric matrix, for penalised fits: linear nodes and leaves, forests, boosting.
#pragma once

#include <cmath>
#include <cstddef>

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

}  // namespace askew::numeric
