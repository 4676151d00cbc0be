// A tree of hyperplanes while it grows, and the arrays that it becomes: for CART, C4.5, ID3, forests and boosting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace askew::tree {

// The arrays of `askew.model.tree.Tree`; a split has two children and a weight for each feature.
struct GrownTree {
  std::vector<std::int8_t> kind;
  std::vector<std::int64_t> first_child, feature_start, feature, n_samples;
  std::vector<double> weight, threshold, value, mass, impurity;
  std::size_t n_outputs = 1;      // numbers of a value
  std::uint64_t n_evaluated = 0;  // hyperplanes
};

class TreeBuilder {
 public:
  explicit TreeBuilder(std::size_t n_outputs) { tree_.n_outputs = n_outputs; }

  std::uint64_t n_evaluated = 0;

  std::size_t add_node() {
    const std::size_t node = tree_.kind.size();
    tree_.kind.push_back(0);
    tree_.first_child.push_back(0);
    tree_.threshold.push_back(0);
    tree_.mass.push_back(0);
    tree_.impurity.push_back(0);
    tree_.n_samples.push_back(0);
    tree_.value.resize(tree_.value.size() + tree_.n_outputs);
    tests_.emplace_back();
    return node;
  }
  void describe(std::size_t node, double mass, double samples, double impurity) {
    tree_.mass[node] = mass;
    tree_.n_samples[node] = static_cast<std::int64_t>(samples + 0.5);
    tree_.impurity[node] = impurity;
  }
  double* value(std::size_t node) { return tree_.value.data() + node * tree_.n_outputs; }
  double mass(std::size_t node) const { return tree_.mass[node]; }
  double impurity(std::size_t node) const { return tree_.impurity[node]; }

  // Splits a node; returns the number of its first child.
  std::size_t split(std::size_t node, std::span<const std::uint32_t> features, std::span<const double> weights,
                    double threshold) {
    tree_.kind[node] = 1;
    tree_.threshold[node] = threshold;
    tests_[node] = {features_.size(), features.size()};
    features_.insert(features_.end(), features.begin(), features.end());
    weights_.insert(weights_.end(), weights.begin(), weights.end());
    const std::size_t child = add_node();
    add_node();
    tree_.first_child[node] = static_cast<std::int64_t>(child);
    return child;
  }

  // The arrays, with the tests in the order of the nodes.
  GrownTree finished() {
    tree_.feature.reserve(features_.size());
    tree_.weight.reserve(features_.size());
    tree_.feature_start.reserve(tests_.size() + 1);
    tree_.feature_start.push_back(0);
    for (const auto& [start, size] : tests_) {
      for (std::size_t j = start; j < start + size; ++j) {
        tree_.feature.push_back(features_[j]);
        tree_.weight.push_back(weights_[j]);
      }
      tree_.feature_start.push_back(static_cast<std::int64_t>(tree_.feature.size()));
    }
    tree_.n_evaluated = n_evaluated;
    return std::move(tree_);
  }

 private:
  GrownTree tree_;
  std::vector<std::pair<std::size_t, std::size_t>> tests_;  // start and size in features_ and weights_
  std::vector<std::uint32_t> features_;
  std::vector<double> weights_;
};

}  // namespace askew::tree
