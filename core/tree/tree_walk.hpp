// Walks down a fitted tree, of one row or of many at once. For the trees of every method.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "numeric/parallel.hpp"
#include "tree/plane_blocks.hpp"
#include "tree/tree_view.hpp"

namespace askew::tree {

using namespace numeric;

// What a step of a walk needs of a node, side by side in memory. Tests of one feature are walked from here.
struct Step {
  double threshold;
  std::uint32_t first_child;
  std::uint32_t feature : 30;
  std::uint32_t inner : 1;   // a leaf is its own first child, so that walking on stays there
  std::uint32_t single : 1;  // the test is x[feature] <= threshold

  // As route(): what is not comparable goes to the second child.
  std::uint32_t next(const double* x) const {
    return first_child + (static_cast<std::uint32_t>(!(x[feature] <= threshold)) & inner);  // no branch to mispredict
  }
};

inline std::vector<Step> steps_of(const TreeView& tree) {
  std::vector<Step> steps(tree.n_nodes);
  for (std::size_t i = 0; i < tree.n_nodes; ++i) {
    const SplitView s = tree.split(i);
    const bool inner = s.kind != kLeaf;
    const bool single = s.kind == kHyperplane && s.n_features == 1 && s.weights[0] == 1 && s.features[0] < (1 << 30);
    steps[i] = {s.threshold, static_cast<std::uint32_t>(inner ? tree.first_child[i] : static_cast<std::int64_t>(i)),
                single ? static_cast<std::uint32_t>(s.features[0]) & 0x3fffffffu : 0u, inner, single || !inner};
  }
  return steps;
}

// Walks rows down a tree.
class Walker {
 public:
  static constexpr std::size_t kRows = PlaneBlocks::kRows,
                               kTask = 4096;  // rows that descend together; of a thread's task

  explicit Walker(const TreeView& tree) : tree_(tree), steps_(steps_of(tree)) {
    axis_parallel_ = std::all_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.single; });
    if (!axis_parallel_) planes_ = PlaneBlocks::of(tree);
    if (planes_) std::vector<Step>().swap(steps_);
  }

  std::size_t n_nodes() const { return tree_.n_nodes; }

  // The leaf of each of n <= kRows rows of X (row-major). They descend together, a step of each in turn, so that the
  // processor waits for one node while it computes another; now and then those at a leaf drop out.
  void descend(const double* X, std::size_t n, std::size_t d, std::int64_t* leaf) const {
    if (planes_) return planes_->descend(X, n, d, leaf);
    std::uint32_t node[kRows], row[kRows];
    std::size_t active = n;
    for (std::size_t i = 0; i < active; ++i) node[i] = 0, row[i] = static_cast<std::uint32_t>(i);
    while (active > 0) {
      if (axis_parallel_) {
        for (int turn = 0; turn < 4; ++turn)
          for (std::size_t i = 0; i < active; ++i) node[i] = steps_[node[i]].next(X + row[i] * d);
      } else {
        for (std::size_t i = 0; i < active; ++i) {
          const Step& step = steps_[node[i]];
          const double* x = X + row[i] * d;
          node[i] = step.single ? step.next(x)
                                : step.first_child + static_cast<std::uint32_t>(route(tree_.split(node[i]), x));
        }
      }
      std::size_t kept = 0;
      for (std::size_t i = 0; i < active; ++i) {
        const std::uint32_t at = node[i], r = row[i];
        leaf[r] = static_cast<std::int64_t>(at);
        node[kept] = at;
        row[kept] = r;
        kept += steps_[at].inner;
      }
      active = kept;
    }
  }

 private:
  TreeView tree_;
  std::vector<Step> steps_;
  bool axis_parallel_;
  std::unique_ptr<const PlaneBlocks> planes_;
};

// Calls visit(first row, number of rows) for blocks of at most Walker::kRows rows that cover all n, on threads.
template <class Visit>
void for_row_blocks(std::size_t n, int threads, Interrupt& interrupt, Visit visit) {
  parallel_for((n + Walker::kTask - 1) / Walker::kTask, threads, interrupt, [&](std::size_t task, std::size_t) {
    const std::size_t end = std::min(n, (task + 1) * Walker::kTask);
    for (std::size_t start = task * Walker::kTask; start < end; start += Walker::kRows)
      visit(start, std::min(Walker::kRows, end - start));
  });
}

// The leaf of every row of X (row-major).
inline void apply(const TreeView& tree, const double* X, std::size_t n, std::size_t d, std::int64_t* leaf, int threads,
                  Interrupt& interrupt) {
  const Walker walker(tree);
  for_row_blocks(n, threads, interrupt,
                 [&](std::size_t start, std::size_t rows) { walker.descend(X + start * d, rows, d, leaf + start); });
}

// Whether a test has no answer for a row, because a value that it needs is NaN.
inline bool unanswered(const SplitView& split, const double* x) {
  for (std::size_t j = 0; j < split.n_features; ++j)
    if (std::isnan(x[split.features[j]])) return true;
  return false;
}

// Walks a row down from `start`, and in parts where values are missing: where a test has no answer, each child gets
// the part that its mass is of all children's (C4.5). Calls visit(leaf, part). While a tree is pruned, node i stands
// for node now[i], or is a leaf if that is negative.
template <class Visit>
void spread(const TreeView& tree, const double* mass, const std::int64_t* now, std::size_t start, const double* x,
            std::vector<std::pair<std::size_t, double>>& stack, Visit visit) {
  stack.assign(1, {start, 1.0});
  while (!stack.empty()) {
    auto [node, part] = stack.back();
    stack.pop_back();
    for (;;) {
      if (now ? now[node] < 0 : tree.kind[node] == kLeaf) break;
      const std::size_t test = now ? static_cast<std::size_t>(now[node]) : node;
      const SplitView split = tree.split(test);
      const auto first = static_cast<std::size_t>(tree.first_child[test]);
      if (!unanswered(split, x)) {
        node = first + route(split, x);
        continue;
      }
      double all = 0;
      for (std::size_t c = split.n_children; c-- > 1;) all += mass[first + c];
      all += mass[first];
      for (std::size_t c = split.n_children; c-- > 1;) stack.emplace_back(first + c, part * (mass[first + c] / all));
      part *= mass[first] / all;
      node = first;
    }
    visit(node, part);
  }
}

// For each test of one feature, x <= threshold, the largest value that goes to the first child, and the least that goes
// to the second: -inf and inf where there is none. A row without an answer goes to all children.
inline void axis_gaps(const TreeView& tree, const double* X, std::size_t n, std::size_t d, double* low, double* high) {
  const std::vector<Step> steps = steps_of(tree);
  std::vector<std::size_t> stack;
  for (std::size_t i = 0; i < n; ++i) {
    const double* x = X + i * d;
    stack.assign(1, 0);
    while (!stack.empty()) {
      std::size_t node = stack.back();
      stack.pop_back();
      while (steps[node].inner) {
        const Step& step = steps[node];
        const double value = x[step.feature];
        if (step.single && value <= step.threshold) {
          low[node] = std::max(low[node], value);
          node = step.first_child;
        } else if (step.single && value > step.threshold) {
          high[node] = std::min(high[node], value);
          node = step.first_child + 1;
        } else {
          const SplitView split = tree.split(node);
          const bool all = unanswered(split, x);
          for (std::size_t c = 1; all && c < split.n_children; ++c) stack.push_back(step.first_child + c);
          node = step.first_child + (all ? 0 : route(split, x));
        }
      }
    }
  }
}

}  // namespace askew::tree
