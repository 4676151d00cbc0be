// CE-DT: the rows of a node, some features shifted and scaled, in double or single precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace askew::cedt {

// Some features, shifted and scaled, and the constant 1 at the end.
struct Points {
  const double* X;
  std::size_t columns;  // of X
  const std::int64_t* features;
  const double *shift, *inverse;  // x' = (x - shift) inverse
  std::size_t d;                  // features

  std::size_t width() const { return d + 1; }
  double raw(std::uint32_t row, std::size_t j) const {
    return X[row * columns + static_cast<std::size_t>(features[j])];
  }
  double placed(double x, std::size_t j) const { return (x - shift[j]) * inverse[j]; }
  double coordinate(std::uint32_t row, std::size_t j) const { return placed(raw(row, j), j); }
  // The coordinates of the plane are `stride` apart.
  double value(std::uint32_t row, const float* plane, std::size_t stride) const {
    double sum = 0;  // its order is part of the result
    for (std::size_t j = 0; j < d; ++j) sum += static_cast<double>(plane[j * stride]) * coordinate(row, j);
    return sum + static_cast<double>(plane[d * stride]);
  }
  // The row at unit length, in float32.
  void pack(std::uint32_t row, float* out, std::vector<double>& spare) const {
    spare.resize(d);
    double largest = 1, squares = 0;
    for (std::size_t j = 0; j < d; ++j) {
      spare[j] = coordinate(row, j);
      squares += spare[j] * spare[j];
    }
    if (!(squares < 1e300)) {
      squares = 0;
      for (std::size_t j = 0; j < d; ++j) largest = std::max(largest, std::abs(spare[j]));
      for (std::size_t j = 0; j < d; ++j) squares += (spare[j] / largest) * (spare[j] / largest);
    }
    const double scale = 1 / std::sqrt(squares + (1 / largest) * (1 / largest));
    for (std::size_t j = 0; j < d; ++j) out[j] = static_cast<float>(spare[j] / largest * scale);
    out[d] = static_cast<float>(scale / largest);
  }
};

}  // namespace askew::cedt
