// What the exhaustive searches look at: planes through samples, and which of two is the better one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/sweep.hpp"

namespace askew {

constexpr std::uint32_t kNobody = static_cast<std::uint32_t>(-1), kAxis = kNobody - 1;

struct ExhaustiveRules {
  std::size_t r = 2;
  bool both = false;   // score the points on the plane on either side
  bool eigen = false;  // r = 2: two samples that coincide define the plane x_f = p_f
  LeafLimits leaf;
};

// A plane through samples. Of equal scores the first in the order of brute force wins: samples, then features, then
// the canonical orientation.
struct Candidate {
  double score = kInfinity;
  std::uint64_t turn = 0;              // with a budget: when the fixed samples were drawn
  std::uint32_t last = kNobody;        // row of the last sample
  std::size_t subset = 0;              // number of the features
  bool flipped = false;                // against the canonical orientation
  std::vector<std::uint32_t> fixed;    // points
  std::uint32_t partner = kNobody;     // the last point; kAxis: the plane x_f = p_f of the first feature

  bool before(const Candidate& other) const {
    if (score != other.score) return score < other.score;
    if (turn != other.turn) return turn < other.turn;
    if (fixed != other.fixed) return fixed < other.fixed;
    if (last != other.last) return last < other.last;
    if (subset != other.subset) return subset < other.subset;
    return flipped < other.flipped;
  }
};

// All subsets of r out of d features, lexicographically.
inline std::vector<std::vector<std::size_t>> subsets(std::size_t d, std::size_t r) {
  std::vector<std::vector<std::size_t>> all;
  std::vector<std::size_t> now(r);
  std::iota(now.begin(), now.end(), std::size_t{0});
  for (;;) {
    all.push_back(now);
    std::size_t i = r;
    while (i > 0 && now[i - 1] == d - r + i - 1) --i;
    if (i == 0) return all;
    ++now[i - 1];
    for (; i < r; ++i) now[i] = now[i - 1] + 1;
  }
}

}  // namespace askew
