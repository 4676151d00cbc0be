// Random features at a node of a forest's or boosting's tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "numeric/rng.hpp"

namespace askew::ensemble {

using namespace numeric;

class DrawnFeatures {
 public:
  explicit DrawnFeatures(std::size_t d) : order_(d) { std::iota(order_.begin(), order_.end(), 0u); }

  // Draws, without replacement, up to `most` features that vary at the node, from those behind the first `used` of a
  // random order; ascending. Returns where it ended.
  template <class Varies>
  std::size_t draw(std::size_t used, std::size_t most, Rng& random, std::vector<std::uint32_t>& drawn, Varies varies) {
    drawn.clear();
    while (used < order_.size() && drawn.size() < most) {
      const std::size_t other = used + static_cast<std::size_t>(random.below(order_.size() - used));
      swaps_.emplace_back(used, other);
      std::swap(order_[used], order_[other]);
      const std::uint32_t f = order_[used++];
      if (varies(f)) drawn.push_back(f);
    }
    std::sort(drawn.begin(), drawn.end());
    return used;
  }
  // The order that the next node begins with does not depend on this one.
  void restore() {
    for (std::size_t i = swaps_.size(); i-- > 0;) std::swap(order_[swaps_[i].first], order_[swaps_[i].second]);
    swaps_.clear();
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::pair<std::size_t, std::size_t>> swaps_;
};

}  // namespace askew::ensemble
