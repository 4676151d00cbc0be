// The directions that `search="linear"` tries at a node: penalised fits of the classes or of y, canonical directions,
// and the hinge between two lines.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "linear/hinge_steps.hpp"
#include "linear/normal_equations.hpp"
#include "linear/penalised_fit.hpp"
#include "linear/standardised.hpp"
#include "numeric/canonical_directions.hpp"
#include "numeric/parallel.hpp"
#include "score/target.hpp"

namespace askew::linear {

using namespace numeric;
using namespace score;

// The rows of a node as targets of fits: their classes, or y brought to mean 0, deviation 1.
class FitTargets {
 public:
  FitTargets(const Target& target, const std::uint32_t* rows, const Standardised& data)
      : classes(target.classification() ? static_cast<std::size_t>(target.k) : 0), data_(data), y_(data.stride, 0.0) {
    if (target.classification()) {
      for (std::size_t i = 0; i < data.n; ++i) label_.push_back(static_cast<std::size_t>(target.label[rows[i]]));
      return;
    }
    const double centre = data.n > 0 ? target.y[rows[0]] : 0;
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < data.n; ++i) y_[i] = target.y[rows[i]] - centre, mean += data.weight[i] * y_[i];
    mean /= data.mass;
    for (std::size_t i = 0; i < data.n; ++i) y_[i] -= mean, squares += data.weight[i] * y_[i] * y_[i];
    const double deviation = std::sqrt(squares / data.mass);
    if (deviation > 0)
      for (std::size_t i = 0; i < data.n; ++i) y_[i] /= deviation;
  }

  // A group has a number for each class: 1 or 0 for what is told apart, below 0 for what is left out.
  std::vector<double> indicator(const std::int8_t* group) const {
    std::vector<double> z(data_.stride, 0.0);
    for (std::size_t i = 0; i < data_.n; ++i) z[i] = group[label_[i]] > 0;
    return z;
  }
  std::vector<double> weights_of(const std::int8_t* group) const {
    std::vector<double> u(data_.stride, 0.0);
    for (std::size_t i = 0; i < data_.n; ++i) u[i] = group[label_[i]] < 0 ? 0.0 : data_.weight[i];
    return u;
  }
  std::size_t class_of(std::size_t i) const { return label_[i]; }
  const std::vector<double>& y() const { return y_; }

  std::size_t classes;  // of the tree; 0 for numbers

 private:
  const Standardised& data_;
  std::vector<std::size_t> label_;
  std::vector<double> y_;
};

// The moments of the classes that have rows here.
inline ClassMoments class_moments(const Standardised& data, const FitTargets& targets, int threads,
                                  Interrupt& interrupt) {
  std::vector<std::size_t> number(targets.classes, 0);
  for (std::size_t i = 0; i < data.n; ++i) number[targets.class_of(i)] = 1;
  std::size_t k = 0;
  for (std::size_t& c : number) c = c ? k++ : 0;
  ClassMoments found{std::vector<double>(k, 0.0), std::vector<double>(k * data.d, 0.0), {}};
  for (std::size_t i = 0; i < data.n; ++i) found.mass[number[targets.class_of(i)]] += data.weight[i];
  for (std::size_t j = 0; j < data.d; ++j) {
    const double* x = data.column(j);
    for (std::size_t i = 0; i < data.n; ++i)
      found.sums[number[targets.class_of(i)] * data.d + j] += data.weight[i] * x[i];
  }
  found.gram = weighted_gram(data, data.weight.data(), threads, interrupt);
  return found;
}

inline LineMoments line_moments(const Standardised& data, const std::vector<double>& y, const std::vector<double>& u,
                                Interrupt& interrupt) {
  LineMoments found{weighted_gram(data, u.data(), 1, interrupt), std::vector<double>(data.d + 1, 0.0), 0.0};
  std::vector<double> weighted(data.stride);
  multiply_lanes(y.data(), u.data(), data.stride, weighted.data());
  for (std::size_t j = 0; j < data.d; ++j) found.products[j] = lane_dot(data.column(j), weighted.data(), data.stride);
  for (const double one : weighted) found.products[data.d] += one;
  found.squares = lane_dot(y.data(), weighted.data(), data.stride);
  return found;
}

// The hinge from a split; `left` says where the rows are at the start.
inline Direction hinge_direction(const Standardised& data, const std::vector<double>& y, std::vector<bool> left,
                                 const FitRules& rules, Interrupt& interrupt) {
  HingeSteps hinge(rules);
  while (true) {
    interrupt.check();
    std::vector<double> u[2] = {std::vector<double>(data.stride, 0.0), std::vector<double>(data.stride, 0.0)}, gap;
    for (std::size_t i = 0; i < data.n; ++i) u[left[i] ? 0 : 1][i] = data.weight[i];
    hinge.take_sides(line_moments(data, y, u[0], interrupt), line_moments(data, y, u[1], interrupt));
    if (hinge.done()) break;
    gap.assign(data.stride, hinge.gap()[data.d]);
    for (std::size_t j = 0; j < data.d; ++j)
      add_multiple(gap.data(), hinge.gap()[j], data.column(j), data.stride, gap.data());
    std::size_t n_above = 0, n_left = 0, n_both = 0;
    for (std::size_t i = 0; i < data.n; ++i) n_above += gap[i] > 0, n_left += left[i], n_both += left[i] && gap[i] > 0;
    const bool above = hinge.take_counts(data.n, n_above, n_left, n_both);
    if (hinge.done()) break;
    for (std::size_t i = 0; i < data.n; ++i) left[i] = (gap[i] > 0) == above;
  }
  return hinge.best();
}

struct DirectionRules {
  FitRules fit;
  std::size_t canonical = 0;  // at most so many canonical directions
};

// The directions of a node, in a fixed order: canonical ones, then those of a logistic fit of each of some groups of
// classes; for numbers the ridge direction and the hinges from the given starts (1 for a row on the left).
inline std::vector<Direction> plane_directions(const Standardised& data, const FitTargets& targets,
                                               DirectionRules rules, const std::vector<const std::int8_t*>& groups,
                                               const std::vector<std::vector<bool>>& starts, int threads,
                                               Interrupt& interrupt) {
  std::vector<Direction> found;
  const std::vector<double> zero(data.d + 1, 0.0);
  struct Task {
    std::vector<double> z, u;
  };
  std::vector<Task> tasks;
  if (targets.classes == 0) {
    rules.fit.loss = Loss::squared;
    tasks.push_back({targets.y(), data.weight});
  } else if (rules.canonical > 0) {
    found = canonical_directions(class_moments(data, targets, threads, interrupt), rules.fit.l2, rules.canonical);
  }
  for (const std::int8_t* group : groups) tasks.push_back({targets.indicator(group), targets.weights_of(group)});
  const std::size_t before = found.size();
  found.resize(before + tasks.size() + starts.size());
  const bool one = tasks.size() + starts.size() == 1;
  parallel_for(tasks.size() + starts.size(), one ? 1 : threads, interrupt, [&](std::size_t t, std::size_t) {
    Direction& w = found[before + t];
    if (t < tasks.size()) {
      w = PenalisedFit(data, rules.fit, one ? threads : 1, interrupt).fit(tasks[t].z.data(), tasks[t].u.data(), zero);
      w.resize(data.d);
    } else {
      w = hinge_direction(data, targets.y(), starts[t - tasks.size()], rules.fit, interrupt);
    }
  });
  std::erase_if(found, [](const Direction& w) {
    return std::none_of(w.begin(), w.end(), [](double x) { return x != 0; }) ||
           !std::all_of(w.begin(), w.end(), [](double x) { return std::isfinite(x); });
  });
  return found;
}

// The weights in the units of the data: the largest is between 1 and 2 in size, and each is rounded to 40 bits, so that
// rounding errors of the sums behind it leave no trace.
inline bool in_data_units(const double* scale, Direction& w) {
  double largest = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    w[j] = scale[j] > 0 ? w[j] / scale[j] : 0.0;
    largest = std::max(largest, std::abs(w[j]));
  }
  if (!(largest > 0) || !std::isfinite(largest)) return false;
  const int power = std::ilogb(largest);
  for (double& x : w) {
    if (x == 0) continue;
    const int own = std::ilogb(x);
    x = std::ldexp(std::nearbyint(std::ldexp(x, 40 - own)), own - 40 - power);
  }
  return true;
}

}  // namespace askew::linear
