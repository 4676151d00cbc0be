// Alopex (Unnikrishnan and Venugopal) on the degree of linear separability of the two sides of a plane (Shah and
// Sastry, APDT, section II): all coefficients step at once, each up or down; what made the last step better is
// repeated, as likely as the temperature says.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "apdt/perceptron.hpp"
#include "numeric/precise_math.hpp"
#include "numeric/rng.hpp"

namespace askew::apdt {

using namespace numeric;

struct AlopexRules {
  std::size_t iterations, window;
  double step, final_step, temperature, M;
  double min_samples_leaf, min_weight_leaf;
};

struct AlopexResult {
  std::vector<double> plane;  // empty if no plane parts the patterns as the limits ask
  double score = std::numeric_limits<double>::infinity();
  std::vector<double> trace;  // F of every plane that was visited
};

// F(W) of equation (1). `Counter` is called with the patterns of a side and whether their number matters: it returns
// the weight of those that are not separable, 0 if the side is separable. It may return -1 for "some", if not asked.
template <class Counter>
class Separability {
 public:
  Separability(const Patterns& patterns, const AlopexRules& rules, Counter& counter)
      : patterns_(patterns), rules_(rules), counter_(counter) {
    least_ = *std::min_element(patterns.weight, patterns.weight + patterns.n);
    for (std::size_t i = 0; i < patterns.n; ++i) mass_ += patterns.weight[i], samples_ += patterns.samples[i];
  }

  struct Value {
    double F;
    bool admissible;
  };

  // F is a function of the partition, and short steps come back to the same partition again and again.
  Value operator()(const std::vector<double>& plane) {
    divide(plane);
    const auto [found, is_new] = known_.try_emplace(sides_, Value{});
    if (is_new) found->second = evaluate();
    return found->second;
  }

 private:
  using Bits = std::vector<std::uint64_t>;
  struct Hash {
    std::size_t operator()(const Bits& bits) const {
      std::uint64_t h = 0;
      for (const std::uint64_t word : bits) h = mix(h ^ word) + kGolden;
      return static_cast<std::size_t>(h);
    }
  };

  // Which side each pattern is on, seen from the first pattern: F does not know left from right.
  void divide(const std::vector<double>& plane) {
    const std::size_t d = patterns_.d;
    sides_.assign((patterns_.n + 63) / 64, 0);
    bool flip = false;
    for (std::size_t i = 0; i < patterns_.n; ++i) {
      const double* x = patterns_.X + i * d;
      double V = plane[d];
      for (std::size_t f = 0; f < d; ++f) V += plane[f] * x[f];
      const bool upper = V > 0;
      if (i == 0) flip = upper;
      sides_[i / 64] |= static_cast<std::uint64_t>(upper != flip) << (i % 64);
    }
  }

  Value evaluate() {
    members_[0].clear(), members_[1].clear();
    double mass[2] = {0, 0}, samples[2] = {0, 0};
    bool pure[2] = {true, true};
    for (std::size_t i = 0; i < patterns_.n; ++i) {
      const auto side = static_cast<std::size_t>(sides_[i / 64] >> (i % 64) & 1);
      auto& here = members_[side];
      pure[side] = pure[side] && (here.empty() || patterns_.label[i] == patterns_.label[here[0]]);
      here.push_back(static_cast<std::uint32_t>(i));
      mass[side] += patterns_.weight[i], samples[side] += patterns_.samples[i];
    }
    const double balance = 0.5 - (mass[0] / mass_) * (mass[1] / mass_);
    for (const int side : {0, 1})
      if (samples[side] < std::max(1.0, rules_.min_samples_leaf) || mass[side] < rules_.min_weight_leaf)
        return {balance, false};  // as bad as a split can be that divides the patterns so
    // The smaller side is the more likely to be separable, and then the number of the other does not matter.
    const std::size_t first = members_[0].size() <= members_[1].size() ? 0 : 1, second = 1 - first;
    double count[2];
    count[first] = pure[first] ? 0 : counter_(members_[first], false);
    count[second] = pure[second] ? 0 : counter_(members_[second], count[first] != 0);
    const double R = least_ / (2 * mass_);
    if (count[0] == 0 && count[1] == 0) return {0, true};
    if (count[0] == 0 || count[1] == 0) return {R / rules_.M * (mass[count[0] == 0 ? 1 : 0] / mass_), true};
    if (count[first] < 0) count[first] = counter_(members_[first], true);
    return {(count[0] + count[1]) / mass_ * balance, true};
  }

  const Patterns& patterns_;
  const AlopexRules& rules_;
  Counter& counter_;
  double least_ = 0, mass_ = 0, samples_ = 0;
  Bits sides_;
  std::vector<std::uint32_t> members_[2];
  std::unordered_map<Bits, Value, Hash> known_;
};

// The plane half-way between two patterns of different classes, drawn by weight, and at a right angle to the line that
// joins them (Table I, step 1). Empty if all patterns are in one place or of one class.
inline std::vector<double> starting_plane(const Patterns& patterns, Rng& rng) {
  const std::size_t n = patterns.n, d = patterns.d;
  const auto draw = [&](const std::vector<std::uint32_t>& from) {
    double total = 0;
    for (const std::uint32_t i : from) total += patterns.weight[i];
    double left = rng.uniform() * total;
    for (std::size_t at = 0; at + 1 < from.size(); ++at)
      if ((left -= patterns.weight[from[at]]) < 0) return at;
    return from.size() - 1;
  };
  std::vector<std::uint32_t> everyone(n), others;
  for (std::size_t i = 0; i < n; ++i) everyone[i] = static_cast<std::uint32_t>(i);
  const std::size_t drawn = draw(everyone);
  for (std::size_t tried = 0; tried < n; ++tried) {
    const std::size_t i = (drawn + tried) % n;
    const double* a = patterns.X + i * d;
    others.clear();
    for (std::size_t j = 0; j < n; ++j)
      if (patterns.label[j] != patterns.label[i] && !std::equal(a, a + d, patterns.X + j * d))
        others.push_back(static_cast<std::uint32_t>(j));
    if (others.empty()) continue;
    const double* b = patterns.X + others[draw(others)] * d;
    std::vector<double> plane(d + 1, 0.0);
    for (std::size_t f = 0; f < d; ++f) {
      plane[f] = a[f] - b[f];
      plane[d] -= plane[f] * (0.5 * a[f] + 0.5 * b[f]);
    }
    return plane;
  }
  return {};
}

// The probability of keeping a direction after a change of F (equation 4).
inline double keeping(double change, double temperature) {
  if (change == 0) return 0.5;
  if (temperature == 0) return change < 0 ? 1 : 0;
  return 1 / (1 + precise_exp(std::clamp(change / temperature, -700.0, 700.0)));
}

template <class Counter>
AlopexResult alopex(const Patterns& patterns, const AlopexRules& rules, Counter& counter, std::uint64_t seed,
                    Interrupt& interrupt) {
  Rng rng(seed);
  AlopexResult best;
  std::vector<double> W = starting_plane(patterns, rng);
  if (W.empty()) return best;
  Separability<Counter> separability(patterns, rules, counter);
  std::vector<double> direction(patterns.d + 1);
  double T = rules.temperature, last = 0, changes = 0;
  for (std::size_t k = 0;; ++k) {
    interrupt.check();
    const auto [F, admissible] = separability(W);
    best.trace.push_back(F);
    if (admissible && F < best.score) best.score = F, best.plane = W;
    if (best.score == 0 || k == rules.iterations) return best;
    // From `step` at the start to `final_step` at the end, by equal ratios.
    const double part = static_cast<double>(k) / static_cast<double>(rules.iterations);
    const double step = rules.step * precise_pow(rules.final_step / rules.step, part);
    const double change = F - last;
    last = F;
    if (k > 0 && k % rules.window == 0) {  // equation (5)
      T = step / static_cast<double>(rules.window) * changes;
      changes = 0;
    }
    const double p = k == 0 ? 0.5 : keeping(change, T);
    if (k > 0) changes += std::abs(change);
    for (std::size_t f = 0; f <= patterns.d; ++f) {
      const bool keeps = rng.uniform() < p;
      direction[f] = keeps == (k == 0 || direction[f] > 0) ? 1.0 : -1.0;
      W[f] += step * direction[f];
    }
  }
}

}  // namespace askew::apdt
