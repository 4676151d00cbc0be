// A whole axis-parallel tree in one go: each feature is sorted once, and every split keeps the orders
// sorted by partitioning them. The tree is the one that a search at each node would give.
//
//   feature f   [ r3 r0 r7 | r5 r1 r2 ]     one node: a range of every feature's order
//   after split [ r3 r7 r5 ][ r0 r1 r2 ]    two ranges, each still in the order of f
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include "axis/gain_ratio.hpp"
#include "base/criterion.hpp"
#include "base/parallel.hpp"
#include "base/sort.hpp"
#include "base/summary.hpp"
#include "base/sweep.hpp"

namespace askew {

struct Limits {
  double max_depth, min_samples_split, min_samples_leaf, max_leaf_nodes, min_impurity_decrease, impurity_threshold,
      min_weight_leaf;
};

struct GrownTree {
  std::vector<std::int64_t> first_child;  // 0 for a leaf: no child has number 0
  std::vector<std::int64_t> feature;
  std::vector<double> threshold, value, n_samples, mass, impurity;
  std::size_t looked_at = 0;  // hyperplanes
};

template <class Sides, class C>
class PresortedGrower {
 public:
  PresortedGrower(const C& criterion, const Target& target, const double* X, std::size_t n, std::size_t d,
                  const Limits& limits, const CutRule& rule, int threads, Pulse& pulse)
      : criterion_(criterion), target_(target), X_(X), n_(n), d_(d), limits_(limits), rule_(rule), threads_(threads),
        pulse_(pulse) {}

  GrownTree grow() {
    sort_features();
    std::vector<std::uint32_t> all(d_);
    std::iota(all.begin(), all.end(), 0u);
    const std::size_t root = new_node(0, n_);
    const double root_mass = tree_.mass[root];
    Queue queue(limits_.max_leaf_nodes < kInfinity);
    consider(root, 0, n_, 0, std::move(all), root_mass, queue);
    double leaves = 1;
    while (!queue.empty() && leaves < limits_.max_leaf_nodes) {
      pulse_.check(static_cast<double>(settled_) / static_cast<double>(n_));
      Pending p = queue.pop();
      split(p);
      const std::size_t child = static_cast<std::size_t>(tree_.first_child[p.node]);
      std::vector<std::uint32_t> features = p.features;
      // The second first: the queue of a depth-first growth is a stack.
      const std::size_t second = new_node(p.middle, p.end, child + 1);
      consider(second, p.middle, p.end, p.depth + 1, std::move(p.features), root_mass, queue);
      new_node(p.begin, p.middle, child);
      consider(child, p.begin, p.middle, p.depth + 1, std::move(features), root_mass, queue);
      ++leaves;
    }
    return std::move(tree_);
  }

 private:
  // code (rank of the value in the feature, 32 bits) | row (32 bits)
  using Entry = Keyed;

  struct Pending {
    std::size_t node, begin, middle, end;
    double depth, gain;
    std::size_t feature, position;
    std::vector<std::uint32_t> features;  // those that are not constant here
  };

  // Depth-first, or best gain first; equal gains in the order of their creation.
  class Queue {
   public:
    explicit Queue(bool best_first) : best_first_(best_first) {}
    bool best_first() const { return best_first_; }
    bool empty() const { return items_.empty(); }
    void push(Pending p) {
      items_.push_back(std::move(p));
      if (best_first_) std::push_heap(items_.begin(), items_.end(), worse);
    }
    Pending pop() {
      if (best_first_) std::pop_heap(items_.begin(), items_.end(), worse);
      Pending p = std::move(items_.back());
      items_.pop_back();
      return p;
    }

   private:
    static bool worse(const Pending& a, const Pending& b) {
      return a.gain < b.gain || (a.gain == b.gain && a.node > b.node);
    }
    bool best_first_;
    std::vector<Pending> items_;
  };

  void sort_features() {
    rows_.resize(n_);
    std::iota(rows_.begin(), rows_.end(), 0u);
    goes_left_.resize(n_);
    entries_.resize(n_ * d_);
    const auto workers = static_cast<std::size_t>(std::max(threads_, 1));
    spare_.resize(workers);
    std::vector<std::vector<Keyed>> order(workers);
    parallel_for(d_, threads_, pulse_, [&](std::size_t f, std::size_t thread) {
      auto& o = order[thread];
      o.resize(n_);
      for (std::size_t i = 0; i < n_; ++i) o[i] = i;
      const auto value = [&](std::uint32_t row) { return X_[row * d_ + f]; };
      sort_by_value(o, spare_[thread], value);
      std::uint32_t code = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        if (i > 0 && value(item_of(o[i - 1])) < value(item_of(o[i]))) ++code;
        entries_[f * n_ + i] = keyed(code, item_of(o[i]));
      }
    });
  }

  std::size_t new_node(std::size_t begin, std::size_t end, std::size_t number = 0) {
    const Summary s = summarise<Sides>(criterion_, target_, rows_.data() + begin, end - begin);
    const std::size_t width = s.value.size();
    if (tree_.first_child.size() <= number) resize(number + 1, width);
    std::copy(s.value.begin(), s.value.end(), tree_.value.begin() + static_cast<std::ptrdiff_t>(number * width));
    tree_.n_samples[number] = s.n_samples;
    tree_.mass[number] = s.mass;
    tree_.impurity[number] = s.impurity;
    pure_ = s.pure;
    return number;
  }

  void resize(std::size_t nodes, std::size_t width) {
    tree_.first_child.resize(nodes, 0);
    tree_.feature.resize(nodes, 0);
    tree_.threshold.resize(nodes, 0);
    tree_.value.resize(nodes * width, 0);
    tree_.n_samples.resize(nodes, 0);
    tree_.mass.resize(nodes, 0);
    tree_.impurity.resize(nodes, 0);
  }

  // Finds the split of a node that has just been made; queues it, or leaves the node a leaf.
  void consider(std::size_t node, std::size_t begin, std::size_t end, double depth, std::vector<std::uint32_t> features,
                double root_mass, Queue& queue) {
    const double n_samples = tree_.n_samples[node];
    Pending p{node, begin, 0, end, depth, 0, 0, 0, {}};
    const bool leaf = pure_ || depth >= limits_.max_depth || n_samples < limits_.min_samples_split ||
                      n_samples < 2 * limits_.min_samples_leaf || tree_.impurity[node] <= limits_.impurity_threshold;
    if (leaf || !find(p, std::move(features), n_samples)) {
      settled_ += end - begin;
      return;
    }
    if (queue.best_first() || limits_.min_impurity_decrease > 0) p.gain = weigh(p) / root_mass;
    if (limits_.min_impurity_decrease > 0 && p.gain < limits_.min_impurity_decrease) {
      settled_ += end - begin;
      return;
    }
    queue.push(std::move(p));
  }

  bool find(Pending& p, std::vector<std::uint32_t> features, double n_samples) {
    const std::size_t n = p.end - p.begin;
    std::erase_if(features, [&](std::uint32_t f) {
      return key_of(order(f)[p.begin]) == key_of(order(f)[p.end - 1]);
    });
    std::vector<Best> found(features.size());
    std::vector<Worth> worth(rule_.ratio ? features.size() : 0);
    const double least = std::max(limits_.min_samples_leaf, rule_.least(n_samples, target_.k));
    const auto workers = worth_threads(kSweepCost, n, features.size()) ? spare_.size() : 1u;
    std::vector<Sides> sides;
    sides.reserve(workers);
    sides.emplace_back(criterion_, target_, rows_.data() + p.begin, n);
    while (sides.size() < workers) sides.push_back(sides[0]);
    // A thread meets its features in ascending order, so one that only equals an earlier one has lost.
    std::vector<double> bound(workers, kInfinity);
    for_features(n, features.size(), [&](std::size_t j, std::size_t thread) {
      const Entry* entries = order(features[j]) + p.begin;
      found[j] = sweep_some(
          rule_.boundaries, sides[thread], target_, n, [entries](std::size_t i) { return item_of(entries[i]); },
          [entries](std::size_t i) { return key_of(entries[i]) != key_of(entries[i + 1]); },
          LeafLimits{least, n_samples, limits_.min_weight_leaf, tree_.mass[p.node]}, bound[thread]);
      if (rule_.ratio) worth[j] = worth_of(found[j], entries, n, n_samples);
      else bound[thread] = found[j].score;
    });
    tree_.looked_at += d_;
    const std::size_t best = rule_.ratio ? best_ratio(worth) : lowest(found);
    if (best == kNone) return false;
    p.feature = features[best];
    p.position = found[best].position;
    p.features = std::move(features);
    return true;
  }

  static std::size_t lowest(const std::vector<Best>& found) {
    std::size_t best = kNone;
    double score = kInfinity;
    for (std::size_t j = 0; j < found.size(); ++j)
      if (found[j].position != kNone && found[j].score < score) score = found[j].score, best = j;
    return best;
  }

  // Gain and split information of a feature's best cut; none without a cut.
  Worth worth_of(const Best& cut, const Entry* entries, std::size_t n, double n_samples) const {
    if (cut.position == kNone) return {};
    const auto k = static_cast<std::size_t>(target_.k);
    std::vector<double> sides(2 * k, 0.0);
    double distinct = 1;
    for (std::size_t i = 0; i < n; ++i) {
      target_.add(sides.data() + (i <= cut.position ? 0 : k), item_of(entries[i]), 1);
      distinct += i > 0 && key_of(entries[i - 1]) != key_of(entries[i]);
    }
    const double* both[2] = {sides.data(), sides.data() + k};
    Worth worth = askew::worth_of(both, 2, target_.k, 0);
    if (rule_.penalty) worth.gain -= price_of_threshold(distinct, n_samples, worth.mass);
    return worth;
  }

  // Weighted decrease of impurity of the split. The rows are taken in ascending order, as the children will
  // hold them, so that sums are rounded alike.
  double weigh(const Pending& p) {
    const std::size_t n = p.end - p.begin, n_left = p.position + 1;
    mark(p);
    std::vector<std::uint32_t> rows(rows_.begin() + static_cast<std::ptrdiff_t>(p.begin),
                                    rows_.begin() + static_cast<std::ptrdiff_t>(p.end));
    partition(rows.data(), n, spare_rows_, [&](std::uint32_t row) { return goes_left_[row]; });
    const Summary left = summarise<Sides>(criterion_, target_, rows.data(), n_left);
    const Summary right = summarise<Sides>(criterion_, target_, rows.data() + n_left, n - n_left);
    const double after = left.mass * left.impurity + right.mass * right.impurity;
    return tree_.mass[p.node] * tree_.impurity[p.node] - after;
  }

  // Notes the side of each row.
  void mark(const Pending& p) {
    const Entry* entries = order(p.feature) + p.begin;
    const std::size_t n = p.end - p.begin;
    for (std::size_t i = 0; i < n; ++i) goes_left_[item_of(entries[i])] = i <= p.position;
  }

  void split(Pending& p) {
    const Entry* entries = order(p.feature) + p.begin;
    const std::size_t n = p.end - p.begin, n_left = p.position + 1;
    const auto value = [&](std::size_t i) { return X_[item_of(entries[i]) * d_ + p.feature]; };
    tree_.feature[p.node] = static_cast<std::int64_t>(p.feature);
    tree_.threshold[p.node] = midpoint(value(p.position), value(p.position + 1));
    tree_.first_child[p.node] = static_cast<std::int64_t>(tree_.first_child.size());
    mark(p);
    p.middle = p.begin + n_left;
    partition(rows_.data() + p.begin, n, spare_rows_, [&](std::uint32_t row) { return goes_left_[row]; });
    const std::size_t own = p.feature;
    for_features(n, p.features.size(), [&](std::size_t j, std::size_t thread) {
      if (p.features[j] == own) return;  // its order is split where it was cut
      partition(order(p.features[j]) + p.begin, n, spare_[thread], [&](Entry e) { return goes_left_[item_of(e)]; });
    });
    const std::size_t width = tree_.value.size() / tree_.first_child.size();
    resize(tree_.first_child.size() + 2, width);
  }

  // Stable: those for which `left` holds first, without a branch that could be mispredicted.
  template <class T, class Left>
  static void partition(T* items, std::size_t n, std::vector<T>& spare, Left left) {
    if (spare.size() < n) spare.resize(n);
    std::size_t n_left = 0, n_right = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const T item = items[i];
      const bool l = left(item);
      items[n_left] = item;
      spare[n_right] = item;
      n_left += l;
      n_right += !l;
    }
    std::copy(spare.begin(), spare.begin() + static_cast<std::ptrdiff_t>(n_right), items + n_left);
  }

  template <class Task>
  void for_features(std::size_t n, std::size_t features, Task task) {
    // Starting threads, or asking for Ctrl-C, costs more than a small node.
    if (worth_threads(kSweepCost, n, features)) return parallel_for(features, threads_, pulse_, task);
    for (std::size_t j = 0; j < features; ++j) task(j, std::size_t{0});
  }

  Entry* order(std::size_t feature) { return entries_.data() + feature * n_; }

  C criterion_;
  Target target_;
  const double* X_;
  std::size_t n_, d_;
  Limits limits_;
  CutRule rule_;
  int threads_;
  Pulse& pulse_;
  std::vector<Entry> entries_;  // d orders of n entries
  std::vector<std::uint32_t> rows_, spare_rows_;
  std::vector<std::uint8_t> goes_left_;
  std::vector<std::vector<Entry>> spare_;
  GrownTree tree_;
  std::size_t settled_ = 0;
  bool pure_ = false;
};

}  // namespace askew
