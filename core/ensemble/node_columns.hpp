// Some columns of the rows at a node of a forest's tree, centred, with what a Newton step needs of them.
//
//   raw       x x x x x . . .     column by column, filled up to a multiple of eight rows, so that sums run over whole
//   centred   x x x x x 0 0 0     lanes; the memory is kept from node to node
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numeric/lanes.hpp"

namespace askew::ensemble {

using namespace numeric;

// x - mean and weight (x - mean), for whole lanes; rows behind the last have weight 0.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void centre_column(const double* raw, const double* weight, double mean, std::size_t n,
                                           double* centred, double* weighted) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = raw[i] - mean;
    centred[i] = x;
    weighted[i] = x * weight[i];
  }
}

// w[0] x_0 + w[1] x_1 + ..., summed in this order, as a walk down the tree does.
ASKEW_WIDE_VECTORS
[[maybe_unused]] static void combine_columns(const double* const* columns, const double* w, std::size_t m,
                                             std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = w[0] * columns[0][i];
  std::size_t j = 1;
  for (; j + 2 <= m; j += 2) {
    const double *a = columns[j], *b = columns[j + 1];
    const double u = w[j], v = w[j + 1];
    for (std::size_t i = 0; i < n; ++i) to[i] = (to[i] + u * a[i]) + v * b[i];
  }
  for (; j < m; ++j)
    for (std::size_t i = 0; i < n; ++i) to[i] = to[i] + w[j] * columns[j][i];
}

class NodeColumns {
 public:
  std::size_t n = 0, stride = 0, m = 0;
  double mass = 0;
  std::vector<double> weight;           // of the rows, 0 behind the last
  std::vector<std::uint32_t> features;  // ascending
  std::vector<double> deviation;        // of each column; 0: as good as constant
  std::vector<double> correlation;      // m x m, row-major, the lower triangle counts

  void set_rows(std::size_t n_rows) {
    n = n_rows;
    stride = whole_lanes(n);
    if (weight.size() < stride) weight.resize(stride);
    std::fill(weight.begin() + static_cast<std::ptrdiff_t>(n), weight.begin() + static_cast<std::ptrdiff_t>(stride),
              0.0);
  }
  // Takes the columns of `features` from a table of d columns; row(i) is the number of the i-th row.
  template <class Row>
  void gather(const double* X, std::size_t d, Row row) {
    m = features.size();
    for (std::vector<double>* block : {&raw_, &centred_, &weighted_})
      if (block->size() < m * stride) block->resize(m * stride);
    deviation.resize(m);
    double* to = raw_.data();
    for (std::size_t i = 0; i < n; ++i) {
      const double* x = X + static_cast<std::size_t>(row(i)) * d;
      for (std::size_t j = 0; j < m; ++j) to[j * stride + i] = x[features[j]];
    }
  }
  double* raw(std::size_t j) { return raw_.data() + j * stride; }
  const double* raw(std::size_t j) const { return raw_.data() + j * stride; }
  const double* centred(std::size_t j) const { return centred_.data() + j * stride; }
  const double* weighted(std::size_t j) const { return weighted_.data() + j * stride; }

  // Means, deviations and correlations of the columns.
  void measure() {
    correlation.assign(m * m, 0.0);
    for (std::size_t j = 0; j < m; ++j) {
      double* x = raw(j);
      std::fill(x + n, x + stride, x[0]);
      // About the first value: a mean far from 0 would leave little of the spread.
      const double mean = x[0] + mean_distance(x);
      centre_column(x, weight.data(), mean, stride, centred_.data() + j * stride, weighted_.data() + j * stride);
      const double squares = lane_dot(centred(j), weighted(j), stride);
      deviation[j] = std::isfinite(squares) && squares > 0 ? std::sqrt(squares / mass) : 0.0;
    }
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < i; ++j)
        if (deviation[i] > 0 && deviation[j] > 0)
          correlation[i * m + j] = lane_dot(weighted(i), centred(j), stride) / mass / deviation[i] / deviation[j];
      correlation[i * m + i] = 1;
    }
  }
  // The covariance of each scaled column with numbers (0 behind the last row).
  void covariances(const double* numbers, double* to) const {
    for (std::size_t j = 0; j < m; ++j)
      to[j] = deviation[j] > 0 ? lane_dot(weighted(j), numbers, stride) / mass / deviation[j] : 0.0;
  }
  // The combination of the columns with these weights, for each row.
  void project(const double* w, double* to) {
    columns_.resize(m);
    for (std::size_t j = 0; j < m; ++j) columns_[j] = raw(j);
    combine_columns(columns_.data(), w, m, stride, to);
  }

 private:
  double mean_distance(const double* x) {
    if (distance_.size() < stride) distance_.resize(stride);
    const double first = x[0];
    for (std::size_t i = 0; i < stride; ++i) distance_[i] = x[i] - first;
    return lane_dot(distance_.data(), weight.data(), stride) / mass;
  }

  std::vector<double> raw_, centred_, weighted_, distance_;
  std::vector<const double*> columns_;
};

}  // namespace askew::ensemble
