// Histograms of a feature, for axis-parallel cuts at given thresholds (CART on parts of the rows, or on bins).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "score/count_scores.hpp"

namespace askew::axis {

using namespace score;

// The counts of each bin of every feature (all bins x width), from the number of the bin of each value (row-major, d
// columns); feature f has the bins from `first[f]` on. Their running sums are the left sides of the cuts between bins.
inline std::vector<double> count_codes(const Target& target, const CountShape& shape, const std::uint16_t* codes,
                                       std::size_t d, const std::int64_t* first, std::size_t n_bins,
                                       const std::uint32_t* rows, std::size_t n, double centre,
                                       const MomentGrid& grid) {
  const std::size_t width = shape.width();
  std::vector<double> bins(n_bins * width, 0.0), own(width);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint16_t* code = codes + rows[i] * d;
    if (shape.classification) {
      const auto label = static_cast<std::size_t>(target.label[rows[i]]);
      const double weight = target.weight_of(rows[i]), samples = target.samples_of(rows[i]);
      for (std::size_t f = 0; f < d; ++f) {
        double* bin = &bins[(static_cast<std::size_t>(first[f]) + code[f]) * width];
        bin[label] += weight;
        bin[shape.counts() + label] += 1;
        bin[width - 1] += samples;
      }
    } else {
      std::fill(own.begin(), own.end(), 0.0);
      shape.add(target, rows[i], centre, own.data(), grid);
      for (std::size_t f = 0; f < d; ++f) {
        double* bin = &bins[(static_cast<std::size_t>(first[f]) + code[f]) * width];
        for (std::size_t j = 0; j < width; ++j) bin[j] += own[j];
      }
    }
  }
  return bins;
}

}  // namespace askew::axis
