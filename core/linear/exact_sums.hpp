// Moments of rows that lie on several machines, for the fits of `search="linear"`: every term is rounded to a multiple
// of a power of two that is so large that sums over all rows are exact. They are then the same for any partitioning.
//
// How large is known beforehand: columns have mean 0 and deviation 1, so that by Cauchy and Schwarz the absolute terms
// of sum u x x' add up to no more than the sum of the weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "linear/penalised_fit.hpp"
#include "linear/standardised.hpp"
#include "numeric/simd.hpp"
#include "score/target.hpp"

namespace askew::linear {

using namespace numeric;
using namespace score;

// Sum of a[i] b[i], each rounded; n is a multiple of eight. `large` is 1.5 * 2^52 times what they are rounded to.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static double rounded_dot(const double* a, const double* b, std::size_t n, double large) {
  double part[kLanes] = {};
  for (std::size_t i = 0; i < n; i += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) part[l] += (a[i + l] * b[i + l] + large) - large;
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

// How columns are brought to mean 0 and deviation 1 (standardised.hpp); a deviation of 0: constant, all zeros.
struct ColumnScales {
  const double *least, *half, *mean, *deviation;

  double by_range(std::size_t j, double x) const { return (x * 0.5 - least[j] * 0.5) / half[j]; }
  double of(std::size_t j, double x) const {
    return deviation[j] > 0 ? (by_range(j, x) - mean[j]) / deviation[j] : 0.0;
  }
};

// Some rows of a partition, column by column, filled up with zeros: the features, then the constant.
class RowBlock {
 public:
  static constexpr std::size_t kRows = 1024;

  RowBlock(const Target& target, const double* X, std::size_t n_features, const ColumnScales& scales)
      : d(n_features), m(d + 1), weight(kRows), target_(target), X_(X), scales_(scales), columns_(m * kRows) {}

  // Takes rows[from], ...
  void take(const std::uint32_t* rows, std::size_t from, std::size_t n_rows) {
    rows_ = rows + from;
    n = std::min(kRows, n_rows - from);
    stride = whole_lanes(n);
    std::fill(columns_.begin(), columns_.end(), 0.0), std::fill(weight.begin(), weight.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double* x = X_ + static_cast<std::size_t>(rows_[i]) * d;
      for (std::size_t j = 0; j < d; ++j) columns_[j * kRows + i] = scales_.of(j, x[j]);
      columns_[d * kRows + i] = 1;
      weight[i] = target_.weight_of(rows_[i]);
    }
  }
  const double* column(std::size_t j) const { return &columns_[j * kRows]; }
  std::uint32_t row(std::size_t i) const { return rows_[i]; }

  // Adds (X 1)' r, and the lower triangle of (X 1)' diag(v) (X 1).
  void add_products(const double* r, double large, double* to) const {
    for (std::size_t j = 0; j < m; ++j) to[j] += rounded_dot(column(j), r, stride, large);
  }
  void add_gram(const double* v, double large, double* to) const {
    std::vector<double> a(stride);
    for (std::size_t i = 0; i < m; ++i) {
      multiply_lanes(column(i), v, stride, a.data());
      for (std::size_t j = 0; j <= i; ++j) to[i * m + j] += rounded_dot(a.data(), column(j), stride, large);
    }
  }

  std::size_t d, m, n = 0, stride = 0;
  std::vector<double> weight;

 private:
  const Target& target_;
  const double* X_;
  ColumnScales scales_;
  const std::uint32_t* rows_ = nullptr;
  std::vector<double> columns_;
};

// Adds the loss of a logistic fit of a group of classes (plane_directions.hpp) at w, its gradient and its curvature.
struct LossSums {
  double loss = 0;
  std::vector<double> gradient, gram;
};

inline void add_losses(const RowBlock& block, const Target& target, const std::int8_t* group, const double* w,
                       double large_loss, double large, LossSums& to) {
  const std::size_t n = block.stride;
  std::vector<double> z(n, 0.0), u(n, 0.0), f(n, w[block.d]), loss(n), slope(n), curvature(n), one(n, 1.0);
  for (std::size_t i = 0; i < block.n; ++i) {
    const std::int8_t side = group[target.label[block.row(i)]];
    z[i] = side > 0, u[i] = side < 0 ? 0.0 : block.weight[i];
  }
  for (std::size_t j = 0; j < block.d; ++j)
    if (w[j] != 0) add_multiple(f.data(), w[j], block.column(j), n, f.data());
  row_losses(Loss::logistic, f.data(), z.data(), u.data(), n, loss.data(), slope.data(), curvature.data());
  to.loss += rounded_dot(loss.data(), one.data(), n, large_loss);
  block.add_products(slope.data(), large, to.gradient.data());
  block.add_gram(curvature.data(), large, to.gram.data());
}

}  // namespace askew::linear
