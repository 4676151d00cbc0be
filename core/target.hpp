// What a tree is to predict, as the kernels see it.
#pragma once

#include <cstdint>

namespace askew {

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

}  // namespace askew
