// The whole search of CART-ELC at a node: which samples are fixed when, on how many threads, under which budget;
// and the plane found, as a test of the tree.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "base/node_data.hpp"
#include "base/parallel.hpp"
#include "base/rng.hpp"
#include "elc/angular_sweep.hpp"

namespace askew {

// At most so many units of work (fixed samples and features), drawn by lot, and not beyond the time.
struct Budget {
  std::uint64_t units = 0;  // 0: all of them, in order
  double seconds = kInfinity;
  std::uint64_t seed = 0;
};

struct SearchResult {
  Candidate best;
  std::size_t looked_at = 0;
};

// C(n, k), or infinity where it does not fit.
inline double choose(std::size_t n, std::size_t k) {
  double result = 1;
  for (std::size_t i = 0; i < k; ++i) result = result * static_cast<double>(n - i) / static_cast<double>(i + 1);
  return n < k ? 0.0 : std::round(result);
}

template <class Tally>
class ExhaustiveSearch {
 public:
  ExhaustiveSearch(const Lattice& lattice, const Tally& tally, const ExhaustiveRules& rules, int threads, Pulse& pulse)
      : lattice_(lattice), tally_(tally), rules_(rules), threads_(threads), pulse_(pulse),
        subsets_(subsets(lattice.d, rules.r)), sweeps_(static_cast<std::size_t>(std::max(threads, 1))) {}

  SearchResult run(const Budget& budget) {
    if (rules_.r == 1) {
      each(lattice_.d, [&](std::size_t f, AngularSweep<Tally>& sweep, bool) { sweep.look_along(f); });
    } else if (lattice_.n >= rules_.r || rules_.eigen) {
      if (budget.units == 0) all();
      else some(budget);
    }
    SearchResult result;
    for (auto& sweep : sweeps_) {
      if (!sweep) continue;
      result.looked_at += sweep->looked_at();
      if (sweep->best().before(result.best)) result.best = sweep->best();
    }
    result.looked_at -= needless_;
    return result;
  }

 private:
  template <class Task>
  void each(std::size_t n, Task task) {
    parallel_for(n, threads_, pulse_, [&](std::size_t i, std::size_t thread) {
      auto& sweep = sweeps_[thread];
      if (!sweep) sweep.emplace(lattice_, tally_, rules_);
      task(i, *sweep, thread == 0);
    });
  }

  // A task is the first sample. A perfect plane makes the samples behind it needless.
  void all() {
    const std::size_t n = lattice_.n, r = rules_.r;
    std::atomic<std::size_t> perfect{kNone};
    std::vector<std::size_t> looked_at(n);
    // Behind the last sample that may be fixed there must be one more, unless equal rows define planes too.
    each(rules_.eigen ? n : n - r + 1, [&](std::size_t first, AngularSweep<Tally>& sweep, bool main) {
      if (first > perfect.load()) return;
      const std::size_t before = sweep.looked_at();
      const double done = 1 - choose(n - first, r - 1) / choose(n, r - 1);
      std::vector<std::uint32_t> fixed(r - 1);
      std::iota(fixed.begin(), fixed.end(), static_cast<std::uint32_t>(first));
      do {
        for (std::size_t s = 0; s < subsets_.size(); ++s) {
          if (main) pulse_.check(done);
          else if (pulse_.stopped()) return;
          sweep.look(fixed, 0, subsets_[s], s, fixed.back());
        }
      } while (sweep.best().score > 0 && next(fixed));
      looked_at[first] = sweep.looked_at() - before;
      if (sweep.best().score <= 0)
        for (std::size_t seen = perfect.load(); first < seen && !perfect.compare_exchange_weak(seen, first);) {
        }
    });
    for (std::size_t first = 0; first < n; ++first)
      if (first > perfect.load()) needless_ += looked_at[first];
  }
  // The next samples behind the first one, which stays; the last must have one behind it.
  bool next(std::vector<std::uint32_t>& fixed) const {
    const std::size_t m = fixed.size();
    std::size_t i = m;
    while (i > 1 && fixed[i - 1] == lattice_.n - 1 - (m - i + 1)) --i;
    if (i <= 1) return false;
    ++fixed[i - 1];
    for (; i < m; ++i) fixed[i] = fixed[i - 1] + 1;
    return true;
  }

  // Units are numbered; steps of a random length, prime to their number, meet each of them once.
  void some(const Budget& budget) {
    const double number = choose(lattice_.n, rules_.r - 1) * static_cast<double>(subsets_.size());
    const auto total = static_cast<std::uint64_t>(std::min(number, 0x1p62));
    const std::uint64_t units = std::min(budget.units, total);
    Rng rng(budget.seed);
    const std::uint64_t start = rng.below(total);
    std::uint64_t step = total > 1 ? 1 + rng.below(total - 1) : 1;
    while (std::gcd(step, total) != 1) step = 1 + rng.below(total - 1);
    const auto begun = std::chrono::steady_clock::now();
    const auto late = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() > budget.seconds;
    };
    // Blocks that grow: when the time is over, few turns are left to be passed by.
    std::uint64_t block = budget.seconds < kInfinity ? 64 : units;
    for (std::uint64_t from = 0; from < units && (from == 0 || !late());
         from += block, block = std::min(2 * block, kLargestBlock))
      each(std::min(block, units - from), [&](std::size_t i, AngularSweep<Tally>& sweep, bool main) {
        const std::uint64_t turn = from + i;
        if (turn > 0 && late()) return;
        if (main) pulse_.check(static_cast<double>(turn) / static_cast<double>(units));
        const std::uint64_t unit = (start + multiply(turn, step, total)) % total;
        const std::size_t s = unit % subsets_.size();
        sweep.look(unrank(unit / subsets_.size()), turn, subsets_[s], s, kNobody);
      });
  }
  static constexpr std::uint64_t kLargestBlock = 1 << 16;
  static std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
    std::uint64_t product = 0;  // modulus <= 2^62: sums do not overflow
    for (b %= modulus; a > 0; a >>= 1, b = (b + b) % modulus)
      if (a & 1) product = (product + b) % modulus;
    return product;
  }
  std::vector<std::uint32_t> unrank(std::uint64_t rank) const {
    std::vector<std::uint32_t> fixed;
    std::size_t u = 0;
    for (std::size_t left = rules_.r - 1; left > 0; ++u) {
      const auto with = static_cast<std::uint64_t>(std::min(choose(lattice_.n - u - 1, left - 1), 0x1p62));
      if (rank < with || lattice_.n - u == left) fixed.push_back(static_cast<std::uint32_t>(u)), --left;
      else rank -= with;
    }
    return fixed;
  }

  const Lattice& lattice_;
  Tally tally_;
  ExhaustiveRules rules_;
  int threads_;
  std::size_t needless_ = 0;  // planes behind a perfect one: how many depends on the threads
  Pulse& pulse_;
  std::vector<std::vector<std::size_t>> subsets_;
  std::vector<std::optional<AngularSweep<Tally>>> sweeps_;
};

// A plane, and which points are left of it.
struct SampledPlane {
  std::vector<double> weights;  // one for each feature: rows with weights.x <= threshold go left
  std::vector<bool> left;       // of each point
};

inline SampledPlane plane_of(const Lattice& lattice, std::size_t r, const Candidate& found) {
  SampledPlane plane{std::vector<double>(lattice.d, 0.0), std::vector<bool>(lattice.n)};
  const auto features = subsets(lattice.d, r)[found.subset];
  if (r == 1 || found.partner == kAxis) {
    const auto& x = lattice.columns[features[0]].raw;
    const double v = x[r == 1 ? found.partner : found.fixed[0]];
    plane.weights[features[0]] = found.flipped ? 1.0 : -1.0;
    for (std::uint32_t u = 0; u < lattice.n; ++u)
      plane.left[u] = !lattice.lacks(u, features) && (found.flipped ? x[u] <= v : x[u] >= v);
    return plane;
  }
  const auto frame = make_frame(lattice, r);
  frame->set(found.fixed, features);
  int sign = 0;
  for (std::size_t k = 0; sign == 0; ++k) sign = frame->coefficient(found.partner, k);
  if (found.flipped) sign = -sign;
  for (std::uint32_t u = 0; u < lattice.n; ++u)
    plane.left[u] = !lattice.lacks(u, features) && sign * frame->cross(found.partner, u) >= 0;
  std::vector<Scaled> values(r);
  int largest = -(1 << 24);
  for (std::size_t k = 0; k < r; ++k) {
    values[k] = frame->coefficient_value(found.partner, k);
    if (values[k].fraction != 0) largest = std::max(largest, values[k].exponent + std::ilogb(values[k].fraction));
  }
  for (std::size_t k = 0; k < r; ++k) plane.weights[features[k]] = -sign * values[k].times_power_of_two(-largest);
  return plane;
}

// The test of the tree. The plane itself is where the samples on it are projected; `half_way` puts it between the
// sides. Rows stay on their sides exactly. Where floating point cannot tell the sides apart, the best cut along
// these weights takes the plane's place. A row whose projection is NaN is on the right.
template <class Sides>
struct PlacedPlane {
  double threshold = 0, score = kInfinity;
  bool exact = true;

  PlacedPlane(const std::vector<double>& projected, const std::vector<bool>& left, double found_score, bool half_way,
              double wanted, const Sides& sides, const Target& target, const LeafLimits& leaf)
      : score(found_score) {
    double highest_left = -kInfinity, lowest_right = kInfinity;
    for (std::size_t j = 0; j < projected.size(); ++j)
      if (left[j]) highest_left = std::max(highest_left, projected[j]);
      else lowest_right = std::min(lowest_right, projected[j]);
    if (highest_left < lowest_right) {
      threshold = half_way && lowest_right < kInfinity ? midpoint(highest_left, lowest_right) : highest_left;
      if (wanted >= highest_left && wanted < lowest_right) threshold = wanted;
      return;
    }
    exact = false;
    std::vector<Keyed> order, spare;
    for (std::uint32_t j = 0; j < projected.size(); ++j)
      if (!std::isnan(projected[j])) order.push_back(j);
    const auto value = [&](std::uint32_t row) { return projected[row]; };
    sort_by_value(order, spare, value);
    const auto row = [&](std::size_t i) { return item_of(order[i]); };
    const auto differs = [&](std::size_t i) { return value(row(i)) < value(row(i + 1)); };
    Sides own = sides;
    const Best cut = sweep(own, target, order.size(), row, differs, leaf);
    score = cut.score;
    if (cut.position != kNone) threshold = midpoint(value(row(cut.position)), value(row(cut.position + 1)));
  }
};

}  // namespace askew
