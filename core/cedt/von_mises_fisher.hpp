// CE-DT: the von Mises-Fisher distribution on the unit sphere of R^p: random samples, and its maximum likelihood fit.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cedt/simd_kernels.hpp"
#include "numeric/portable_math.hpp"
#include "numeric/rng.hpp"

namespace askew::cedt {

using namespace numeric;

constexpr double kLargestConcentration = 1e8;

inline double length(const double* x, std::size_t n) {
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) sum += x[j] * x[j];
  return std::sqrt(sum);
}

// Draws from the distribution with mean direction mu and concentration kappa; uniform for kappa = 0.
// The cosine W to the mean by rejection (Wood 1994, after Ulrich 1984), then a uniform direction across.
//
// A panel of directions at a time, in float32: panel[coordinate][direction]. What is drawn is what was rounded, so that
// nothing is inexact but the length, by some 1e-7.
class VonMisesFisher {
 public:
  VonMisesFisher(const double* mu, std::size_t p, double kappa, const Kernels& lanes)
      : p_(p), uniform_(kappa <= 0), lanes_(lanes), axis_(p, 0.0f) {
    if (uniform_) return;
    const double m = static_cast<double>(p - 1), b = m / (2 * kappa + std::sqrt(4 * kappa * kappa + m * m));
    const double near = 2 * b / (1 + b);  // 1 - x0: for a large kappa x0 itself would round to 1
    // In the plane, m = 1, a point of the circle is a turn alone: its reach is 1, as for a very small u.
    wood_ = {m, kappa, b, near, near * (2 - near), p == 2 ? 1e300 : 2 / (m - 1)};
    // The reflection along mu + e_p takes e_p to -mu; along mu - e_p, to mu. Of both the longer, for its precision.
    sign_ = mu[p - 1] >= 0 ? 1.0 : -1.0;
    std::vector<double> axis(mu, mu + p);
    axis[p - 1] += sign_;
    const double norm = length(axis.data(), p);
    for (std::size_t j = 0; j < p; ++j) axis_[j] = static_cast<float>(axis[j] / norm);
  }

  using Scratch = LineFloats;

  // All random numbers of a direction come from its seed. Returns the greatest 1 - W.
  double draw(const std::uint64_t* seeds, float* panel, Scratch& normal) const {
    const std::size_t n = uniform_ ? p_ : p_ - 1, pairs = (n + 1) / 2;
    double deficit[kPanel] = {}, own[kPanel], along[kPanel];
    std::uint64_t states[kPanel];
    start(seeds, pairs, deficit, states);
    normal.resize(2 * pairs * kPanel);
    lanes_.gaussians(states, pairs, normal.data());
    lanes_.inner(normal.data(), axis_.data(), n, own, along);
    float stretch[kPanel], shift[kPanel];
    for (std::size_t c = 0; c < kPanel; ++c) {
      // Of 2^23 pairs of normal numbers one is (0, 0): where it is all that there is, it has no direction.
      if (own[c] == 0) normal[c] = 1, own[c] = 1, along[c] = static_cast<double>(axis_[0]);
      if (uniform_) {
        stretch[c] = static_cast<float>(1 / std::sqrt(own[c])), shift[c] = 0;
        continue;
      }
      // (sqrt(1 - W^2) Y, W), reflected
      const double across = std::sqrt(deficit[c] * (2 - deficit[c]) / own[c]), cosine = 1 - deficit[c];
      const double last = axis_[p_ - 1], twice = 2 * (across * along[c] + cosine * last);
      stretch[c] = static_cast<float>(-sign_ * across), shift[c] = static_cast<float>(sign_ * twice);
      panel[(p_ - 1) * kPanel + c] = static_cast<float>(sign_ * (twice * last - cosine));
    }
    lanes_.combine(normal.data(), stretch, axis_.data(), shift, n, panel);
    return *std::max_element(deficit, deficit + kPanel);
  }

 private:
  // The cosines, and the states from which the rest is drawn. Z is Beta(m/2, m/2), by Ulrich's formula for a symmetric
  // beta.
  void start(const std::uint64_t* seeds, std::size_t pairs, double* deficit, std::uint64_t* states) const {
    std::array<Rng, kPanel> random;
    for (std::size_t c = 0; c < kPanel; ++c) random[c] = Rng(seeds[c]);
    std::size_t open[kPanel], n_open = uniform_ ? 0 : kPanel;
    std::iota(open, open + kPanel, std::size_t{0});
    constexpr std::size_t kTogether = 4;  // no lot is worked at alone
    WoodUniforms uniforms;
    std::fill_n(uniforms.u, kPanel, 0.5), std::fill_n(uniforms.turn, kPanel, 0.5),
        std::fill_n(uniforms.taken, kPanel, 0.5);
    double found[kPanel], margin[kPanel];
    while (n_open > 0) {
      for (std::size_t i = 0; i < n_open; ++i) {
        Rng& rng = random[open[i]];
        uniforms.u[i] = 1 - rng.uniform(), uniforms.turn[i] = rng.uniform(), uniforms.taken[i] = 1 - rng.uniform();
      }
      lanes_.cosine_deficits(wood_, uniforms, (n_open + kTogether - 1) / kTogether * kTogether, found, margin);
      std::size_t left = 0;
      for (std::size_t i = 0; i < n_open; ++i) {
        if (margin[i] >= 0) deficit[open[i]] = found[i];
        else open[left++] = open[i];
      }
      n_open = left;
    }
    for (std::size_t c = 0; c < kPanel; ++c) states[c] = random[c].take(pairs);
  }

  std::size_t p_;
  bool uniform_;
  const Kernels& lanes_;
  Wood wood_{};
  double sign_ = 1;
  LineFloats axis_;
};

// A_p(kappa) = I_{p/2}(kappa) / I_{p/2-1}(kappa): the mean cosine. By Hankel's expansion of both where kappa
// is large relative to the order, otherwise by the continued fraction (Lentz's method), which neither over- nor
// underflows in any dimension.
inline double mean_cosine(std::size_t p, double kappa) {
  if (kappa <= 0) return 0;
  const double order = static_cast<double>(p) / 2 - 1;
  if (kappa > 2 * (order + 1) * (order + 1) + 30) {
    const auto hankel = [&](double nu) {  // I_nu(kappa) without the factor exp(kappa) / sqrt(2 pi kappa)
      double term = 1, sum = 1;
      for (int k = 1; k < 60 && std::abs(term) > 1e-17 * std::abs(sum); ++k) {
        term *= -(4 * nu * nu - (2.0 * k - 1) * (2.0 * k - 1)) / (8 * kappa * k);
        sum += term;
      }
      return sum;
    };
    return hankel(order + 1) / hankel(order);
  }
  // 1/(b_1 + 1/(b_2 + ...)) with b_i = (p + 2 (i - 1)) / kappa.
  double f = 1e-300, c = f, d = 0;
  for (double b = static_cast<double>(p) / kappa;; b += 2 / kappa) {
    d = 1 / (b + d);
    c = b + 1 / c;
    f *= c * d;
    if (std::abs(c * d - 1) < 1e-16) break;
  }
  return f;
}

struct Likeliest {
  std::vector<double> mu;  // empty when the vectors cancel out
  double kappa = 0;
};

// The maximum of likelihood for n unit vectors whose sum is given (CE-DT, equations 2 to 5): Banerjee's formula
// and, if `newton`, two of Sra's steps from there.
inline Likeliest likeliest(const std::vector<double>& sum, std::size_t n, bool newton) {
  const std::size_t p = sum.size();
  const double size = length(sum.data(), p), r = size / static_cast<double>(n), dimension = static_cast<double>(p);
  Likeliest best;
  if (!(size > 0)) return best;
  best.mu = sum;
  for (double& m : best.mu) m /= size;
  if (r >= 1 - 1e-12) {
    best.kappa = kLargestConcentration;
    return best;
  }
  const double banerjee = r * (dimension - r * r) / ((1 - r) * (1 + r));
  double kappa = banerjee;
  for (int step = 0; newton && step < 2; ++step) {
    const double a = mean_cosine(p, kappa);
    kappa -= (a - r) / (1 - a * a - (dimension - 1) / kappa * a);
    if (!std::isfinite(kappa) || kappa <= 0) {
      kappa = banerjee;
      break;
    }
  }
  best.kappa = std::min(kappa, kLargestConcentration);
  return best;
}

}  // namespace askew::cedt
