// CE-DT: the cross-entropy method on the sphere (Bollwein and Westphal, Algorithm 1): draw planes from a von
// Mises-Fisher distribution, score them, fit the distribution to the best of them, until that stops helping.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rng.hpp"
#include "cedt/plane_scores.hpp"
#include "cedt/von_mises_fisher.hpp"

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

// n samples of a distribution, each from a seed of its own. Returns how far the farthest is from the mean: 1 - cosine.
inline double draw_all(const VonMisesFisher& distribution, std::size_t n, std::uint64_t seed, int threads, Pulse& pulse,
                       Panels& planes) {
  constexpr double kDrawCost = 1;  // of one coefficient
  const int used = threads_for(threads, kDrawCost, n, planes.width());
  std::vector<VonMisesFisher::Scratch> scratch(static_cast<std::size_t>(std::max(used, 1)));
  std::vector<double> deficits(panels_for(n));
  parallel_for(deficits.size(), used, pulse, [&](std::size_t panel, std::size_t thread) {
    std::uint64_t seeds[kPanel];
    for (std::size_t c = 0; c < kPanel; ++c) seeds[c] = derive(seed, panel * kPanel + c);
    deficits[panel] = distribution.draw(seeds, planes.panel(panel), scratch[thread]);
  });
  return deficits.empty() ? 0 : *std::max_element(deficits.begin(), deficits.end());
}

// The distribution that is likeliest for the first n planes with a score of gamma or less.
inline Likeliest fit_elite(const Panels& planes, const std::vector<double>& scores, std::size_t n, double gamma,
                           bool newton) {
  const std::size_t p = planes.width();
  std::vector<double> plane(p), sum(p, 0.0);
  std::size_t elite = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(scores[i] <= gamma)) continue;
    ++elite;
    planes.copy(i, plane.data());
    const double size = length(plane.data(), p);  // 1 up to rounding, which would hide a large kappa
    for (std::size_t j = 0; j < p; ++j) sum[j] += plane[j] / size;
  }
  return likeliest(sum, elite, newton);
}

template <class C>
CrossEntropyResult cross_entropy(PlaneScorer<C>& scorer, std::size_t p, const CrossEntropyRules& rules,
                                 std::uint64_t seed, int threads, Pulse& pulse, const Kernels& lanes) {
  const std::size_t n = rules.n_samples;
  const auto rank = static_cast<std::ptrdiff_t>(std::ceil(rules.rho * static_cast<double>(n))) - 1;
  std::vector<double> mu(p, 0.0), scores(n + 1), sorted;
  Panels planes(n + 1, p);
  double kappa = 0, least = kInfinity;
  CrossEntropyResult best;
  const auto keep = [&](std::size_t i) {
    best.plane.resize(p);
    planes.copy(i, best.plane.data());
    best.score = scores[i];
  };
  int stalled = 0;
  for (std::uint64_t iteration = 0; stalled < rules.patience; ++iteration) {
    const bool first = iteration == 0;
    // The incumbent that the algorithm starts with is one more plane of the first, uniform draw.
    const std::size_t drawn = n + (first ? 1 : 0);
    const VonMisesFisher distribution(mu.data(), p, kappa, lanes);
    const Cone cone{mu.data(), draw_all(distribution, drawn, derive(seed, iteration), threads, pulse, planes)};
    scorer.score(planes, drawn, kappa > 0 ? &cone : nullptr, scores.data());
    best.looked_at += drawn;
    if (first) keep(n);
    const auto last = scores.begin() + static_cast<std::ptrdiff_t>(n), top = std::min_element(scores.begin(), last);
    if (*top <= best.score) keep(static_cast<std::size_t>(top - scores.begin()));
    sorted.assign(scores.begin(), last);
    std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.end());
    const double gamma = sorted[static_cast<std::size_t>(rank)];
    best.mu.insert(best.mu.end(), mu.begin(), mu.end());
    best.kappa.push_back(kappa);
    best.gamma.push_back(gamma);
    stalled = gamma < least ? 0 : stalled + 1;
    least = std::min(least, gamma);

    const Likeliest fitted = fit_elite(planes, scores, n, gamma, rules.newton);
    kappa = (1 - rules.alpha) * kappa + rules.alpha * fitted.kappa;
    if (fitted.mu.empty()) continue;
    std::vector<double> mixed(p);
    for (std::size_t j = 0; j < p; ++j) mixed[j] = (1 - rules.alpha) * mu[j] + rules.alpha * fitted.mu[j];
    const double size = length(mixed.data(), p);
    if (size > 0)
      for (std::size_t j = 0; j < p; ++j) mu[j] = mixed[j] / size;
  }
  return best;
}

}  // namespace askew
