// Histograms of a feature, for axis-parallel cuts at given thresholds (CART on parts of the rows, or on bins).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/count_scores.hpp"

namespace askew {

// The counts of each bin (edges + 1 bins, x width): bin i has the values above edge i - 1 and not above edge i. Their
// running sums are the left sides of the cuts at the edges. Edges are ascending.
inline std::vector<double> count_bins(const Target& target, const CountShape& shape, const double* X, std::size_t d,
                                      const std::uint32_t* rows, std::size_t n, std::size_t feature,
                                      const double* edges, std::size_t n_edges, double centre) {
  std::vector<double> bins((n_edges + 1) * shape.width(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double value = X[rows[i] * d + feature];
    const auto bin = static_cast<std::size_t>(std::lower_bound(edges, edges + n_edges, value) - edges);
    shape.add(target, rows[i], centre, &bins[bin * shape.width()]);
  }
  return bins;
}

}  // namespace askew
