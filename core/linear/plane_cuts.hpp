// The best cut along each of some planes, for `search="linear"`: projected as the tree's walker sums, cut exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "numeric/parallel.hpp"
#include "score/axis_cuts.hpp"
#include "score/local_target.hpp"

namespace askew::linear {

using namespace numeric;
using namespace score;

// projected[row * n_planes + plane]
inline std::vector<double> project(const double* X, std::size_t width, const std::uint32_t* rows, std::size_t n,
                                   const std::int64_t* features, std::size_t d, const double* weights,
                                   std::size_t n_planes, int threads, Interrupt& interrupt) {
  std::vector<double> projected(n * n_planes);
  constexpr std::size_t kTask = 1024;
  parallel_for((n + kTask - 1) / kTask, threads, interrupt, [&](std::size_t task, std::size_t) {
    for (std::size_t i = task * kTask; i < std::min(n, (task + 1) * kTask); ++i) {
      const double* x = X + rows[i] * width;
      for (std::size_t p = 0; p < n_planes; ++p) {
        const double* w = weights + p * d;
        double sum = 0;  // in the order of the walk, which leaves weights of zero out
        for (std::size_t j = 0; j < d; ++j)
          if (w[j] != 0) sum += w[j] * x[features[j]];
        projected[i * n_planes + p] = sum;
      }
    }
  });
  return projected;
}

}  // namespace askew::linear
