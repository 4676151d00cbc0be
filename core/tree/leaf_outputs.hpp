// What linear leaves predict for rows. For every method with leaf_model="linear".
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "numeric/parallel.hpp"
#include "numeric/portable_math.hpp"

namespace askew::tree {

using namespace numeric;

// The models of places, ragged: place p has the terms start[p] to start[p + 1]; none: it predicts its value.
struct LeafModels {
  std::size_t outputs = 1;        // numbers a prediction has: one a class, or one
  const double* value = nullptr;  // places x outputs
  const std::int64_t *start = nullptr, *feature = nullptr;
  const double* weight = nullptr;    // terms x outputs
  const double* constant = nullptr;  // places x outputs
  const double *low = nullptr, *high = nullptr;
};

// Sums become shares, which are multiplied with `mass`. False if they are not numbers.
inline bool shares(double* sum, std::size_t k, double mass) {
  if (!std::all_of(sum, sum + k, [](double x) { return std::isfinite(x); })) return false;
  const double most = *std::max_element(sum, sum + k);
  double total = 0;
  for (std::size_t c = 0; c < k; ++c) sum[c] = portable_exp(sum[c] - most), total += sum[c];
  for (std::size_t c = 0; c < k; ++c) sum[c] = sum[c] / total * mass;
  return true;
}

// The prediction for one row at a place: a number between `low` and `high`, or the weight of every class, which add up
// to that of the place. Where the sum is no number (a value is missing, or far too large), it is the value of the
// place.
inline void leaf_output(const LeafModels& m, std::size_t place, const double* x, double* to) {
  const std::size_t k = m.outputs;
  const double* value = m.value + place * k;
  const auto begin = static_cast<std::size_t>(m.start[place]), end = static_cast<std::size_t>(m.start[place + 1]);
  if (begin == end) {
    std::copy_n(value, k, to);
    return;
  }
  std::copy_n(m.constant + place * k, k, to);
  for (std::size_t t = begin; t < end; ++t) {
    const double at = x[m.feature[t]];
    for (std::size_t c = 0; c < k; ++c) to[c] += m.weight[t * k + c] * at;
  }
  if (k == 1 && !std::isnan(to[0])) {
    to[0] = std::clamp(to[0], m.low[place], m.high[place]);
    return;
  }
  double mass = 0;
  for (std::size_t c = 0; c < k; ++c) mass += value[c];
  if (k == 1 || !shares(to, k, mass)) std::copy_n(value, k, to);
}

inline void leaf_outputs(const LeafModels& m, const std::int64_t* place, const double* X, std::size_t n,
                         std::size_t width, double* to, int threads, Interrupt& interrupt) {
  constexpr std::size_t kBlock = 4096;
  const std::size_t blocks = (n + kBlock - 1) / kBlock;
  parallel_for(blocks, threads_for(threads, 2 * static_cast<double>(m.outputs), n, width), interrupt,
               [&](std::size_t b, std::size_t) {
                 for (std::size_t i = b * kBlock; i < std::min(n, (b + 1) * kBlock); ++i)
                   leaf_output(m, static_cast<std::size_t>(place[i]), X + i * width, to + i * m.outputs);
               });
}

}  // namespace askew::tree
