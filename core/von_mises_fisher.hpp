// The von Mises-Fisher distribution on the unit sphere of R^p: samples, and the maximum of likelihood.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lanes.hpp"
#include "portable.hpp"
#include "rng.hpp"

namespace askew {

constexpr double kLargestConcentration = 1e8;

inline double length(const double* x, std::size_t n) { return std::sqrt(baseline::inner(x, x, n)); }

// Draws from the distribution with mean direction mu and concentration kappa; uniform for kappa = 0.
// The cosine W to the mean by rejection (Wood 1994, after Ulrich 1984), then a uniform direction across.
class VonMisesFisher {
 public:
  VonMisesFisher(const double* mu, std::size_t p, double kappa, const Kernels& lanes)
      : p_(p), kappa_(kappa), lanes_(lanes) {
    if (kappa <= 0) return;
    const double m = static_cast<double>(p - 1);
    b_ = m / (2 * kappa + std::sqrt(4 * kappa * kappa + m * m));
    near_ = 2 * b_ / (1 + b_);  // 1 - x0: for a large kappa x0 itself would round to 1
    envelope_ = near_ * (2 - near_);
    // The reflection along mu + e_p takes e_p to -mu; along mu - e_p, to mu. Of both the longer, for its precision.
    sign_ = mu[p - 1] >= 0 ? 1.0 : -1.0;
    axis_.assign(mu, mu + p);
    axis_[p - 1] += sign_;
    const double norm = length(axis_.data(), p);
    for (double& a : axis_) a /= norm;
  }

  using Scratch = std::vector<double>;

  // One unit vector. All its random numbers come from `seed`.
  void draw(std::uint64_t seed, double* x, Scratch& scratch) const {
    Rng rng(seed);
    if (kappa_ <= 0) return direction(rng, x, p_, 1, scratch);
    const double deficit = cosine_deficit(rng);
    direction(rng, x, p_ - 1, std::sqrt(deficit * (2 - deficit)), scratch);
    x[p_ - 1] = 1 - deficit;
    lanes_.reflect(x, axis_.data(), p_, 2 * lanes_.inner(x, axis_.data(), p_), sign_);
  }

 private:
  // 1 - W. Z is Beta(m/2, m/2) with m = p - 1, by Ulrich's formula for a symmetric beta.
  double cosine_deficit(Rng& rng) const {
    const double m = static_cast<double>(p_ - 1);
    for (;;) {
      const double u = 1 - rng.uniform(), turn = rng.uniform(), lot = 1 - rng.uniform();
      const double reach = p_ == 2 ? 1.0 : portable_one_minus_exp(2 * portable_log(u) / (m - 1));
      const double z = 0.5 + 0.5 * std::sqrt(reach) * portable_turn(turn).cosine;
      const double deficit = std::clamp(2 * b_ * z / (1 - (1 - b_) * z), 0.0, 2.0);
      // kappa W + m log(1 - x0 W) - c >= log U, written in 1 - W and 1 - x0.
      const double ratio = (near_ + deficit - near_ * deficit) / envelope_;
      if (kappa_ * (near_ - deficit) + m * portable_log(ratio) >= portable_log(lot)) return deficit;
    }
  }

  // A uniform direction in R^n, of the given length.
  void direction(Rng& rng, double* x, std::size_t n, double size, Scratch& normal) const {
    const std::size_t pairs = (n + 1) / 2;
    normal.resize(2 * pairs);
    lanes_.gaussians(rng.take(2 * pairs), pairs, normal.data());
    const double scale = size / std::sqrt(lanes_.inner(normal.data(), normal.data(), n));
    for (std::size_t j = 0; j < n; ++j) x[j] = normal[j] * scale;
  }

  std::size_t p_;
  double kappa_;
  const Kernels& lanes_;
  double b_ = 0, near_ = 0, envelope_ = 0, sign_ = 1;
  std::vector<double> axis_;
};

// A_p(kappa) = I_{p/2}(kappa) / I_{p/2-1}(kappa): the mean cosine. By Hankel's expansion of both where kappa
// is large beside the order, otherwise by the continued fraction (Lentz's method), which neither over- nor
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

}  // namespace askew
