// Every split criterion, from the counts of the children: lower is better, 0 is a perfect split. For every method.
//
// The counts of a child are k numbers: the weight of each class, or, for regression, the three
// moments (weight, sum of y, sum of y^2). Scores are computed from counts by these functions and
// nowhere else, so equal counts give equal scores, bit for bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "score/batch.hpp"

namespace askew::score {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline double total(const double* counts, int k) {
  double n = 0;
  for (int c = 0; c < k; ++c) n += counts[c];
  return n;
}

inline bool pure(const double* counts, int k) {
  int present = 0;
  for (int c = 0; c < k; ++c) present += counts[c] > 0;
  return present <= 1;
}

// n log2 n - sum c log2 c: the entropy of one child times its weight.
inline double entropy_mass(const double* counts, int k, double n) {
  double sum = 0;
  for (int c = 0; c < k; ++c)
    if (counts[c] > 0) sum -= counts[c] * std::log2(counts[c] / n);
  return sum;
}

// --- Criteria whose score is the sum over the children of (weight x impurity), divided by the weight.
// `mass` gives weight x impurity of one child of weight n > 0.

struct Gini {
  static double mass(const double* counts, int k, double n) {
    double squares = 0;
    for (int c = 0; c < k; ++c) squares += counts[c] * counts[c];
    return n - squares / n;
  }
};

struct Entropy {
  static double mass(const double* counts, int k, double n) { return entropy_mass(counts, k, n); }
};

struct SquaredError {
  static double mass(const double* m, int, double n) { return std::max(0.0, m[2] - m[1] * m[1] / n); }
};

// --- Criteria that are counts themselves, not divided by the weight (OC1-93, OC1-94 section 3.3.1).

struct SumMinority {
  static double mass(const double* counts, int k, double n) { return n - *std::max_element(counts, counts + k); }
};

struct MaxMinority : SumMinority {};

// Class numbers are dealt out by frequency, ascending, on each child separately, and only when
// there are more than two classes; then the sum of squared deviations of those numbers.
struct SumOfVariances {
  static double mass(const double* counts, int k, double n) {
    double sum = 0, squares = 0;
    auto add = [&](double label, double count) {
      sum += label * count;
      squares += label * label * count;
    };
    if (k <= 2) {
      for (int c = 0; c < k; ++c) add(c, counts[c]);
    } else {
      std::vector<double> ascending(counts, counts + k);
      std::sort(ascending.begin(), ascending.end());
      for (int c = 0; c < k; ++c) add(c, ascending[static_cast<std::size_t>(c)]);
    }
    return std::max(0.0, squares - sum * sum / n);
  }
};

// --- Gain and split information of a test (Quinlan 1993, sections 2.2 and 3.1): all three times the weight of the
// rows.

struct GainInfo {
  double gain = 0;         // information about the class, over the rows for which the test's answer is known
  double information = 0;  // of the test itself; rows without an answer are one more branch
  double mass = 0;         // the weight of all rows

  bool possible() const { return gain > 1e-12 * mass && information > 0; }
};

// Of a test with m children; `unknown` is the weight of the rows without an answer.
inline GainInfo gain_info(const double* const* counts, int m, int k, double unknown) {
  std::vector<double> parent(static_cast<std::size_t>(k), 0.0), sizes;
  double within = 0;
  for (int i = 0; i < m; ++i) {
    const double n = total(counts[i], k);
    if (n <= 0) continue;
    for (int c = 0; c < k; ++c) parent[static_cast<std::size_t>(c)] += counts[i][c];
    within += entropy_mass(counts[i], k, n);
    sizes.push_back(n);
  }
  const double known = total(parent.data(), k);
  if (unknown > 0) sizes.push_back(unknown);
  return {entropy_mass(parent.data(), k, known) - within,
          entropy_mass(sizes.data(), static_cast<int>(sizes.size()), known + unknown), known + unknown};
}

// --- The two that need both children at once.

struct Twoing {};     // the reciprocal, as OC1 minimises it; without the factor 1/4 (OC1-94)
struct GainRatio {};  // the reciprocal of gain / split information

// --- The user's own.

using PointerFunction = double (*)(const double* left, const double* right, std::int64_t k, void* data);

struct AbsoluteError {};  // not a function of moments: see MedianSides in sweep.hpp

// The criterion as it crosses the boundary: a kind, and what the user's own needs.
enum class Kind {
  gini,
  entropy,
  twoing,
  gain_ratio,
  sum_minority,
  max_minority,
  sum_of_variances,
  squared_error,
  absolute_error,
  pointer,
  batch
};

struct Criterion {
  Kind kind = Kind::gini;
  PointerFunction pointer = nullptr;
  void* data = nullptr;
  BatchFunction batch;
};

// Those that few use, and the user's compiled function, which is called once for each cut: one type for all of them,
// which asks for the kind at each score, for loops take long to compile.
struct RuntimeCriterion {
  Kind kind;
  PointerFunction function;
  void* data;
};

// Score of a split into `m` children; counts[i] are the k numbers of child i. Empty children are ignored.
template <class C>
double score_children(const C& criterion, const double* const* counts, int m, int k) {
  if constexpr (requires { C::mass(counts[0], k, 1.0); }) {
    constexpr bool regression = std::is_same_v<C, SquaredError>;
    constexpr bool divided = std::is_same_v<C, Gini> || std::is_same_v<C, Entropy> || regression;
    double sum = 0, largest = 0, weight = 0;
    for (int i = 0; i < m; ++i) {
      const double n = regression ? counts[i][0] : total(counts[i], k);
      if (n <= 0) continue;
      const double mass = C::mass(counts[i], k, n);
      sum += mass;
      largest = std::max(largest, mass);
      weight += n;
    }
    if constexpr (std::is_same_v<C, MaxMinority>) return largest;
    return divided && weight > 0 ? sum / weight : sum;
  } else if constexpr (std::is_same_v<C, Twoing>) {
    if (m != 2) throw std::invalid_argument("twoing scores two children, got " + std::to_string(m));
    const double* left = counts[0];
    const double* right = counts[1];
    const double n_left = total(left, k), n_right = total(right, k), n = n_left + n_right;
    if (n_left <= 0 || n_right <= 0) return kInfinity;
    double apart = 0;
    for (int c = 0; c < k; ++c) apart += std::abs(left[c] / n_left - right[c] / n_right);
    const double twoing = (n_left / n) * (n_right / n) * (apart * apart);
    if (!(twoing > 0)) return kInfinity;
    return pure(left, k) && pure(right, k) ? 0.0 : 1.0 / twoing;
  } else if constexpr (std::is_same_v<C, GainRatio>) {
    const GainInfo info = gain_info(counts, m, k, 0);
    if (!info.possible()) return kInfinity;
    const bool all_pure = std::all_of(counts, counts + m, [k](const double* child) { return pure(child, k); });
    return all_pure ? 0.0 : info.information / info.gain;
  } else if constexpr (std::is_same_v<C, RuntimeCriterion>) {
    switch (criterion.kind) {
      case Kind::gain_ratio: return score_children(GainRatio{}, counts, m, k);
      case Kind::sum_minority: return score_children(SumMinority{}, counts, m, k);
      case Kind::max_minority: return score_children(MaxMinority{}, counts, m, k);
      case Kind::sum_of_variances: return score_children(SumOfVariances{}, counts, m, k);
      default:
        if (m != 2) throw std::invalid_argument("a compiled criterion scores two children, got " + std::to_string(m));
        return criterion.function(counts[0], counts[1], k, criterion.data);
    }
  } else {
    static_assert(std::is_same_v<C, Batch>);
    if (m != 2) throw std::invalid_argument("a Python criterion scores two children, got " + std::to_string(m));
    double score = 0;
    criterion(counts[0], counts[1], 1, k, &score);
    return score;
  }
}

template <class C>
double score_sides(const C& criterion, const double* left, const double* right, int k) {
  const double* both[2] = {left, right};
  return score_children(criterion, both, 2, k);
}

// Impurity of the counts of one node, in [0, ...), as the tree records it.
template <class C>
double node_impurity([[maybe_unused]] const C& criterion, const double* counts, int k, bool classification) {
  if (!classification) return SquaredError::mass(counts, k, counts[0]) / counts[0];
  const double n = total(counts, k);
  if constexpr (std::is_same_v<C, RuntimeCriterion>) {
    switch (criterion.kind) {
      case Kind::gain_ratio: return Entropy::mass(counts, k, n) / n;
      case Kind::sum_minority:
      case Kind::max_minority: return SumMinority::mass(counts, k, n) / n;
      case Kind::sum_of_variances: return SumOfVariances::mass(counts, k, n) / n;
      default: return Gini::mass(counts, k, n) / n;
    }
  } else if constexpr (std::is_same_v<C, Entropy>) {
    return Entropy::mass(counts, k, n) / n;
  } else {
    return Gini::mass(counts, k, n) / n;
  }
}

// Calls `f` with the criterion as a type, so that each loop is compiled for it.
template <class F>
decltype(auto) with_criterion(const Criterion& c, F&& f) {
  switch (c.kind) {
    case Kind::gini: return f(Gini{});
    case Kind::entropy: return f(Entropy{});
    case Kind::twoing: return f(Twoing{});
    case Kind::squared_error: return f(SquaredError{});
    case Kind::absolute_error: return f(AbsoluteError{});
    case Kind::batch: return f(Batch{&c.batch});
    default: return f(RuntimeCriterion{c.kind, c.pointer, c.data});
  }
}

}  // namespace askew::score
