// The counts on one side of a plane that CART-ELC turns about fixed samples: points come and go, and now and then the
// split is scored. Sums do not depend on the order of the points: weights that are not whole are rounded to a grid on
// which every sum is exact.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "numeric/sort.hpp"
#include "score/criterion.hpp"
#include "score/fast_ranking.hpp"
#include "score/sweep.hpp"

namespace askew::elc {

using namespace numeric;
using namespace score;

// The counts (or moments) of every point. Rows are 0..n-1, each a member of one point.
struct Masses {
  std::size_t k = 0;
  std::vector<double> of, total, samples;
  double n_samples = 0;
  bool classes = true;
  bool counted = true;  // whole numbers below 2^26, each a number of samples: products are exact

  double weight_of(const double* counts) const {
    return classes ? score::total(counts, static_cast<int>(k)) : counts[0];
  }
  LeafLimits limits(double min_samples, double min_weight) const {
    return {min_samples, n_samples, min_weight, weight_of(total.data())};
  }
  const double* at(std::uint32_t u) const { return of.data() + u * k; }

  template <class C>
  static Masses make(const C&, const Target& target, const std::vector<std::vector<std::uint32_t>>& members) {
    Masses m;
    m.k = static_cast<std::size_t>(target.k), m.classes = target.classification();
    std::uint32_t n_rows = 0;
    for (const auto& rows : members) n_rows += static_cast<std::uint32_t>(rows.size());
    m.total.assign(m.k, 0.0), m.of.assign(members.size() * m.k, 0.0), m.samples.assign(members.size(), 0.0);
    double centre = 0;
    if constexpr (std::is_same_v<C, SquaredError>) {
      std::vector<std::uint32_t> everyone(n_rows);
      std::iota(everyone.begin(), everyone.end(), 0u);
      centre = centre_of(target, everyone.data(), n_rows);
    }
    const auto grid = m.units(target, n_rows, centre);
    std::vector<double> own(m.k);
    for (std::size_t u = 0; u < members.size(); ++u) {
      for (const auto row : members[u]) {
        std::fill(own.begin(), own.end(), 0.0);
        target.add(own.data(), row, 1, centre);
        for (std::size_t c = 0; c < m.k; ++c) {
          const double mass = std::nearbyint(own[c] / grid[c]) * grid[c];
          m.of[u * m.k + c] += mass, m.total[c] += mass;
        }
        m.samples[u] += target.samples_of(row);
        m.counted = m.counted && target.label && target.weight_of(row) == target.samples_of(row) &&
                    target.weight_of(row) == std::floor(target.weight_of(row));
      }
      m.n_samples += m.samples[u];
    }
    m.counted = m.counted && m.n_samples < 0x1p26;
    return m;
  }

 private:
  // The step of each grid: sums stay below 2^53 steps.
  std::vector<double> units(const Target& target, std::uint32_t n_rows, double centre) const {
    std::vector<double> sums(k, 0.0), own(k);
    for (std::uint32_t row = 0; row < n_rows; ++row) {
      std::fill(own.begin(), own.end(), 0.0);
      target.add(own.data(), row, 1, centre);
      for (std::size_t c = 0; c < k; ++c) sums[c] += std::abs(own[c]);
    }
    for (double& sum : sums)
      sum = sum > 0 && std::isfinite(sum) ? std::ldexp(1.0, std::max(std::ilogb(sum) - 51, -1000)) : 1.0;
    return sums;
  }
};

// An entry of a sweep: a key, and as its item a point (31 bits) and whether it starts on the other side (one bit).
inline std::uint32_t point_of(Keyed entry) { return item_of(entry) >> 1; }
inline bool starts_there(Keyed entry) { return item_of(entry) & 1; }

// A score that is not needed: the candidate is worse than the best so far.
constexpr double kWorse = kInfinity;

// Any criterion that is a function of counts.
template <class C>
class CountTally {
 public:
  static constexpr bool batched = std::is_same_v<C, Batch>, runs = false;
  CountTally(const C& criterion, const Masses& masses)
      : criterion_(criterion), m_(&masses), here_(masses.k), there_(masses.k) {}

  void reset() {
    std::fill(here_.begin(), here_.end(), 0.0);
    samples_ = 0;
  }
  void add(std::uint32_t u, double sign) {
    const double* mass = m_->at(u);
    for (std::size_t c = 0; c < here_.size(); ++c) here_[c] += sign * mass[c];
    samples_ += sign * m_->samples[u];
  }
  // Starts with the points of the entries that are on this side.
  void fill(const Keyed* entries, std::size_t n) {
    reset();
    for (std::size_t i = 0; i < n; ++i)
      if (!starts_there(entries[i])) add(point_of(entries[i]), 1);
  }
  bool allowed(const LeafLimits& leaf) const {
    return leaf.allow(samples_, leaf.min_weight > 0 ? m_->weight_of(here_.data()) : 0);
  }
  // `left`: whether the points of this tally are the left child's.
  double offer(bool left, const LeafLimits& leaf) {
    if (!allowed(leaf)) return kWorse;
    for (std::size_t c = 0; c < here_.size(); ++c) there_[c] = m_->total[c] - here_[c];
    const double* sides[2] = {left ? here_.data() : there_.data(), left ? there_.data() : here_.data()};
    if constexpr (batched) {
      waiting_.add(sides[0], sides[1], static_cast<int>(here_.size()));
      return -kInfinity;  // may be the best: the criterion has its say when all are together
    } else {
      return score_sides(criterion_, sides[0], sides[1], static_cast<int>(here_.size()));
    }
  }
  void accepted() {}
  std::vector<double> scores() {
    if constexpr (batched) return waiting_.scores(criterion_, static_cast<int>(here_.size()));
    else return {};
  }

 protected:
  C criterion_;
  const Masses* m_;
  std::vector<double> here_, there_;
  double samples_ = 0;
  WaitingCuts waiting_;  // of a Python criterion
};

// Gini and twoing of whole counts, ranked by the q of score/fast_ranking.hpp: only a candidate that may be the best is
// scored.
template <class C>
class RankedTally : public CountTally<C> {
 public:
  using CountTally<C>::CountTally;
  double offer(bool left, const LeafLimits& leaf) {
    q_ =
        rank_of<C>(this->m_->total.data(), this->here_.data(), this->here_.size(), this->samples_, this->m_->n_samples);
    return reaches(q_, best_, 1 - kRankMargin) ? CountTally<C>::offer(left, leaf) : kWorse;
  }
  void accepted() { best_ = q_; }

 private:
  Fraction q_, best_;
};

// The same for two classes, where D alone is followed.
template <class C>
class TwoClassTally {
 public:
  static constexpr bool batched = false, runs = true;
  TwoClassTally(const C& criterion, const Masses& masses)
      : criterion_(criterion), mass_(masses.samples.size()), n_(masses.n_samples), second_(masses.total[1]) {
    for (std::uint32_t u = 0; u < mass_.size(); ++u)
      mass_[u] = {masses.samples[u], n_ * masses.at(u)[1] - second_ * masses.samples[u]};
  }
  void reset() { here_ = {0, 0}; }
  void add(std::uint32_t u, double sign) { here_.n += sign * mass_[u].n, here_.D += sign * mass_[u].D; }
  void fill(const Keyed* entries, std::size_t n) {
    Mass sum{0, 0};
    for (std::size_t i = 0; i < n; ++i) {
      const double sign = 1.0 - starts_there(entries[i]);
      const Mass& mass = mass_[point_of(entries[i])];
      sum.n += sign * mass.n, sum.D += sign * mass.D;
    }
    here_ = sum;
  }
  // Passes entries, each a candidate by itself, until one may be the best; returns its place, with the points on
  // its plane moved as `plus` has it and its own last move still to be made.
  std::size_t run(const Keyed* entries, std::size_t i, std::size_t end, bool plus) {
    Mass sum = here_;
    const double first = plus ? 0.0 : -1.0, n = n_, sizes = best_.denominator, q = best_.numerator * (1 - kRankMargin);
    for (; i < end; ++i) {
      const Mass& mass = mass_[point_of(entries[i])];
      const double there = starts_there(entries[i]), move = there + first;
      const double n_here = sum.n + move * mass.n, D = sum.D + move * mass.D;
      if (D * D * sizes >= q * (n_here * (n - n_here))) [[unlikely]] {
        here_ = {n_here, D};
        return i;
      }
      sum.n += (2 * there - 1) * mass.n, sum.D += (2 * there - 1) * mass.D;
    }
    here_ = sum;
    return end;
  }
  double offer(bool left, const LeafLimits& leaf) {
    q_ = rank_by_distance(here_.D, here_.n, n_);
    if (!reaches(q_, best_, 1 - kRankMargin)) return kWorse;
    if (!leaf.allow(here_.n, here_.n)) return kWorse;
    const double second = (here_.D + second_ * here_.n) / n_;  // whole numbers: exact
    const double a[2] = {here_.n - second, second}, b[2] = {n_ - second_ - a[0], second_ - a[1]};
    return score_sides(criterion_, left ? a : b, left ? b : a, 2);
  }
  void accepted() { best_ = q_; }
  std::vector<double> scores() { return {}; }

 private:
  struct Mass {
    double n, D;
  };
  C criterion_;
  std::vector<Mass> mass_;
  Mass here_{0, 0};
  double n_, second_;
  Fraction q_, best_;
};

// Absolute error needs the rows themselves.
class MedianTally {
 public:
  static constexpr bool batched = false, runs = false;
  MedianTally(const MedianSides& sides, const std::vector<std::vector<std::uint32_t>>& members, const Masses& masses)
      : sides_(sides), members_(&members), m_(&masses) {}
  void reset() { sides_.all_right(), samples_ = weight_ = 0; }
  void fill(const Keyed* entries, std::size_t n) {
    reset();
    for (std::size_t i = 0; i < n; ++i)
      if (!starts_there(entries[i])) add(point_of(entries[i]), 1);
  }
  void add(std::uint32_t u, double sign) {
    for (const auto row : (*members_)[u]) {
      if (sign > 0) sides_.to_left(row);
      if (sign < 0) sides_.to_right(row);
    }
    samples_ += sign * m_->samples[u], weight_ += sign * m_->at(u)[0];
  }
  double offer(bool, const LeafLimits& leaf) { return leaf.allow(samples_, weight_) ? sides_.score() : kWorse; }
  void accepted() {}
  std::vector<double> scores() { return {}; }

 private:
  MedianSides sides_;
  const std::vector<std::vector<std::uint32_t>>* members_;
  const Masses* m_;
  double samples_ = 0, weight_ = 0;
};

// Calls f(tally, masses) with the one that serves the criterion: a fast one where there is one.
template <class F>
decltype(auto) with_tally(const Criterion& criterion, const Target& target,
                          const std::vector<std::vector<std::uint32_t>>& members, F&& f) {
  return with_sides(criterion, target, [&]<class Type, class C>(Type, const C& c) -> decltype(auto) {
    const Masses masses = Masses::make(c, target, members);
    if constexpr (std::is_same_v<C, AbsoluteError>) {
      std::vector<std::uint32_t> rows;
      for (const auto& equal : members) rows.insert(rows.end(), equal.begin(), equal.end());
      return f(MedianTally(MedianSides(c, target, rows.data(), rows.size()), members, masses), masses);
    } else {
      if constexpr (std::is_same_v<C, Gini> || std::is_same_v<C, Twoing>) {
        if (masses.counted && masses.k == 2) return f(TwoClassTally<C>(c, masses), masses);
        if (masses.counted) return f(RankedTally<C>(c, masses), masses);
      }
      return f(CountTally<C>(c, masses), masses);
    }
  });
}

}  // namespace askew::elc
