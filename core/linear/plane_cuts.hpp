// The best cut along each of some planes, for `search="linear"`: projected as the tree's walker sums, cut exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/axis_cuts.hpp"
#include "base/parallel.hpp"
#include "base/target.hpp"

namespace askew {

// The target of some rows, which become 0..n-1.
struct LocalTarget {
  LocalTarget(const Target& target, const std::uint32_t* rows, std::size_t n) {
    const auto take = [&](const auto* from, auto& to) {
      if (!from) return to.data();
      to.resize(n);
      for (std::size_t i = 0; i < n; ++i) to[i] = from[rows[i]];
      return to.data();
    };
    view = {take(target.label, label), take(target.y, y), take(target.weight, weight),
            take(target.multiplicity, multiplicity), target.k};
    if (!target.label) view.label = nullptr;
    if (!target.y) view.y = nullptr;
    if (!target.weight) view.weight = nullptr;
    if (!target.multiplicity) view.multiplicity = nullptr;
    everyone.resize(n);
    std::iota(everyone.begin(), everyone.end(), 0u);
  }
  Target view;
  std::vector<std::uint32_t> everyone;

 private:
  std::vector<std::int32_t> label;
  std::vector<double> y, weight, multiplicity;
};

// projected[row * n_planes + plane]
inline std::vector<double> project(const double* X, std::size_t width, const std::uint32_t* rows, std::size_t n,
                                   const std::int64_t* features, std::size_t d, const double* weights,
                                   std::size_t n_planes, int threads, Pulse& pulse) {
  std::vector<double> projected(n * n_planes);
  constexpr std::size_t kTask = 1024;
  parallel_for((n + kTask - 1) / kTask, threads, pulse, [&](std::size_t task, std::size_t) {
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

}  // namespace askew
