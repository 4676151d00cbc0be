// The directions that `search="linear"` tries at a node: penalised fits of the classes or of y, canonical directions,
// and the hinge between two lines.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/symmetric_eigen.hpp"
#include "base/target.hpp"
#include "linear/normal_equations.hpp"
#include "linear/penalised_fit.hpp"
#include "linear/standardised.hpp"

namespace askew {

using Direction = std::vector<double>;  // a weight for each standardised column

// The rows of a node as targets of fits: which classes are here, and y brought to mean 0, deviation 1.
class FitTargets {
 public:
  FitTargets(const Target& target, const std::uint32_t* rows, const Standardised& data)
      : data_(data), label_(data.n, 0), y_(data.stride, 0.0) {
    if (target.classification()) {
      std::vector<std::int32_t> number(static_cast<std::size_t>(target.k), -1);
      for (std::size_t i = 0; i < data.n; ++i) number[static_cast<std::size_t>(target.label[rows[i]])] = 0;
      for (auto& c : number) c = c == 0 ? static_cast<std::int32_t>(n_classes++) : -1;
      for (std::size_t i = 0; i < data.n; ++i) {
        given_.push_back(static_cast<std::size_t>(target.label[rows[i]]));
        label_[i] = static_cast<std::size_t>(number[given_[i]]);
      }
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

  // 1 for a class, 0 for the others.
  std::vector<double> indicator(std::size_t c) const {
    std::vector<double> z(data_.stride, 0.0);
    for (std::size_t i = 0; i < data_.n; ++i) z[i] = label_[i] == c;
    return z;
  }
  // 1 for the classes of a group (a number for each class of the tree, 0 or not), 0 for the others.
  std::vector<double> indicator(const std::uint8_t* group) const {
    std::vector<double> z(data_.stride, 0.0);
    for (std::size_t i = 0; i < data_.n; ++i) z[i] = group[given_[i]] != 0;
    return z;
  }
  // The weights of the rows of two classes; 0 for all others.
  std::vector<double> weights_of(std::size_t a, std::size_t b) const {
    std::vector<double> u(data_.stride, 0.0);
    for (std::size_t i = 0; i < data_.n; ++i)
      if (label_[i] == a || label_[i] == b) u[i] = data_.weight[i];
    return u;
  }
  std::size_t class_of(std::size_t i) const { return label_[i]; }
  const std::vector<double>& y() const { return y_; }

  std::size_t n_classes = 0;  // that have rows here

 private:
  const Standardised& data_;
  std::vector<std::size_t> label_, given_;  // among the classes that are here; among those of the tree
  std::vector<double> y_;
};

// The eigenvectors of (W + l2 I)^-1 B, W the scatter within and B that between the classes, of the largest eigenvalues.
inline std::vector<Direction> canonical_directions(const Standardised& data, const FitTargets& targets, double l2,
                                                   std::size_t most, int threads, Pulse& pulse) {
  const std::size_t d = data.d, m = d + 1, k = targets.n_classes;
  std::vector<double> mass(k, 0.0), means(k * d, 0.0), centred(data.stride, 0.0);
  for (std::size_t i = 0; i < data.n; ++i) mass[targets.class_of(i)] += data.weight[i];
  for (std::size_t j = 0; j < d; ++j) {
    const double* x = data.column(j);
    for (std::size_t i = 0; i < data.n; ++i) means[targets.class_of(i) * d + j] += data.weight[i] * x[i];
  }
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t j = 0; j < d; ++j) means[c * d + j] /= mass[c];
  // W = X'UX - sum mass m m'; the mean of all rows is 0.
  std::vector<double> within = weighted_gram(data, data.weight.data(), threads, pulse);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t c = 0; c < k; ++c) within[i * m + j] -= mass[c] * means[c * d + i] * means[c * d + j];
  for (std::size_t j = 0; j < d; ++j) within[d * m + j] = 0;
  const Factor factor(within, m, l2);
  std::vector<Direction> found;
  if (!factor.ok) return found;
  std::vector<double> a(k * m, 0.0), product(k * k);
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t j = 0; j < d; ++j) a[c * m + j] = std::sqrt(mass[c]) * means[c * d + j];
    solve_lower(factor.lower.data(), m, &a[c * m]);
  }
  double largest = 0;
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t e = 0; e < k; ++e) {
      product[c * k + e] = dot(&a[c * m], &a[e * m], d);
      largest = std::max(largest, std::abs(product[c * k + e]));
    }
  if (!(largest > 0)) return found;
  for (double& entry : product) entry /= largest;
  const SymmetricEigen eigen(std::move(product), k);
  for (std::size_t e = 0; e < std::min(most, k - 1) && eigen.value(e) > 1e-9 * eigen.value(0); ++e) {
    std::vector<double> w(m, 0.0);
    for (std::size_t c = 0; c < k; ++c) add_to(w.data(), eigen.vector(e)[c], &a[c * m], m);
    solve_upper(factor.lower.data(), m, w.data());
    w.resize(d);
    found.push_back(std::move(w));
  }
  return found;
}

// Breiman's hinge: a line on each side of a split, then the split where the two lines cross, until the squared error
// of the two lines stops falling. `left` says where the rows are at the start.
inline Direction hinge_direction(const Standardised& data, const std::vector<double>& y, std::vector<bool> left,
                                 const FitRules& rules, Pulse& pulse) {
  PenalisedFit fit(data, rules, 1, pulse);
  Direction best;
  double least = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<double> line[2], gap(data.stride, 0.0);
    double error = 0;
    for (int side = 0; side < 2; ++side) {
      std::vector<double> u(data.stride, 0.0), f;
      for (std::size_t i = 0; i < data.n; ++i)
        if (left[i] == (side == 0)) u[i] = data.weight[i];
      line[side] = fit.fit(y.data(), u.data(), std::vector<double>(data.d + 1, 0.0));
      f.assign(data.stride, line[side][data.d]);
      for (std::size_t j = 0; j < data.d; ++j) add_multiple(f.data(), line[side][j], data.column(j), data.stride, f.data());
      for (std::size_t i = 0; i < data.n; ++i) {
        error += u[i] * (f[i] - y[i]) * (f[i] - y[i]);
        gap[i] += side == 0 ? f[i] : -f[i];
      }
    }
    if (!(error < least * (1 - 1e-9))) break;
    least = error;
    best.assign(data.d, 0.0);
    for (std::size_t j = 0; j < data.d; ++j) best[j] = line[0][j] - line[1][j];
    // The rows left of the crossing are those on the side where the left line's rows were in the majority.
    std::size_t agree = 0, above = 0;
    for (std::size_t i = 0; i < data.n; ++i) agree += left[i] == (gap[i] > 0), above += gap[i] > 0;
    if (above == 0 || above == data.n) break;
    for (std::size_t i = 0; i < data.n; ++i) left[i] = (gap[i] > 0) == (2 * agree >= data.n);
  }
  return best;
}

struct DirectionRules {
  FitRules fit;
  std::size_t canonical = 10;  // at most so many canonical directions
  std::size_t pairs = 6;       // classes up to which each pair is fitted
};

// The directions of a node, in a fixed order: canonical ones, each class against the rest, each pair of classes; for
// numbers the ridge direction and the hinges from the given starts (1 for a row on the left).
inline std::vector<Direction> plane_directions(const Standardised& data, const FitTargets& targets, DirectionRules rules,
                                               const std::vector<std::vector<bool>>& starts, int threads, Pulse& pulse) {
  std::vector<Direction> found;
  const std::vector<double> zero(data.d + 1, 0.0);
  const std::size_t k = targets.n_classes;
  struct Task {
    std::vector<double> z, u;
  };
  std::vector<Task> tasks;
  if (k == 0) {
    rules.fit.loss = Loss::squared;
    tasks.push_back({targets.y(), data.weight});
  } else if (k == 2) {
    tasks.push_back({targets.indicator(1), data.weight});
  } else if (k > 2) {
    found = canonical_directions(data, targets, rules.fit.l2, rules.canonical, threads, pulse);
    for (std::size_t c = 0; c < k; ++c) tasks.push_back({targets.indicator(c), data.weight});
    if (k <= rules.pairs)
      for (std::size_t a = 0; a < k; ++a)
        for (std::size_t b = a + 1; b < k; ++b) tasks.push_back({targets.indicator(b), targets.weights_of(a, b)});
  }
  const std::size_t before = found.size();
  found.resize(before + tasks.size() + starts.size());
  const bool one = tasks.size() + starts.size() == 1;
  Pulse quiet(nullptr);
  parallel_for(tasks.size() + starts.size(), one ? 1 : threads, pulse, [&](std::size_t t, std::size_t thread) {
    Pulse& own = thread == 0 ? pulse : quiet;
    Direction& w = found[before + t];
    if (t < tasks.size()) {
      w = PenalisedFit(data, rules.fit, one ? threads : 1, own).fit(tasks[t].z.data(), tasks[t].u.data(), zero);
      w.resize(data.d);
    } else {
      w = hinge_direction(data, targets.y(), starts[t - tasks.size()], rules.fit, own);
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
inline bool in_data_units(const Standardised& data, Direction& w) {
  double largest = 0;
  for (std::size_t j = 0; j < data.d; ++j) {
    w[j] = data.scale[j] > 0 ? w[j] / data.scale[j] : 0.0;
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

}  // namespace askew
