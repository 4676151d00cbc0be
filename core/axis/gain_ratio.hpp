// C4.5's choice among tests by the gain ratio (Quinlan 1993): which thresholds it tries, which test it takes, which
// categories it groups. Also the rules by which CART, ID3 and C4.5 differ in growth.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "numeric/precise_math.hpp"
#include "score/criterion.hpp"

namespace askew::axis {

using namespace numeric;
using namespace score;

// C4.5 tries no threshold that leaves fewer samples on a side than a tenth of a class's share, between `least` and 25.
inline double least_samples(double known, int n_classes, double least) {
  return std::max(least, std::min(25.0, 0.1 * known / n_classes));
}

// What release 8 takes off the gain of the best threshold, for having been chosen among many: in bits of one sample,
// times the weight of the rows.
inline double price_of_threshold(double distinct, double n_samples, double mass) {
  return distinct > 2 ? precise_log2(distinct - 1) * (mass / n_samples) : 0.0;
}

// The test of the highest gain ratio among those whose gain is not below the average; of equals, the first.
inline std::size_t best_ratio(const std::vector<GainInfo>& tests) {
  double sum = 0, possible = 0, highest = 0;
  for (const GainInfo& test : tests)
    if (test.possible()) sum += test.gain, possible += 1;
  std::size_t best = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const GainInfo& test = tests[i];
    if (!test.possible() || test.gain < sum / possible - 1e-9 * test.mass) continue;  // an average is rounded
    if (const double ratio = test.gain / test.information; ratio > highest) highest = ratio, best = i;
  }
  return best;
}

// Which cuts a grower of axis-parallel trees looks at, and which feature's best it takes.
struct CutRule {
  bool ratio = false;       // C4.5: by the gain ratio. Otherwise the lowest score wins
  bool penalty = false;     // C4.5, release 8: see price_of_threshold
  bool boundaries = false;  // ID3: boundary points alone
  double min_cases = 0;     // C4.5: the least of least_samples; 0 for no such limit

  double least(double n_samples, int n_classes) const {
    return min_cases > 0 ? least_samples(n_samples, n_classes, min_cases) : 0.0;
  }
};

// Puts categories together while that raises the gain ratio: each time the two whose union raises it most (Quinlan
// 1993, section 7.2). Takes the class counts of n categories; returns the number of each category's group, from 0 in
// the order of their first categories.
inline std::vector<std::int64_t> group_categories(const double* counts, std::size_t n, int k, double unknown) {
  struct Group {
    std::vector<double> counts;
    double mass, entropy;
    std::vector<std::size_t> members;
  };
  std::vector<Group> groups;
  const auto make = [k](std::vector<double> c, std::vector<std::size_t> members) {
    const double mass = total(c.data(), k);
    const double entropy = entropy_mass(c.data(), k, mass);
    return Group{std::move(c), mass, entropy, std::move(members)};
  };
  std::vector<const double*> rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.push_back(counts + i * static_cast<std::size_t>(k));
    groups.push_back(make({rows[i], rows[i] + k}, {i}));
  }
  GainInfo info = gain_info(rows.data(), static_cast<int>(n), k, unknown);
  const auto bits = [&](double mass) { return mass > 0 ? -mass * std::log2(mass / info.mass) : 0.0; };
  while (groups.size() > 2) {
    double best = info.gain / info.information * (1 + 1e-12);
    std::size_t a = 0, b = 0;
    GainInfo after = info;
    for (std::size_t i = 0; i < groups.size(); ++i)
      for (std::size_t j = i + 1; j < groups.size(); ++j) {
        const Group &one = groups[i], &two = groups[j];
        std::vector<double> both = one.counts;
        for (int c = 0; c < k; ++c) both[static_cast<std::size_t>(c)] += two.counts[static_cast<std::size_t>(c)];
        const double mass = one.mass + two.mass;
        GainInfo w = info;
        w.gain -= entropy_mass(both.data(), k, mass) - one.entropy - two.entropy;
        w.information += bits(mass) - bits(one.mass) - bits(two.mass);
        if (!w.possible() || !(w.gain / w.information > best)) continue;
        best = w.gain / w.information, a = i, b = j, after = w;
      }
    if (a == b) break;
    Group& kept = groups[a];
    for (int c = 0; c < k; ++c)
      kept.counts[static_cast<std::size_t>(c)] += groups[b].counts[static_cast<std::size_t>(c)];
    kept.members.insert(kept.members.end(), groups[b].members.begin(), groups[b].members.end());
    kept = make(std::move(kept.counts), std::move(kept.members));
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(b));
    info = after;
  }
  std::vector<std::int64_t> group(n);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const std::size_t member : groups[g].members) group[member] = static_cast<std::int64_t>(g);
  return group;
}

}  // namespace askew::axis
