// A fitted tree as arrays, and the one place that knows which child a row goes to. For the trees of every method.
#pragma once

#include <cstddef>
#include <cstdint>

namespace askew::tree {

enum SplitKind : std::int8_t { kLeaf = 0, kHyperplane = 1, kLinearMachine = 2, kCategoryTable = 3 };

// One split:
//   hyperplane      features[m], weights[m]            child 0 iff sum w x <= threshold, else 1
//   linear machine  features[m], weights[k][m + 1]     child = argmax of k sums; the last weight is the constant
//   category table  features[1], weights[categories]   child = weights[code], or `threshold` for any other value
struct SplitView {
  std::int8_t kind;
  std::size_t n_children;
  const std::int64_t* features;
  std::size_t n_features;
  const double* weights;
  std::size_t n_weights;
  double threshold;
};

inline std::size_t route(const SplitView& split, const double* x) {
  switch (split.kind) {
    case kHyperplane: {
      double sum = 0;
      for (std::size_t j = 0; j < split.n_features; ++j) sum += split.weights[j] * x[split.features[j]];
      return sum <= split.threshold ? 0 : 1;
    }
    case kLinearMachine: {
      const std::size_t m = split.n_features;
      std::size_t winner = 0;
      double highest = 0;
      for (std::size_t child = 0; child < split.n_children; ++child) {
        const double* weights = split.weights + child * (m + 1);
        double sum = weights[m];
        for (std::size_t j = 0; j < m; ++j) sum += weights[j] * x[split.features[j]];
        if (child == 0 || sum > highest) winner = child, highest = sum;
      }
      return winner;
    }
    default: {
      const double code = x[split.features[0]];
      const bool known = code >= 0 && code < static_cast<double>(split.n_weights) &&
                         code == static_cast<double>(static_cast<std::size_t>(code));
      return static_cast<std::size_t>(known ? split.weights[static_cast<std::size_t>(code)] : split.threshold);
    }
  }
}

struct TreeView {
  std::size_t n_nodes;
  const std::int8_t* kind;
  const std::int64_t* first_child;
  const std::int64_t* n_children;
  const std::int64_t* feature_start;  // n_nodes + 1
  const std::int64_t* weight_start;   // n_nodes + 1
  const std::int64_t* feature;
  const double* weight;
  const double* threshold;

  SplitView split(std::size_t node) const {
    return {kind[node],
            static_cast<std::size_t>(n_children[node]),
            feature + feature_start[node],
            static_cast<std::size_t>(feature_start[node + 1] - feature_start[node]),
            weight + weight_start[node],
            static_cast<std::size_t>(weight_start[node + 1] - weight_start[node]),
            threshold[node]};
  }
};

}  // namespace askew::tree
