// The cross-entropy method on the sphere (Bollwein and Westphal, CE-DT, Algorithm 1): draw planes from a von
// Mises-Fisher distribution, score them, fit the distribution to the best of them, until that stops helping.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "planes.hpp"
#include "rng.hpp"
#include "von_mises_fisher.hpp"

namespace askew {

struct CrossEntropyRules {
  std::size_t n_samples;
  double rho, alpha;  // alpha: the share of the new estimate
  int patience;
  bool newton;
};

struct CrossEntropyResult {
  std::vector<double> plane;
  double score = kInfinity;
  std::size_t looked_at = 0;
  std::vector<double> mu, kappa, gamma;  // of each iteration, before it is updated
};

// n samples of a distribution, each from a seed of its own, in panels. Returns how far the farthest is from the mean:
// 1 - cosine.
inline double draw_all(const VonMisesFisher& distribution, std::size_t n, std::size_t p, std::uint64_t seed, int threads,
                       Pulse& pulse, float* panels) {
  const int used = n * p < 100'000 ? 1 : threads;
  std::vector<VonMisesFisher::Scratch> scratch(static_cast<std::size_t>(std::max(used, 1)));
  std::vector<double> deficits(panels_for(n));
  parallel_for(deficits.size(), used, pulse, [&](std::size_t panel, std::size_t thread) {
    std::uint64_t seeds[kPanel];
    for (std::size_t c = 0; c < kPanel; ++c) seeds[c] = derive(seed, panel * kPanel + c);
    deficits[panel] = distribution.draw(seeds, panels + panel * p * kPanel, scratch[thread]);
  });
  return *std::max_element(deficits.begin(), deficits.end());
}

template <class C>
CrossEntropyResult cross_entropy(PlaneScorer<C>& scorer, std::size_t p, const CrossEntropyRules& rules,
                                 std::uint64_t seed, int threads, Pulse& pulse, const Kernels& lanes) {
  const std::size_t n = rules.n_samples;
  const auto rank = static_cast<std::size_t>(std::ceil(rules.rho * static_cast<double>(n))) - 1;
  std::vector<double> mu(p, 0.0), scores(n + 1), sorted, plane(p);
  LineFloats panels(panels_for(n + 1) * p * kPanel);
  const auto take = [&](std::size_t i) {
    for (std::size_t j = 0; j < p; ++j) plane[j] = panels[place_in_panels(i, j, p)];
  };
  double kappa = 0, least = kInfinity;
  CrossEntropyResult best;
  int stalled = 0;
  for (std::uint64_t iteration = 0; stalled < rules.patience; ++iteration) {
    const bool first = iteration == 0;
    // The incumbent that the algorithm starts with is one more plane of the first, uniform draw.
    const std::size_t drawn = n + (first ? 1 : 0);
    const double deficit = draw_all(VonMisesFisher(mu.data(), p, kappa, lanes), drawn, p, derive(seed, iteration), threads,
                                    pulse, panels.data());
    const Cone cone{mu.data(), deficit};
    scorer.score(panels.data(), drawn, kappa > 0 ? &cone : nullptr, scores.data());
    best.looked_at += drawn;
    if (first) take(n), best.plane = plane, best.score = scores[n];
    const auto top = std::min_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(n));
    if (*top <= best.score) {
      take(static_cast<std::size_t>(top - scores.begin()));
      best.plane = plane, best.score = *top;
    }
    sorted.assign(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(n));
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(rank), sorted.end());
    const double gamma = sorted[rank];
    best.mu.insert(best.mu.end(), mu.begin(), mu.end());
    best.kappa.push_back(kappa);
    best.gamma.push_back(gamma);
    stalled = gamma < least ? 0 : stalled + 1;
    least = std::min(least, gamma);

    std::vector<double> sum(p, 0.0);
    std::size_t elite = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!(scores[i] <= gamma)) continue;
      ++elite;
      take(i);
      const double size = length(plane.data(), p);  // a crumb off 1, which would hide a large kappa
      for (std::size_t j = 0; j < p; ++j) sum[j] += plane[j] / size;
    }
    const Likeliest fitted = likeliest(sum, elite, rules.newton);
    kappa = (1 - rules.alpha) * kappa + rules.alpha * fitted.kappa;
    if (fitted.mu.empty()) continue;
    std::vector<double> mixed(p);
    for (std::size_t j = 0; j < p; ++j) mixed[j] = (1 - rules.alpha) * mu[j] + rules.alpha * fitted.mu[j];
    const double norm = length(mixed.data(), p);
    if (norm > 0)
      for (std::size_t j = 0; j < p; ++j) mu[j] = mixed[j] / norm;
  }
  return best;
}

}  // namespace askew
