// Growth of a whole tree of axis-parallel cuts (CART, C4.5, ID3): each feature is sorted once, and every split keeps
// the orders sorted by partitioning them. The tree is the one that a search at each node would give.
//
//   feature f   [ r3 r0 r7 | r5 r1 r2 ]     one node: a range of every feature's order
//   after split [ r3 r7 r5 ][ r0 r1 r2 ]    two ranges, each still in the order of f
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "axis/feature_draw.hpp"
#include "axis/gain_ratio.hpp"
#include "axis/growth_queue.hpp"
#include "axis/sorted_columns.hpp"
#include "numeric/parallel.hpp"
#include "numeric/partition.hpp"
#include "numeric/rng.hpp"
#include "score/criterion.hpp"
#include "score/summary.hpp"
#include "score/sweep.hpp"
#include "tree/grown_tree.hpp"

namespace askew::axis {

using namespace numeric;
using namespace score;
using namespace tree;

template <class Sides, class C>
class PresortedGrower {
 public:
  // `columns` are used up.
  PresortedGrower(const C& criterion, const Target& target, SortedColumns columns, const Limits& limits,
                  const CutRule& rule, std::size_t max_features, int threads, Interrupt& interrupt)
      : criterion_(criterion), target_(target), columns_(std::move(columns)), rows_(columns_.rows()), limits_(limits),
        rule_(rule), max_features_(max_features), threads_(threads), interrupt_(interrupt), goes_left_(columns_.n()),
        spare_(static_cast<std::size_t>(std::max(threads, 1))),
        tree_(target.classification() ? static_cast<std::size_t>(target.k) : 1) {}

  // Every node's seed comes from its path.
  GrownTree grow(std::uint64_t seed) {
    std::vector<std::uint32_t> all(columns_.d());
    std::iota(all.begin(), all.end(), 0u);
    const std::size_t n = columns_.n();
    const OpenNode root{0, 0, n, 0, seed};
    tree_.add_node();
    describe(root);
    const double root_mass = tree_.mass(0);
    SplitQueue queue(limits_.max_leaf_nodes < kInfinity);
    consider(root, std::move(all), root_mass, queue);
    double leaves = 1;
    while (!queue.empty() && leaves < limits_.max_leaf_nodes) {
      interrupt_.check(static_cast<double>(settled_) / static_cast<double>(n));
      PendingSplit p = queue.pop();
      const std::size_t child = split(p), middle = p.at.begin + p.position + 1;
      const OpenNode left{child, p.at.begin, middle, p.at.depth + 1, derive(p.at.seed, 0)};
      const OpenNode right{child + 1, middle, p.at.end, p.at.depth + 1, derive(p.at.seed, 1)};
      std::vector<std::uint32_t> features = p.features;
      // The second first: the queue of a depth-first growth is a stack.
      describe(right);
      consider(right, std::move(p.features), root_mass, queue);
      describe(left);
      consider(left, std::move(features), root_mass, queue);
      ++leaves;
    }
    return tree_.finished();
  }

 private:
  using Entry = SortedColumns::Entry;

  Summary summary(const std::uint32_t* rows, std::size_t n) const {
    return summarise<Sides>(criterion_, target_, rows, n);
  }

  void describe(const OpenNode& at) {
    const Summary s = summary(rows_.data() + at.begin, at.size());
    std::copy(s.value.begin(), s.value.end(), tree_.value(at.node));
    tree_.describe(at.node, s.mass, s.n_samples, s.impurity);
    n_samples_ = s.n_samples;
    pure_ = s.pure;
  }

  // Finds the split of a node that has just been described; queues it, or leaves the node a leaf.
  void consider(const OpenNode& at, std::vector<std::uint32_t> features, double root_mass, SplitQueue& queue) {
    PendingSplit p{at, 0, 0, 0, std::move(features)};
    const bool leaf = pure_ || at.depth >= limits_.max_depth || n_samples_ < limits_.min_samples_split ||
                      n_samples_ < 2 * limits_.min_samples_leaf ||
                      tree_.impurity(at.node) <= limits_.impurity_threshold;
    if (leaf || !find(p)) {
      settled_ += at.size();
      return;
    }
    if (queue.best_first() || limits_.min_impurity_decrease > 0) p.gain = weigh(p) / root_mass;
    if (limits_.min_impurity_decrease > 0 && p.gain < limits_.min_impurity_decrease) {
      settled_ += at.size();
      return;
    }
    queue.push(std::move(p));
  }

  bool find(PendingSplit& p) {
    const std::size_t n = p.at.size();
    std::erase_if(p.features,
                  [&](std::uint32_t f) { return key_of(order(f)[p.at.begin]) == key_of(order(f)[p.at.end - 1]); });
    const bool all = p.features.size() <= max_features_;
    const auto drawn = all ? std::vector<std::uint32_t>() : draw_features(p.features, max_features_, p.at.seed);
    const auto& features = all ? p.features : drawn;
    tree_.n_evaluated += std::min(columns_.d(), max_features_);
    std::vector<Best> found(features.size());
    std::vector<GainInfo> infos(rule_.ratio ? features.size() : 0);
    const double least = std::max(limits_.min_samples_leaf, rule_.least(n_samples_, target_.k));
    const auto workers = worth_threads(kSweepCost, n, features.size()) ? spare_.size() : 1u;
    std::vector<Sides> sides;
    sides.reserve(workers);
    sides.emplace_back(criterion_, target_, rows_.data() + p.at.begin, n);
    while (sides.size() < workers) sides.push_back(sides[0]);
    // A thread meets its features in ascending order, so one that only equals an earlier one has lost.
    std::vector<double> bound(workers, kInfinity);
    for_features(n, features.size(), [&](std::size_t j, std::size_t thread) {
      const Entry* entries = order(features[j]) + p.at.begin;
      found[j] = sweep_some(
          rule_.boundaries, sides[thread], target_, n, [entries](std::size_t i) { return item_of(entries[i]); },
          [entries](std::size_t i) { return key_of(entries[i]) != key_of(entries[i + 1]); },
          LeafLimits{least, n_samples_, limits_.min_weight_leaf, tree_.mass(p.at.node)}, bound[thread]);
      if (rule_.ratio) infos[j] = info_of(found[j], entries, n);
      else bound[thread] = found[j].score;
    });
    const std::size_t best = rule_.ratio ? best_ratio(infos) : lowest(found);
    if (best == kNone) return false;
    p.feature = features[best];
    p.position = found[best].position;
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
  GainInfo info_of(const Best& cut, const Entry* entries, std::size_t n) const {
    if (cut.position == kNone) return {};
    const auto k = static_cast<std::size_t>(target_.k);
    std::vector<double> sides(2 * k, 0.0);
    double distinct = 1;
    for (std::size_t i = 0; i < n; ++i) {
      target_.add(sides.data() + (i <= cut.position ? 0 : k), item_of(entries[i]), 1);
      distinct += i > 0 && key_of(entries[i - 1]) != key_of(entries[i]);
    }
    const double* both[2] = {sides.data(), sides.data() + k};
    GainInfo info = score::gain_info(both, 2, target_.k, 0);
    if (rule_.penalty) info.gain -= price_of_threshold(distinct, n_samples_, info.mass);
    return info;
  }

  // Weighted decrease of impurity of the split. The rows are taken in ascending order, as the children will
  // hold them, so that sums are rounded alike.
  double weigh(const PendingSplit& p) {
    const std::size_t n = p.at.size(), n_left = p.position + 1;
    mark(p);
    const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(p.at.begin);
    std::vector<std::uint32_t> rows(first, first + static_cast<std::ptrdiff_t>(n));
    partition(rows.data(), n, spare_rows_, [&](std::size_t i) { return goes_left_[rows[i]]; });
    const Summary left = summary(rows.data(), n_left), right = summary(rows.data() + n_left, n - n_left);
    const double after = left.mass * left.impurity + right.mass * right.impurity;
    return tree_.mass(p.at.node) * tree_.impurity(p.at.node) - after;
  }

  // Notes the side of each row.
  void mark(const PendingSplit& p) {
    // Copies: the compiler must take it that bytes written through a pointer may be any of these.
    const Entry* entries = order(p.feature) + p.at.begin;
    const std::size_t n = p.at.size(), last = p.position;
    std::uint8_t* const left = goes_left_.data();
    for (std::size_t i = 0; i < n; ++i) left[item_of(entries[i])] = i <= last;
  }

  // Splits a node; returns the number of its first child.
  std::size_t split(const PendingSplit& p) {
    const Entry* entries = order(p.feature) + p.at.begin;
    const std::size_t n = p.at.size();
    const auto value = [&](std::size_t i) { return columns_.value(item_of(entries[i]), p.feature); };
    const auto feature = static_cast<std::uint32_t>(p.feature);
    constexpr double one = 1;
    const double threshold = midpoint(value(p.position), value(p.position + 1));
    mark(p);
    const std::uint8_t* left = goes_left_.data();
    const std::uint32_t* rows = rows_.data() + p.at.begin;
    partition(rows_.data() + p.at.begin, n, spare_rows_, [=](std::size_t i) { return left[rows[i]]; });
    for_features(n, p.features.size(), [&](std::size_t j, std::size_t thread) {
      if (p.features[j] == p.feature) return;  // its order is split where it was cut
      Entry* own = order(p.features[j]) + p.at.begin;
      partition(own, n, spare_[thread], [=](std::size_t i) { return left[item_of(own[i])]; });
    });
    return tree_.split(p.at.node, {&feature, 1}, {&one, 1}, threshold);
  }

  template <class Task>
  void for_features(std::size_t n, std::size_t features, Task task) {
    // Starting threads, or asking for Ctrl-C, costs more than a small node.
    if (worth_threads(kSweepCost, n, features)) return parallel_for(features, threads_, interrupt_, task);
    for (std::size_t j = 0; j < features; ++j) task(j, std::size_t{0});
  }

  Entry* order(std::size_t feature) { return columns_.order(feature); }

  C criterion_;
  Target target_;
  SortedColumns columns_;
  std::vector<std::uint32_t>& rows_;  // of the columns; those of a node are ascending
  Limits limits_;
  CutRule rule_;
  std::size_t max_features_;
  int threads_;
  Interrupt& interrupt_;
  std::vector<std::uint8_t> goes_left_;  // of each row of the table
  std::vector<std::vector<Entry>> spare_;
  std::vector<std::uint32_t> spare_rows_;
  TreeBuilder tree_;
  std::size_t settled_ = 0;
  double n_samples_ = 0;  // of the node that was described last
  bool pure_ = false;
};

}  // namespace askew::axis
