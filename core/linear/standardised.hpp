// The rows of a node with columns of mean 0 and deviation 1, for the penalised fits of `search="linear"`.
//
//   column 0   x x x x x 0 0 0     column by column, filled up with zeros to a multiple of eight rows, so that sums
//   column 1   x x x x x 0 0 0     run over whole lanes
//   weight     u u u u u 0 0 0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numeric/lanes.hpp"
#include "numeric/parallel.hpp"
#include "score/target.hpp"

namespace askew::linear {

using namespace numeric;
using namespace score;

class Standardised {
 public:
  Standardised(const Target& target, const double* X, std::size_t width, const std::uint32_t* rows, std::size_t n_rows,
               const std::int64_t* features, std::size_t n_features, int threads, Interrupt& interrupt)
      : n(n_rows), d(n_features), stride(whole_lanes(n)), shift(d), scale(d), weight(stride, 0.0),
        columns_(d * stride, 0.0) {
    for (std::size_t i = 0; i < n; ++i) weight[i] = target.weight_of(rows[i]), mass += weight[i];
    parallel_for(d, threads_for(threads, kMeasureCost, n, d), interrupt, [&](std::size_t j, std::size_t) {
      double* x = &columns_[j * stride];
      const double* from = X + features[j];
      for (std::size_t i = 0; i < n; ++i) x[i] = from[rows[i] * width];
      standardise(j, x);
    });
  }

  const double* column(std::size_t j) const { return &columns_[j * stride]; }

  std::size_t n, d, stride;
  double mass = 0;                   // sum of the weights
  std::vector<double> shift, scale;  // x' = (x - shift) / scale; a scale of 0: constant here, all zeros
  std::vector<double> weight;

 private:
  void standardise(std::size_t j, double* x) {
    const auto [low, high] = std::minmax_element(x, x + n);
    const double least = *low, half = *high * 0.5 - least * 0.5;
    // By the range first: neither squares of huge values overflow nor those of tiny ones vanish.
    if (!(half > 1e-290)) {
      std::fill(x, x + n, 0.0);
      return;
    }
    for (std::size_t i = 0; i < n; ++i) x[i] = (x[i] * 0.5 - least * 0.5) / half;
    const double mean = lane_dot(x, weight.data(), stride) / mass;
    for (std::size_t i = 0; i < n; ++i) x[i] -= mean;
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) squares += weight[i] * x[i] * x[i];
    const double deviation = std::sqrt(squares / mass);
    for (std::size_t i = 0; i < n; ++i) x[i] /= deviation;
    shift[j] = least + 2 * mean * half, scale[j] = 2 * deviation * half;
    if (!std::isfinite(shift[j]) || !std::isfinite(scale[j]) || !(scale[j] > 0)) {
      std::fill(x, x + n, 0.0);
      scale[j] = 0;
    }
  }

  std::vector<double> columns_;
};

}  // namespace askew::linear
