// What a tree records of a node: counts, value, impurity. For every method.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "score/criterion.hpp"
#include "score/sweep.hpp"
#include "score/target.hpp"

namespace askew::score {

// What a node holds: its counts, the value it predicts, its impurity.
struct Summary {
  std::vector<double> counts, value;
  double mass = 0, n_samples = 0, impurity = 0;
  bool pure = true;
};

template <class Sides, class C>
Summary summarise(const C& criterion, const Target& target, const std::uint32_t* rows, std::size_t n) {
  Summary s;
  s.counts.assign(static_cast<std::size_t>(target.k), 0.0);
  for (std::size_t i = 0; i < n; ++i) s.n_samples += target.samples_of(rows[i]);
  if (target.classification()) {
    for (std::size_t i = 0; i < n; ++i) target.add(s.counts.data(), rows[i], 1);
    s.mass = total(s.counts.data(), target.k);
    s.pure = pure(s.counts.data(), target.k);
    s.value = s.counts;
    // Where one class is all but all of the weight, rounding would take it below 0.
    s.impurity = s.pure ? 0.0 : std::max(0.0, node_impurity(criterion, s.counts.data(), target.k, true));
    return s;
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    s.mass += target.weight_of(rows[i]);
    sum += target.weight_of(rows[i]) * target.y[rows[i]];
    s.pure = s.pure && target.y[rows[i]] == target.y[rows[0]];
  }
  const double mean = s.pure ? target.y[rows[0]] : sum / s.mass;
  const double centre = centre_of(target, rows, n);
  for (std::size_t i = 0; i < n; ++i) target.add(s.counts.data(), rows[i], 1, centre);
  s.value = {mean};
  s.impurity = s.pure ? 0.0 : node_impurity(criterion, s.counts.data(), target.k, false);
  if constexpr (std::is_same_v<C, AbsoluteError>) {
    Sides sides(criterion, target, rows, n);
    s.value = {sides.median()};
    s.impurity = s.pure ? 0.0 : sides.score();
  }
  return s;
}

}  // namespace askew::score
