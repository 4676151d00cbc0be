// The random features of a node (`max_features`), for trees by axis-parallel cuts in forests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "numeric/rng.hpp"

namespace askew::axis {

using namespace numeric;

// At most `most` of the features, without replacement, ascending; all of them if there are no more. The caller leaves
// out those that are constant at the node.
inline std::vector<std::uint32_t> draw_features(std::vector<std::uint32_t> features, std::size_t most,
                                                std::uint64_t seed) {
  if (features.size() <= most) return features;
  Rng random(seed);
  for (std::size_t i = 0; i < most; ++i)
    std::swap(features[i], features[i + static_cast<std::size_t>(random.below(features.size() - i))]);
  features.resize(most);
  std::sort(features.begin(), features.end());
  return features;
}

// The features that are not constant on some rows of X (row by row, d columns).
inline std::vector<std::uint32_t> varying_features(const double* X, std::size_t d, const std::uint32_t* rows,
                                                   std::size_t n) {
  std::vector<std::uint32_t> features;
  for (std::size_t f = 0; f < d; ++f)
    if (std::any_of(rows, rows + n, [&](std::uint32_t row) { return X[row * d + f] != X[rows[0] * d + f]; }))
      features.push_back(static_cast<std::uint32_t>(f));
  return features;
}

}  // namespace askew::axis
