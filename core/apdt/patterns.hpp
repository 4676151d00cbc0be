// The rows of a node as APDT sees them: patterns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace askew::apdt {

// Different patterns of a node, in an order that only they decide; equal rows are one pattern, with their weight.
struct Patterns {
  std::size_t n, d;
  const double* X;  // row-major
  const std::int32_t* label;
  const double* weight;   // how much a pattern counts
  const double* samples;  // how many samples it stands for, for the limits
  int n_classes;
};

// The class of most weight among some patterns; of equals the first.
inline std::int32_t predominant(const Patterns& patterns, const std::vector<std::uint32_t>& members) {
  if (patterns.n_classes == 2) {  // two sums that stay in registers
    double mass[2] = {0, 0};
    for (const std::uint32_t i : members) {
      const bool second = patterns.label[i] != 0;
      mass[0] += second ? 0.0 : patterns.weight[i];
      mass[1] += second ? patterns.weight[i] : 0.0;
    }
    return mass[1] > mass[0] ? 1 : 0;
  }
  std::vector<double> mass(static_cast<std::size_t>(patterns.n_classes), 0.0);
  for (const std::uint32_t i : members) mass[static_cast<std::size_t>(patterns.label[i])] += patterns.weight[i];
  return static_cast<std::int32_t>(std::max_element(mass.begin(), mass.end()) - mass.begin());
}

}  // namespace askew::apdt
