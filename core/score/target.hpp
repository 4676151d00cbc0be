// What a tree is to predict, and how much each row counts, as the kernels see it. For every method.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace askew::score {

// What a tree is to predict, and how much each row counts. Null pointers mean "all ones".
struct Target {
  const std::int32_t* label = nullptr;   // classification
  const double* y = nullptr;             // regression
  const double* weight = nullptr;        // importance of a row
  const double* multiplicity = nullptr;  // how many samples a row stands for, for the limits
  int k = 0;                             // classes, or 3 moments

  bool classification() const { return label != nullptr; }
  double weight_of(std::uint32_t row) const { return weight ? weight[row] : 1.0; }
  double samples_of(std::uint32_t row) const { return multiplicity ? multiplicity[row] : 1.0; }

  // Adds `sign` times a row to counts.
  void add(double* counts, std::uint32_t row, double sign, double centre = 0) const {
    const double w = sign * weight_of(row);
    if (label) {
      counts[label[row]] += w;
    } else {
      const double value = y[row] - centre;
      counts[0] += w;
      counts[1] += w * value;
      counts[2] += w * value * value;
    }
  }
};

// What moments are taken about: y = 1e9 + noise would lose the noise otherwise. It is the mean, rounded to a
// few bits of the range of y, so that whole numbers stay exact and neither the order of the rows nor
// repetition changes a bit.
inline double centre_of(const Target& target, const std::uint32_t* rows, std::size_t n) {
  double weight = 0, sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < n; ++i) {
    const double y = target.y[rows[i]];
    weight += target.weight_of(rows[i]);
    sum += target.weight_of(rows[i]) * y;
    low = std::min(low, y);
    high = std::max(high, y);
  }
  if (!(low < high)) return n > 0 ? low : 0;
  const double grid = std::ldexp(1.0, std::max(std::ilogb(high - low) - 5, -1000));
  return std::nearbyint(sum / weight / grid) * grid;
}

}  // namespace askew::score
