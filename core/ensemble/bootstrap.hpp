// The bootstrap samples of a forest's trees: how often each row is drawn, from the tree's seed and the row itself.
//
// A row that stands for M samples is drawn Poisson(M) times, independently of the others (Oza and Russell 2001): for
// many rows this is the classical bootstrap, which draws as many rows as there are, with replacement. A draw depends on
// the row's key alone, a number made of its values: neither the order of the rows nor repetition changes a sample.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numeric/portable_math.hpp"
#include "numeric/rng.hpp"

namespace askew::ensemble {

using namespace numeric;

struct Sampling {
  bool replace = true;    // how often a row is drawn is a Poisson number; otherwise each sample is drawn at most once
  double share = 1;       // of the samples that are drawn on average
  bool balanced = false;  // each class weighs the same in a tree's sample
};

// Poisson by inversion, in parts of a mean of at most 16, where exp(-mean) is far from 0; a normal number for many.
inline double draw_poisson(double mean, Rng& random) {
  if (mean > 1000) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.uniform();
    return std::max(0.0, std::nearbyint(mean + std::sqrt(mean) * sum));
  }
  double drawn = 0;
  while (mean > 0) {
    const double part = std::min(mean, 16.0), u = random.uniform();
    mean -= part;
    double probability = portable_exp(-part), below = probability;
    double count = 0;
    while (u >= below && count < 200) ++count, probability *= part / count, below += probability;
    drawn += count;
  }
  return drawn;
}

// Of so many samples, those that are kept if each is with this chance.
inline double draw_binomial(double samples, double share, Rng& random) {
  if (share >= 1) return samples;
  if (samples > 1000) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.uniform();
    const double kept = std::nearbyint(samples * share + std::sqrt(samples * share * (1 - share)) * sum);
    return std::clamp(kept, 0.0, samples);
  }
  double kept = 0;
  for (double left = samples; left > 0; --left)
    if (random.uniform() < share * std::min(left, 1.0)) kept += std::min(left, 1.0);
  return kept;
}

// How often each of n rows is drawn for the tree of this seed. If none is, all are as they are.
inline std::vector<double> sample_rows(const Sampling& sampling, const std::uint64_t* key, const double* samples,
                                       std::size_t n, std::uint64_t seed) {
  std::vector<double> drawn(n);
  double all = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Rng random(derive(seed, key[i]));
    const double stands_for = samples ? samples[i] : 1.0;
    drawn[i] = sampling.replace ? draw_poisson(stands_for * sampling.share, random)
                                : draw_binomial(stands_for, sampling.share, random);
    all += drawn[i];
  }
  if (all <= 0)
    for (std::size_t i = 0; i < n; ++i) drawn[i] = samples ? samples[i] : 1.0;
  return drawn;
}

}  // namespace askew::ensemble
