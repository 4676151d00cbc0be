// CE-DT: the cross-entropy method on the sphere (Bollwein and Westphal, Algorithm 1): draw planes from a von
// Mises-Fisher distribution, score them, fit the distribution to the best of them, until that stops helping.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cedt/plane_scores.hpp"
#include "cedt/von_mises_fisher.hpp"
#include "numeric/rng.hpp"

namespace askew::cedt {

using namespace numeric;
using namespace score;

struct CrossEntropyRules {
  std::size_t n_samples;
  double rho, alpha;  // alpha: the share of the new estimate
  int patience;
  bool newton;
};

struct CrossEntropyResult {
  std::vector<double> plane;
  double score = kInfinity;
  std::size_t n_evaluated = 0;
  std::vector<double> mu, kappa, gamma;  // of each iteration, before it is updated
  std::size_t width = 1;                 // numbers of a plane
};

// n samples of a distribution, each from a seed of its own. Returns how far the farthest is from the mean: 1 - cosine.
inline double draw_all(const VonMisesFisher& distribution, std::size_t n, std::uint64_t seed, int threads,
                       Interrupt& interrupt, Panels& planes) {
  constexpr double kDrawCost = 1;  // of one coefficient
  const int used = threads_for(threads, kDrawCost, n, planes.width());
  std::vector<VonMisesFisher::Scratch> scratch(static_cast<std::size_t>(std::max(used, 1)));
  std::vector<double> deficits(panels_for(n));
  parallel_for(deficits.size(), used, interrupt, [&](std::size_t panel, std::size_t thread) {
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

// One run of the method. Whoever holds the rows scores the planes: a scorer here (`cross_entropy`), or counts that were
// taken on several machines, each of which draws the same planes from the same few numbers.
class CrossEntropySearch {
 public:
  CrossEntropySearch(std::size_t p, const CrossEntropyRules& rules, std::uint64_t seed)
      : rules_(rules), seed_(seed), mu_(p, 0.0), planes_(rules.n_samples + 1, p) {
    best_.width = p;
  }

  bool done() const { return stalled_ >= rules_.patience; }

  // What the planes of this iteration are drawn from. The incumbent that the algorithm starts with is one more plane of
  // the first, uniform draw.
  const std::vector<double>& mu() const { return mu_; }
  double kappa() const { return kappa_; }
  std::size_t n_drawn() const { return rules_.n_samples + (iteration_ == 0 ? 1 : 0); }
  std::uint64_t draw_seed() const { return derive(seed_, iteration_); }

  // Draws the planes of this iteration.
  Cone draw(int threads, Interrupt& interrupt, const Kernels& lanes) {
    const VonMisesFisher distribution(mu_.data(), mu_.size(), kappa_, lanes);
    return {mu_.data(), draw_all(distribution, n_drawn(), draw_seed(), threads, interrupt, planes_)};
  }
  const Panels& planes() const { return planes_; }

  // Takes the scores of the planes that were drawn, and fits the distribution to the best of them.
  void take(const std::vector<double>& scores) {
    const std::size_t n = rules_.n_samples, p = mu_.size();
    best_.n_evaluated += n_drawn();
    if (iteration_ == 0) keep(n, scores);
    const auto last = scores.begin() + static_cast<std::ptrdiff_t>(n), top = std::min_element(scores.begin(), last);
    if (*top <= best_.score) keep(static_cast<std::size_t>(top - scores.begin()), scores);
    const auto rank = static_cast<std::ptrdiff_t>(std::ceil(rules_.rho * static_cast<double>(n))) - 1;
    sorted_.assign(scores.begin(), last);
    std::nth_element(sorted_.begin(), sorted_.begin() + rank, sorted_.end());
    const double gamma = sorted_[static_cast<std::size_t>(rank)];
    best_.mu.insert(best_.mu.end(), mu_.begin(), mu_.end());
    best_.kappa.push_back(kappa_);
    best_.gamma.push_back(gamma);
    stalled_ = gamma < least_ ? 0 : stalled_ + 1;
    least_ = std::min(least_, gamma);
    ++iteration_;

    const Likeliest fitted = fit_elite(planes_, scores, n, gamma, rules_.newton);
    kappa_ = (1 - rules_.alpha) * kappa_ + rules_.alpha * fitted.kappa;
    if (fitted.mu.empty()) return;
    std::vector<double> mixed(p);
    for (std::size_t j = 0; j < p; ++j) mixed[j] = (1 - rules_.alpha) * mu_[j] + rules_.alpha * fitted.mu[j];
    const double size = length(mixed.data(), p);
    if (size > 0)
      for (std::size_t j = 0; j < p; ++j) mu_[j] = mixed[j] / size;
  }

  const CrossEntropyResult& result() const { return best_; }

 private:
  void keep(std::size_t i, const std::vector<double>& scores) {
    best_.plane.resize(mu_.size());
    planes_.copy(i, best_.plane.data());
    best_.score = scores[i];
  }

  CrossEntropyRules rules_;
  std::uint64_t seed_, iteration_ = 0;
  std::vector<double> mu_, sorted_;
  Panels planes_;
  double kappa_ = 0, least_ = kInfinity;
  int stalled_ = 0;
  CrossEntropyResult best_;
};

template <class C>
CrossEntropyResult cross_entropy(PlaneScorer<C>& scorer, std::size_t p, const CrossEntropyRules& rules,
                                 std::uint64_t seed, int threads, Interrupt& interrupt, const Kernels& lanes) {
  CrossEntropySearch search(p, rules, seed);
  std::vector<double> scores(rules.n_samples + 1);
  while (!search.done()) {
    const Cone cone = search.draw(threads, interrupt, lanes);
    scorer.score(search.planes(), search.n_drawn(), search.kappa() > 0 ? &cone : nullptr, interrupt, scores.data());
    search.take(scores);
  }
  return search.result();
}

}  // namespace askew::cedt
