// What a soft tree is made of: its shape, and its rows, laid out for the evaluations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace askew::linear {

// Nodes come before their children. A child that is below 0 is the leaf -1 - child.
struct SoftShape {
  std::vector<std::int64_t> left, right;
  std::size_t n_leaves = 0;
  std::size_t n_planes() const { return left.size(); }
};

constexpr std::size_t kSoftRows = 64;  // rows of a block

// The rows as a soft tree reads them, once for all evaluations: block by block, x[feature][row]. The last block is
// filled up with the last row.
inline std::vector<double> soft_blocks(const double* X, std::size_t n, std::size_t d) {
  const std::size_t blocks = (n + kSoftRows - 1) / kSoftRows;
  std::vector<double> to(blocks * d * kSoftRows);
  for (std::size_t i = 0; i < blocks * kSoftRows; ++i) {
    const double* x = X + std::min(i, n - 1) * d;
    double* at = to.data() + i / kSoftRows * d * kSoftRows + i % kSoftRows;
    for (std::size_t j = 0; j < d; ++j) at[j * kSoftRows] = x[j];
  }
  return to;
}

struct SoftData {
  const double* blocks;  // of standardised rows: see soft_blocks
  std::size_t n, d;
  const std::int32_t* label = nullptr;  // classes, or
  const double* y = nullptr;            // numbers
  const double* weight = nullptr;       // sums to 1
};

}  // namespace askew::linear
