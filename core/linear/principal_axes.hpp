// The principal axes of the rows of a node: eigenvectors of Z'UZ / mass, Z the columns of mean 0 and deviation 1. For
// linear leaves: on these axes every strength of a penalty is one division a coordinate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "linear/normal_equations.hpp"
#include "linear/standardised.hpp"
#include "numeric/parallel.hpp"
#include "numeric/symmetric_eigen.hpp"

namespace askew::linear {

using namespace numeric;

class PrincipalAxes {
 public:
  PrincipalAxes(const Standardised& data, int threads, Interrupt& interrupt) : data_(data) {
    for (std::size_t j = 0; j < data.d; ++j)
      if (data.scale[j] > 0) used_.push_back(j);
    if (used_.empty()) return;
    if (data.n < used_.size()) by_rows();
    else by_columns(threads, interrupt);
  }

  std::size_t size() const { return value_.size(); }
  double value(std::size_t k) const { return value_[k]; }
  const double* vector(std::size_t k) const { return &vector_[k * used_.size()]; }

  // Z'U r / mass along each axis; r has data.stride entries, 0 in the padding.
  std::vector<double> along(const std::vector<double>& r) const {
    std::vector<double> ur(data_.stride), slope(used_.size()), found;
    multiply_lanes(r.data(), data_.weight.data(), data_.stride, ur.data());
    for (std::size_t j = 0; j < used_.size(); ++j)
      slope[j] = lane_dot(data_.column(used_[j]), ur.data(), data_.stride) / data_.mass;
    for (std::size_t k = 0; k < size(); ++k) found.push_back(dot(vector(k), slope.data(), used_.size()));
    return found;
  }
  // Weights on the axes as weights of the columns.
  std::vector<double> of_columns(const double* on_axes) const {
    std::vector<double> w(data_.d, 0.0);
    for (std::size_t k = 0; k < size(); ++k)
      for (std::size_t j = 0; j < used_.size(); ++j) w[used_[j]] += on_axes[k] * vector(k)[j];
    return w;
  }
  // The coordinate of each row on an axis, added to `to` (data.stride entries).
  void project(std::size_t k, double* to) const {
    for (std::size_t j = 0; j < used_.size(); ++j)
      add_multiple(to, vector(k)[j], data_.column(used_[j]), data_.stride, to);
  }

 private:
  static constexpr double kLeast = 1e-12;  // of the largest eigenvalue: below it there is nothing but rounding

  void by_columns(int threads, Interrupt& interrupt) {
    const std::size_t d = used_.size(), m = data_.d + 1;
    const std::vector<double> gram = weighted_gram(data_, data_.weight.data(), threads, interrupt);
    std::vector<double> a(d * d);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        a[i * d + j] = gram[std::max(used_[i], used_[j]) * m + std::min(used_[i], used_[j])] / data_.mass;
    const SymmetricEigen eigen(std::move(a), d);
    for (std::size_t k = 0; k < d && eigen.value(k) > kLeast * eigen.value(0); ++k)
      keep(eigen.value(k), eigen.vector(k));
  }
  // Rows are fewer than columns: by the eigenvectors q of ZZ', of which the axes are Z'q / sqrt(e).
  void by_rows() {
    const std::size_t d = used_.size(), n = data_.n;
    std::vector<double> z(n * d), a(n * n), v(d);
    for (std::size_t i = 0; i < n; ++i) {
      const double root = std::sqrt(data_.weight[i] / data_.mass);
      for (std::size_t j = 0; j < d; ++j) z[i * d + j] = root * data_.column(used_[j])[i];
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) a[i * n + j] = a[j * n + i] = dot(&z[i * d], &z[j * d], d);
    const SymmetricEigen eigen(std::move(a), n);
    for (std::size_t k = 0; k < n && eigen.value(k) > kLeast * eigen.value(0); ++k) {
      std::fill(v.begin(), v.end(), 0.0);
      for (std::size_t i = 0; i < n; ++i)
        add_to(v.data(), eigen.vector(k)[i] / std::sqrt(eigen.value(k)), &z[i * d], d);
      keep(eigen.value(k), v.data());
    }
  }
  void keep(double value, const double* vector) {
    value_.push_back(value);
    vector_.insert(vector_.end(), vector, vector + used_.size());
  }

  const Standardised& data_;
  std::vector<std::size_t> used_;  // columns that vary here
  std::vector<double> value_, vector_;
};

}  // namespace askew::linear
