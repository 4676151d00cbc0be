// Ridge regression for every strength of the penalty at once, the strength chosen by generalised cross-validation. For
// linear leaves.
//
//   minimise  mean u (r - w.z)^2 + l2 |w|^2     over columns z of mean 0 and deviation 1, and r of mean 0
//
// In the coordinates of the eigenvectors of Z'UZ / mass, or of ZZ' where rows are fewer than columns, each strength costs
// one division a coordinate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/symmetric_eigen.hpp"
#include "linear/normal_equations.hpp"
#include "linear/standardised.hpp"

namespace askew {

// The error that is expected on other rows: `samples` of them, a mean squared residual, the degrees of freedom spent.
inline double generalised_error(double mean_square, double freedom, double samples) {
  const double left = 1 - freedom / samples;
  return left > 1e-9 ? mean_square / (left * left) : std::numeric_limits<double>::infinity();
}

// What of a target lies along the columns: mean_square = what is left of r without them.
struct RidgeChoice {
  double error = std::numeric_limits<double>::infinity();  // by generalised cross-validation
  double freedom = 1;                                      // the constant's among them
  double l2 = std::numeric_limits<double>::infinity();     // infinite: no weight at all
};

class RidgePath {
 public:
  RidgePath(const Standardised& data, const std::vector<double>& r, int threads, Pulse& pulse) : data_(data) {
    for (std::size_t i = 0; i < data.n; ++i) square_ += data.weight[i] * r[i] * r[i];
    square_ /= data.mass;
    for (std::size_t j = 0; j < data.d; ++j)
      if (data.scale[j] > 0) used_.push_back(j);
    if (used_.empty() || !(square_ > 0)) return;
    if (data.n < used_.size()) by_rows(r);
    else by_columns(r, threads, pulse);
  }

  // The strength of least error. `inherited` degrees of freedom came with what r is the residual of.
  RidgeChoice choose(double samples, double inherited) const {
    RidgeChoice best;
    for (const double l2 : kStrengths) {
      RidgeChoice one;
      one.l2 = l2;
      double left = square_;
      for (std::size_t k = 0; std::isfinite(l2) && k < value_.size(); ++k) {
        const double e = value_[k], a = e + l2;
        one.freedom += e / a;
        left -= along_[k] * along_[k] * (e + 2 * l2) / (a * a);
      }
      one.freedom += inherited * (1 - std::min(one.freedom / samples, 1.0));
      one.error = generalised_error(std::max(left, 0.0), one.freedom, samples);
      if (one.error < best.error * (1 - 1e-9)) best = one;
    }
    return best;
  }

  // A weight for each column.
  std::vector<double> weights(double l2) const {
    std::vector<double> w(data_.d, 0.0);
    if (!std::isfinite(l2)) return w;
    for (std::size_t k = 0; k < value_.size(); ++k)
      for (std::size_t j = 0; j < used_.size(); ++j) w[used_[j]] += along_[k] / (value_[k] + l2) * vector_[k * used_.size() + j];
    return w;
  }

 private:
  // The strongest first: of equals it wins.
  static constexpr double kStrengths[] = {std::numeric_limits<double>::infinity(),
                                          1e3,  3e2,  1e2,  3e1,  1e1,  3e0,  1e0,  3e-1, 1e-1, 3e-2,
                                          1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7};

  void by_columns(const std::vector<double>& r, int threads, Pulse& pulse) {
    const std::size_t d = used_.size(), m = data_.d + 1;
    const std::vector<double> gram = weighted_gram(data_, data_.weight.data(), threads, pulse);
    std::vector<double> a(d * d), slope(d), ur(data_.stride, 0.0);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        a[i * d + j] = gram[std::max(used_[i], used_[j]) * m + std::min(used_[i], used_[j])] / data_.mass;
    multiply_lanes(r.data(), data_.weight.data(), data_.stride, ur.data());
    for (std::size_t j = 0; j < d; ++j) slope[j] = lane_dot(data_.column(used_[j]), ur.data(), data_.stride) / data_.mass;
    const SymmetricEigen eigen(std::move(a), d);
    for (std::size_t k = 0; k < d && eigen.value(k) > 1e-12 * eigen.value(0); ++k)
      keep(eigen.value(k), dot(eigen.vector(k), slope.data(), d), eigen.vector(k));
  }

  // Of ZZ', with weights: n x n, and its eigenvectors q give those of Z'UZ as Z'q / sqrt(e).
  void by_rows(const std::vector<double>& r) {
    const std::size_t d = used_.size(), n = data_.n;
    std::vector<double> z(n * d), a(n * n), qr(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double root = std::sqrt(data_.weight[i] / data_.mass);
      for (std::size_t j = 0; j < d; ++j) z[i * d + j] = root * data_.column(used_[j])[i];
      qr[i] = root * r[i];
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) a[i * n + j] = a[j * n + i] = dot(&z[i * d], &z[j * d], d);
    const SymmetricEigen eigen(std::move(a), n);
    std::vector<double> v(d);
    for (std::size_t k = 0; k < n && eigen.value(k) > 1e-12 * eigen.value(0); ++k) {
      const double* q = eigen.vector(k);
      const double length = std::sqrt(eigen.value(k));
      std::fill(v.begin(), v.end(), 0.0);
      for (std::size_t i = 0; i < n; ++i) add_to(v.data(), q[i] / length, &z[i * d], d);
      keep(eigen.value(k), length * dot(q, qr.data(), n), v.data());
    }
  }

  void keep(double value, double along, const double* vector) {
    value_.push_back(value), along_.push_back(along);
    vector_.insert(vector_.end(), vector, vector + used_.size());
  }

  const Standardised& data_;
  double square_ = 0;                           // mean of u r^2
  std::vector<std::size_t> used_;               // columns that vary here
  std::vector<double> value_, along_, vector_;  // eigenvalues, what of r lies along the eigenvectors, and those
};

}  // namespace askew
