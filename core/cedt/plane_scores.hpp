// CE-DT: the scores of many hyperplanes on the rows of a node, from the counts above each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cedt/plane_products.hpp"
#include "score/count_scores.hpp"

namespace askew::cedt {

using namespace numeric;
using namespace score;

template <class C>
class PlaneScorer {
 public:
  static constexpr bool kMedian = std::is_same_v<C, AbsoluteError>;

  PlaneScorer(const C& criterion, const Target& target, const Points& points, const std::uint32_t* rows, std::size_t n,
              const SideLimits& limits, int threads, const Kernels& lanes)
      : criterion_(criterion), shape_{target.k, target.classification()},
        limits_{std::max(1.0, limits.samples), limits.weight},
        counter_(target, points, rows, n, what(target, rows, n), threads, lanes) {}

  // Scores n planes of unit length; infinite where a side has less than the limits ask. For `cone` see PlaneCounter.
  void score(const Panels& planes, std::size_t n, const Cone* cone, Interrupt& interrupt, double* scores) {
    counter_.count(planes, n, cone, interrupt);
    const auto sides = gather_counts(counter_.upper(), counter_.amounts(), shape_, n);
    const auto all = all_counts(counter_.amounts(), shape_);
    if constexpr (kMedian) {
      const std::size_t samples = shape_.width() - 1;
      for (std::size_t i = 0; i < n; ++i) {
        const double above = sides[i * shape_.width() + samples];
        const bool enough = std::min(above, all[samples] - above) >= limits_.samples;
        scores[i] = enough ? counter_.upper().medians[i] : kInfinity;
      }
    } else {
      score_counts(criterion_, shape_, sides.data(), n, all.data(), limits_, scores);
    }
  }

 private:
  // Of squared error, moments are taken about the mean, more or less: see CountSides.
  PlaneCounter::What what(const Target& target, const std::uint32_t* rows, std::size_t n) const {
    const double centre = std::is_same_v<C, SquaredError> ? centre_of(target, rows, n) : 0;
    return {centre, limits_.samples > 1, kMedian, limits_.weight, {}};
  }

  C criterion_;
  CountShape shape_;
  SideLimits limits_;
  PlaneCounter counter_;
};

}  // namespace askew::cedt
