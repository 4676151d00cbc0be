// A candidate of CART-ELC: a plane through samples, and which of two is the better one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "elc/combinations.hpp"
#include "score/sweep.hpp"

namespace askew::elc {

using namespace score;

constexpr std::uint32_t kNoPoint = static_cast<std::uint32_t>(-1), kAxisPlane = kNoPoint - 1;

struct ExhaustiveRules {
  std::size_t r = 2;
  bool both = false;               // score the points on the plane on either side
  bool eigen = false;              // r = 2: two samples that coincide define the plane x_f = p_f
  bool half_way = false;           // the threshold is half-way to the nearest sample on the other side
  std::optional<double> side_tol;  // samples no further from a plane count as on it
  LeafLimits leaf;
};

// A plane through samples. Of equal scores the first in the order of brute force wins: samples, then features, then
// the canonical orientation.
struct Candidate {
  double score = kInfinity;
  std::uint64_t turn = 0;         // with a budget: the place of the fixed samples among those drawn
  std::uint32_t last = kNoPoint;  // row of the last sample
  Combination features;
  bool flipped = false;              // against the canonical orientation
  Combination fixed;                 // points
  std::uint32_t partner = kNoPoint;  // the last point; kAxisPlane: the plane x_f = p_f of the first feature

  bool before(const Candidate& other) const {
    if (score != other.score) return score < other.score;
    if (turn != other.turn) return turn < other.turn;
    if (fixed != other.fixed) return fixed < other.fixed;
    if (last != other.last) return last < other.last;
    if (features != other.features) return features < other.features;
    return flipped < other.flipped;
  }
};

}  // namespace askew::elc
