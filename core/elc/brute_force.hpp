// CART-ELC as its paper has it: every plane, every sample. Kept as the oracle of the sweep (angular_sweep.hpp), and for
// the tolerance of the authors' program, which no sweep reproduces.
#pragma once

#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "elc/angular_sweep.hpp"

namespace askew {

template <class Tally>
class BruteForce {
 public:
  // `tolerance`: samples so close below the plane count as on it; below 0: exact sides.
  BruteForce(const Lattice& lattice, const Tally& tally, const ExhaustiveRules& rules, double tolerance, Pulse& pulse)
      : lattice_(lattice), tally_(tally), rules_(rules), tolerance_(tolerance), pulse_(pulse),
        frame_(make_frame(lattice, std::max<std::size_t>(rules.r, 2))), all_(subsets(lattice.d, rules.r)),
        exact_(lattice.bits_to_compare(std::max<std::size_t>(rules.r, 2)) <= 53 && !lattice.rounded),
        side_(lattice.n), entries_(lattice.n) {
    for (auto& y : y_) y.resize(lattice.n);
  }

  // Samples of a subset ascend; the last one runs fastest.
  void run() {
    if (lattice_.n < rules_.r) return;
    if (rules_.r == 1) {
      for (now_.partner = 0; now_.partner < lattice_.n; ++now_.partner)
        for (now_.subset = 0; now_.subset < lattice_.d; ++now_.subset)
          if (!lattice_.lacks(now_.partner, all_[now_.subset])) through_axis(now_.subset, now_.partner);
      return;
    }
    for (const auto& chosen : subsets(lattice_.n - 1, rules_.r - 1)) {
      pulse_.check();
      now_.fixed.assign(chosen.begin(), chosen.end());
      for (now_.subset = 0; now_.subset < all_.size(); ++now_.subset) {
        const auto& features = all_[now_.subset];
        if (lattice_.any_lacks(now_.fixed, features) || !frame_->set(now_.fixed, features)) continue;
        project();
        for (std::uint32_t u = now_.fixed.back() + 1; u < lattice_.n; ++u)
          if (!lattice_.lacks(u, features)) through(u);
      }
    }
  }
  const Candidate& best() const { return best_; }
  const std::vector<double>& best_weights() const { return best_weights_; }
  double best_threshold() const { return best_threshold_; }
  const std::vector<bool>& best_left() const { return best_left_; }
  std::size_t looked_at() const { return looked_at_; }

 private:
  const LatticeColumn& column(std::size_t k) const { return lattice_.columns[all_[now_.subset][k]]; }

  void project() {
    const bool differences = rules_.r == 2 && !lattice_.rounded;
    const double *f = column(0).value.data(), *g = column(rules_.r - 1).value.data();
    const std::uint32_t first = now_.fixed[0];
    for (std::uint32_t u = 0; u < lattice_.n; ++u) {
      double y[2] = {f[u] - f[first], g[u] - g[first]};
      if (!differences) frame_->project(u, y);
      y_[0][u] = y[0], y_[1][u] = y[1];
    }
  }

  // The plane through the fixed samples and u.
  void through(std::uint32_t u) {
    now_.partner = u;
    if (y_[0][u] == 0 && y_[1][u] == 0) {
      if (rules_.eigen && rules_.r == 2) {
        now_.partner = kAxis, now_.last = u;
        through_axis(all_[now_.subset][0], now_.fixed[0]);
      }
      return;
    }
    now_.last = u;
    int sign = 0;
    for (std::size_t k = 0; sign == 0; ++k) sign = frame_->coefficient(u, k);
    if (tolerance_ >= 0) return through_with_tolerance(u, sign);
    const double u1 = y_[0][u] * sign, u2 = y_[1][u] * sign, doubt = exact_ ? -1 : 0x1p-48, least = exact_ ? 0 : 1e-290;
    for (std::uint32_t v = 0; v < lattice_.n; ++v) {
      const double p = u1 * y_[1][v], q = u2 * y_[0][v], det = p - q;
      if (std::abs(det) > doubt * (std::abs(p) + std::abs(q)) + least || exact_) [[likely]]
        side_[v] = (det > 0) - (det < 0);
      else if (v == u || (y_[0][v] == 0 && y_[1][v] == 0)) side_[v] = 0;
      else side_[v] = sign * frame_->cross(u, v);
    }
    score_sides();
  }
  void through_axis(std::size_t feature, std::uint32_t u) {
    if (rules_.r == 1) now_.last = u;
    const auto& x = lattice_.columns[feature].raw;
    weights_.assign(lattice_.d, 0.0);
    weights_[feature] = 1, constant_ = x[u];
    const double slack = std::max(tolerance_, 0.0);
    for (std::uint32_t v = 0; v < lattice_.n; ++v)
      side_[v] = std::abs(x[v] - x[u]) <= slack ? 0 : x[v] > x[u] ? 1 : -1;
    score_sides();
  }
  void through_with_tolerance(std::uint32_t u, int sign) {
    const std::size_t r = rules_.r;
    std::vector<Scaled> values(r);
    int largest = -(1 << 24);
    for (std::size_t k = 0; k < r; ++k) {
      values[k] = frame_->coefficient_value(u, k);
      if (values[k].fraction != 0) largest = std::max(largest, values[k].exponent + std::ilogb(values[k].fraction));
    }
    weights_.assign(lattice_.d, 0.0);
    double length = 0;
    for (std::size_t k = 0; k < r; ++k) {
      const double w = sign * values[k].times_power_of_two(-largest);
      weights_[all_[now_.subset][k]] = w, length += w * w;
    }
    constant_ = 0;
    for (std::size_t k = 0; k < r; ++k) {
      double& w = weights_[all_[now_.subset][k]];
      w /= std::sqrt(length);
      constant_ += w * column(k).raw[u];
    }
    for (std::uint32_t v = 0; v < lattice_.n; ++v) {
      double distance = -constant_;
      for (std::size_t k = 0; k < r; ++k) distance += weights_[all_[now_.subset][k]] * column(k).raw[v];
      side_[v] = distance > tolerance_ ? 1 : distance < -tolerance_ ? -1 : 0;
    }
    score_sides();
  }

  // On or above the plane is left; the other way round, on or below it. What lacks a feature is right in any case.
  void score_sides() {
    const bool complete = lattice_.complete;
    const auto is_left = [&](std::uint32_t v, int factor) {
      return factor * side_[v] >= 0 && (complete || !lattice_.lacks(v, all_[now_.subset]));
    };
    for (int turned = 0; turned < 1 + rules_.both; ++turned) {
      ++looked_at_;
      const int factor = turned ? -1 : 1;
      for (std::uint32_t v = 0; v < lattice_.n; ++v) entries_[v] = v << 1 | static_cast<std::uint32_t>(!is_left(v, factor));
      tally_.fill(entries_.data(), lattice_.n);
      now_.score = tally_.offer(true, rules_.leaf);
      now_.flipped = turned;
      if (!now_.before(best_) || now_.score == kWorse) continue;
      best_ = now_;
      tally_.accepted();
      best_left_.resize(lattice_.n);
      for (std::uint32_t v = 0; v < lattice_.n; ++v) best_left_[v] = is_left(v, factor);
      best_weights_ = weights_;
      for (double& w : best_weights_) w = turned ? w : -w;
      best_threshold_ = (turned ? constant_ : -constant_) + std::max(tolerance_, 0.0);
    }
  }

  const Lattice& lattice_;
  Tally tally_;
  ExhaustiveRules rules_;
  double tolerance_;
  Pulse& pulse_;
  std::unique_ptr<Frame> frame_;
  std::vector<std::vector<std::size_t>> all_;
  bool exact_;
  std::vector<double> y_[2], weights_, best_weights_;
  double constant_ = 0, best_threshold_ = 0;
  std::vector<int> side_;
  std::vector<Keyed> entries_;
  std::vector<bool> best_left_;
  Candidate now_, best_;
  std::size_t looked_at_ = 0;
};

}  // namespace askew
