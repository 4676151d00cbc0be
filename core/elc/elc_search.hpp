// The search of CART-ELC at a node: which samples are fixed when, on how many threads, under which budget.
#pragma once

#include <atomic>
#include <chrono>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "elc/angular_sweep.hpp"
#include "numeric/parallel.hpp"
#include "numeric/rng.hpp"

namespace askew::elc {

using namespace numeric;
using namespace score;

// The largest number of random units of work (fixed samples and features), and the time limit.
struct Budget {
  std::uint64_t units = 0;  // 0: all of them, in order
  double seconds = kInfinity;
  std::uint64_t seed = 0;
};

struct SearchResult {
  Candidate best;
  std::size_t n_evaluated = 0;
};

// The units in a random order. They are numbered, and steps of a random length, prime to their number, visit each of
// them once. Where there are too many to be numbered, each is drawn by itself: that one comes twice is then unlikely.
class RandomUnits {
 public:
  struct Unit {
    Combination fixed, features;
  };
  RandomUnits(std::size_t n, std::size_t d, std::size_t r, std::uint64_t seed)
      : n_(n), d_(d), r_(r), seed_(seed), of_features_(binomial(d, r)) {
    const std::uint64_t of_samples = binomial(n, r - 1);
    total_ = of_samples >= kTooMany / of_features_ ? kTooMany : of_samples * of_features_;
    Rng rng(seed);
    start_ = rng.below(total_);
    step_ = total_ > 1 ? 1 + rng.below(total_ - 1) : 1;
    while (std::gcd(step_, total_) != 1) step_ = 1 + rng.below(total_ - 1);
  }
  std::uint64_t total() const { return total_; }

  Unit at(std::uint64_t turn) const {
    if (total_ == kTooMany) {
      Rng rng(derive(seed_, turn));
      Combination fixed = random_combination(rng, n_, r_ - 1);
      return {std::move(fixed), random_combination(rng, d_, r_)};
    }
    const std::uint64_t unit = (start_ + multiply(turn, step_, total_)) % total_;
    return {combination_of_rank(unit / of_features_, n_, r_ - 1), combination_of_rank(unit % of_features_, d_, r_)};
  }

 private:
  static std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
    std::uint64_t product = 0;  // modulus <= 2^62: sums do not overflow
    for (b %= modulus; a > 0; a >>= 1, b = (b + b) % modulus)
      if (a & 1) product = (product + b) % modulus;
    return product;
  }

  std::size_t n_, d_, r_;
  std::uint64_t seed_, of_features_, total_ = 0, start_ = 0, step_ = 1;
};

template <class Tally>
class ExhaustiveSearch {
 public:
  ExhaustiveSearch(const ExactTable& table, const Tally& tally, const ExhaustiveRules& rules, int threads,
                   Interrupt& interrupt)
      : table_(table), tally_(tally), rules_(rules), threads_(threads), interrupt_(interrupt),
        sweeps_(static_cast<std::size_t>(std::max(threads, 1))) {}

  SearchResult run(const Budget& budget) {
    if (rules_.r == 1) {
      each(table_.d,
           [&](std::size_t f, AngularSweep<Tally>& sweep) { sweep.look_along(static_cast<std::uint32_t>(f)); });
    } else if (table_.n >= rules_.r || rules_.eigen) {
      if (budget.units == 0) all();
      else some(budget);
    }
    SearchResult result;
    for (auto& sweep : sweeps_) {
      if (!sweep) continue;
      result.n_evaluated += sweep->n_evaluated();
      if (sweep->best().before(result.best)) result.best = sweep->best();
    }
    result.n_evaluated -= needless_;
    return result;
  }

 private:
  template <class Task>
  void each(std::size_t n, Task task) {
    parallel_for(n, threads_, interrupt_, [&](std::size_t i, std::size_t thread) {
      auto& sweep = sweeps_[thread];
      if (!sweep) sweep.emplace(table_, tally_, rules_);
      task(i, *sweep);
    });
  }

  // A task is the first sample. A perfect plane makes the samples behind it needless.
  void all() {
    const std::size_t n = table_.n, r = rules_.r;
    std::atomic<std::size_t> perfect{kNone};
    std::vector<std::size_t> n_evaluated(n);
    // Behind the last sample that may be fixed there must be one more, unless equal rows define planes too.
    each(rules_.eigen ? n : n - r + 1, [&](std::size_t first, AngularSweep<Tally>& sweep) {
      if (first > perfect.load()) return;
      const std::size_t before = sweep.n_evaluated();
      const double done = 1 - static_cast<double>(binomial(n - first, r - 1)) / static_cast<double>(binomial(n, r - 1));
      Combination fixed(r - 1);
      std::iota(fixed.begin(), fixed.end(), static_cast<std::uint32_t>(first));
      do {
        Combination features = first_combination(r);
        do {
          interrupt_.check(done);
          sweep.look(fixed, 0, features, fixed.back());
        } while (next_combination(features, table_.d));
        // The first sample stays; the last must have one behind it.
      } while (sweep.best().score > 0 && next_combination(fixed, n - 1, 1));
      n_evaluated[first] = sweep.n_evaluated() - before;
      if (sweep.best().score <= 0)
        for (std::size_t seen = perfect.load(); first < seen && !perfect.compare_exchange_weak(seen, first);) {
        }
    });
    for (std::size_t first = 0; first < n; ++first)
      if (first > perfect.load()) needless_ += n_evaluated[first];
  }

  void some(const Budget& budget) {
    const RandomUnits units(table_.n, table_.d, rules_.r, budget.seed);
    const std::uint64_t number = std::min(budget.units, units.total());
    const auto begun = std::chrono::steady_clock::now();
    const auto late = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() > budget.seconds;
    };
    // Blocks that grow: when the time is over, few turns are left to be passed by.
    std::uint64_t block = budget.seconds < kInfinity ? 64 : number;
    for (std::uint64_t from = 0; from < number && (from == 0 || !late());
         from += block, block = std::min(2 * block, kLargestBlock))
      each(std::min(block, number - from), [&](std::size_t i, AngularSweep<Tally>& sweep) {
        const std::uint64_t turn = from + i;
        if (turn > 0 && late()) return;
        interrupt_.check(static_cast<double>(turn) / static_cast<double>(number));
        const auto [fixed, features] = units.at(turn);
        sweep.look(fixed, turn, features, kNoPoint);
      });
  }
  static constexpr std::uint64_t kLargestBlock = 1 << 16;

  const ExactTable& table_;
  Tally tally_;
  ExhaustiveRules rules_;
  int threads_;
  std::size_t needless_ = 0;  // planes behind a perfect one: how many depends on the threads
  Interrupt& interrupt_;
  std::vector<std::optional<AngularSweep<Tally>>> sweeps_;
};

}  // namespace askew::elc
