// The three-layer AND/OR network of a tree, for LA and GA pruning (Shah & Sastry 1999, section IV): rows to regions,
// the fitness of many networks at once by bitsets, and the learning automata.
//
// A condition is (split, side): the split sends a row to that child. A unit is the AND of the conditions that it
// selects; the network is the OR of its units. Rows that fulfil the same conditions are one cell, so that the
// search sees few cells with weights instead of many rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numeric/parallel.hpp"
#include "numeric/rng.hpp"
#include "numeric/simd.hpp"
#include "tree/tree_walk.hpp"

namespace askew::network {

using namespace numeric;
using namespace tree;

// --- fitted networks

struct RegionsView {
  std::size_t n;
  const std::int64_t* start;  // n + 1
  const std::int64_t* split;
  const std::int64_t* side;
};

// The first region that holds each row of X; the last one if none does. A split is tried once a row at most.
inline void find_regions(const TreeView& splits, const RegionsView& regions, const double* X, std::size_t n,
                         std::size_t d, std::int64_t* found, int threads, Interrupt& interrupt) {
  constexpr std::size_t kTask = 512;
  constexpr std::int64_t kUntried = -1;
  parallel_for((n + kTask - 1) / kTask, threads, interrupt, [&](std::size_t task, std::size_t) {
    std::vector<std::int64_t> taken(splits.n_nodes);
    for (std::size_t i = task * kTask; i < std::min(n, (task + 1) * kTask); ++i) {
      std::fill(taken.begin(), taken.end(), kUntried);
      const auto holds = [&](std::size_t region) {
        for (auto c = regions.start[region]; c < regions.start[region + 1]; ++c) {
          std::int64_t& side = taken[static_cast<std::size_t>(regions.split[c])];
          if (side == kUntried)
            side =
                static_cast<std::int64_t>(route(splits.split(static_cast<std::size_t>(regions.split[c])), X + i * d));
          if (side != regions.side[c]) return false;
        }
        return true;
      };
      std::size_t region = 0;
      while (region + 1 < regions.n && !holds(region)) ++region;
      found[i] = static_cast<std::int64_t>(region);
    }
  });
}

// --- fitness

constexpr std::size_t kWord = 64;
inline std::size_t words_for(std::size_t bits) { return (bits + kWord - 1) / kWord; }

// out[w] &= bits[w]; whether anything is left.
ASKEW_WIDE_VECTORS inline bool intersect(std::uint64_t* out, const std::uint64_t* bits, std::size_t n) {
  std::uint64_t any = 0;
  for (std::size_t w = 0; w < n; ++w) any |= out[w] &= bits[w];
  return any != 0;
}

// What a set of cells gains: the weight of the class in it less the weight of the others.
class Gains {
 public:
  Gains(const double* gain, std::size_t n_cells) : gain_(gain), plus_(words_for(n_cells)), minus_(words_for(n_cells)) {
    for (std::size_t c = 0; c < n_cells; ++c) {
      if (gain[c] > 0) plus_[c / kWord] |= std::uint64_t{1} << (c % kWord);
      if (gain[c] < 0) minus_[c / kWord] |= std::uint64_t{1} << (c % kWord);
    }
    single_ = std::all_of(gain, gain + n_cells, [](double g) { return g == 0 || g == 1 || g == -1; });
  }

  // Of the words [first, first + n) of a set.
  double of(const std::uint64_t* cells, std::size_t first, std::size_t n) const {
    return single_ ? static_cast<double>(count(cells, first, n)) : sum(cells, first, n);
  }

 private:
  std::int64_t count(const std::uint64_t* cells, std::size_t first, std::size_t n) const {
    std::int64_t total = 0;
    for (std::size_t w = 0; w < n; ++w)
      total += std::popcount(cells[w] & plus_[first + w]) - std::popcount(cells[w] & minus_[first + w]);
    return total;
  }
  double sum(const std::uint64_t* cells, std::size_t first, std::size_t n) const {
    double total = 0;
    for (std::size_t w = 0; w < n; ++w)
      for (std::uint64_t left = cells[w]; left != 0; left &= left - 1)
        total += gain_[(first + w) * kWord + static_cast<std::size_t>(std::countr_zero(left))];
    return total;
  }

  const double* gain_;
  std::vector<std::uint64_t> plus_, minus_;
  bool single_ = false;
};

// holds[condition][word]: the cells that fulfil each condition. networks[network][unit][condition word]: what each
// unit selects. Writes the gain of every network: that of the cells in which a unit fires.
inline void network_gains(const std::uint64_t* holds, std::size_t n_conditions, std::size_t n_cells, const Gains& gains,
                          const std::uint64_t* networks, std::size_t n_networks, std::size_t n_units, double* found,
                          int threads, Interrupt& interrupt) {
  constexpr std::size_t kCellWords = 64;  // words of cells at a time: they stay in the first cache
  const std::size_t words = words_for(n_cells), selected_words = words_for(n_conditions);
  const std::uint64_t tail = n_cells % kWord ? (std::uint64_t{1} << (n_cells % kWord)) - 1 : ~std::uint64_t{0};
  constexpr double kWordCost = 0.025;
  const int used = threads_for(threads, kWordCost, words * n_conditions, n_networks * n_units);
  parallel_for(n_networks, used, interrupt, [&](std::size_t network, std::size_t) {
    const std::uint64_t* selected = networks + network * n_units * selected_words;
    double total = 0;
    for (std::size_t first = 0; first < words; first += kCellWords) {
      const std::size_t n = std::min(kCellWords, words - first);
      std::uint64_t fires[kCellWords] = {}, unit[kCellWords];
      for (std::size_t u = 0; u < n_units; ++u) {
        std::fill_n(unit, n, ~std::uint64_t{0});
        if (first + n == words) unit[n - 1] = tail;
        bool any = true;
        for (std::size_t s = 0; any && s < selected_words; ++s)
          for (std::uint64_t left = selected[u * selected_words + s]; any && left != 0; left &= left - 1)
            any = intersect(unit,
                            holds + (s * kWord + static_cast<std::size_t>(std::countr_zero(left))) * words + first, n);
        if (any)
          for (std::size_t w = 0; w < n; ++w) fires[w] |= unit[w];
      }
      total += gains.of(fires, first, n);
    }
    found[network] = total;
  });
}

// --- learning automata

struct AutomataRules {
  double rate;         // lambda of the paper
  double converged;    // all probabilities within this of 0 or 1: stop
  std::size_t steps;   // patterns in a pass
  std::size_t passes;  // at most
};

// What one team learns from: patterns (a cell, and whether it is of the class), drawn by their weight.
struct Lessons {
  const std::uint64_t* fulfilled;  // [cell][condition word]
  const std::int64_t* cell;
  const std::uint8_t* of_class;
  const double* cumulative;  // weights, summed up
  std::size_t n;
};

class Automata {
  static constexpr std::size_t kAhead = 64;

 public:
  Automata(const Lessons& patterns, const double* initial, std::size_t n_units, std::size_t n_conditions,
           const AutomataRules& rules, std::uint64_t seed)
      : patterns_(patterns), rules_(rules), n_units_(n_units), n_conditions_(n_conditions),
        words_(words_for(n_conditions)), selections_(derive(seed, 0)), order_(derive(seed, 1)),
        waiting_(kAhead * words_), draw_(n_units * n_conditions), raise_(n_units * n_conditions),
        unfulfilled_(n_conditions), guide_(patterns.n), probability(initial, initial + n_units * n_conditions) {
    fill_guide();
  }

  // One pass; returns the share of the patterns that were classified wrong.
  double pass(Interrupt& interrupt) {
    std::size_t wrong = 0;
    for (std::size_t t = 0; t < rules_.steps; ++t) {
      if (t % 1024 == 1023) interrupt.check();
      wrong += !step();
    }
    return static_cast<double>(wrong) / static_cast<double>(rules_.steps);
  }

  bool converged() const {
    return std::all_of(probability.begin(), probability.end(),
                       [&](double q) { return q <= rules_.converged || q >= 1 - rules_.converged; });
  }

 private:
  // Table V, steps 2 to 8.
  bool step() {
    if (next_ == kAhead) draw_patterns();
    const std::uint64_t* bits = waiting_.data() + next_ * words_;
    const bool of_class = of_class_[next_++];
    for (std::size_t i = 0; i < n_conditions_; ++i) unfulfilled_[i] = ~(bits[i / kWord] >> (i % kWord)) & 1;
    fill_draws();
    bool fires = false;
    for (std::size_t u = 0; u < n_units_; ++u) {
      const std::size_t at = u * n_conditions_;
      fires |= select(draw_.data() + at, probability.data() + at, unfulfilled_.data(), n_conditions_, rules_.rate,
                      raise_.data() + at);
    }
    const bool right = fires == of_class;
    if (right) reward(probability.data(), raise_.data(), probability.size(), 1 - rules_.rate);
    return right;
  }

  // Patterns are fetched many at a time, so that the waits for memory overlap.
  void draw_patterns() {
    for (std::size_t i = 0; i < kAhead; ++i) {
      const std::size_t p = pattern();
      std::copy_n(patterns_.fulfilled + static_cast<std::size_t>(patterns_.cell[p]) * words_, words_,
                  waiting_.data() + i * words_);
      of_class_[i] = patterns_.of_class[p] != 0;
    }
    next_ = 0;
  }

  // The first pattern whose cumulative weight is above a random number; the guide says about where it is.
  std::size_t pattern() {
    const double u = order_.uniform(), at = u * patterns_.cumulative[patterns_.n - 1];
    std::size_t p = guide_[static_cast<std::size_t>(u * static_cast<double>(patterns_.n))];
    while (p + 1 < patterns_.n && patterns_.cumulative[p] <= at) ++p;
    return p;
  }

  // guide[j]: the first pattern whose cumulative weight is above (j - 1)/n of all. A part early, whatever is rounded.
  void fill_guide() {
    const double total = patterns_.cumulative[patterns_.n - 1], n = static_cast<double>(patterns_.n);
    std::uint32_t p = 0;
    for (std::size_t j = 0; j < patterns_.n; ++j) {
      while (j > 0 && p + 1 < patterns_.n && patterns_.cumulative[p] <= static_cast<double>(j - 1) / n * total) ++p;
      guide_[j] = p;
    }
  }

  // Two draws from each random number: its halves, as signed numbers.
  void fill_draws() {
    std::size_t i = 0;
    for (; i + 1 < draw_.size(); i += 2) {
      const std::uint64_t bits = selections_.next();
      draw_[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
      draw_[i + 1] = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 32));
    }
    if (i < draw_.size()) draw_[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(selections_.next()));
  }

  // Selects each condition with its probability; raise = rate where selected, else 0. Whether the unit fires: no
  // selected condition is unfulfilled.
  ASKEW_WIDE_VECTORS static bool select(const std::int32_t* draw, const double* q, const std::uint64_t* unfulfilled,
                                        std::size_t n, double rate, double* raise) {
    std::uint64_t blocked = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool selected = static_cast<double>(draw[i]) * 0x1.0p-32 + 0.5 < q[i];
      raise[i] = selected ? rate : 0.0;
      blocked |= selected ? unfulfilled[i] : 0;
    }
    return blocked == 0;
  }

  // q + rate (1 - q) where selected, q (1 - rate) elsewhere: equation (9).
  ASKEW_WIDE_VECTORS static void reward(double* q, const double* raise, std::size_t n, double keep) {
    for (std::size_t i = 0; i < n; ++i) q[i] = q[i] * keep + raise[i];
  }

  const Lessons& patterns_;
  const AutomataRules& rules_;
  std::size_t n_units_, n_conditions_, words_;
  Rng selections_, order_;
  std::vector<std::uint64_t> waiting_;  // what the next patterns fulfil
  bool of_class_[kAhead] = {};
  std::size_t next_ = kAhead;
  std::vector<std::int32_t> draw_;
  std::vector<double> raise_;
  std::vector<std::uint64_t> unfulfilled_;
  std::vector<std::uint32_t> guide_;

 public:
  std::vector<double> probability;  // [unit][condition]
};

// Passes until the probabilities have converged; the share of wrong answers in each.
inline std::vector<double> learn(Automata& team, const AutomataRules& rules, Interrupt& interrupt) {
  std::vector<double> errors;
  while (errors.size() < rules.passes && !team.converged()) {
    errors.push_back(team.pass(interrupt));
    interrupt.check(static_cast<double>(errors.size()) / static_cast<double>(rules.passes));
  }
  return errors;
}

}  // namespace askew::network
