// C4.5's error-based pruning: a subtree becomes a leaf, or its largest branch takes its place, where a pessimistic
// estimate of its errors allows it. Parts of rows move between leaves; nothing is walked by recursion.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "numeric/parallel.hpp"
#include "numeric/precise_math.hpp"
#include "tree/tree_walk.hpp"

namespace askew::axis {

using namespace numeric;
using namespace tree;

// The errors that a leaf is expected to make among as many new cases: the upper limit of a binomial distribution. The
// confidence is given by its logarithm, and by the deviation of the normal distribution that belongs to it.
struct ErrorLimit {
  double log_confidence, deviation;

  double operator()(double n, double e) const {
    if (n == 0) return 0;
    if (e < 1e-6) return e + none(n);
    if (e < 0.9999) return e + none(n) + e * (some(n, 1.0) - none(n));  // linear between no error and one
    return e + some(n, e);
  }

 private:
  double none(double n) const { return n * -precise_expm1(log_confidence / n); }
  double some(double n, double e) const {  // what is added to one error or more
    if (e + 0.5 >= n) return 0.67 * (n - e);
    const double square = deviation * deviation, at = e + 0.5;
    const double root = std::sqrt(square * (at * (1 - at / n) + square / 4));
    return n * ((at + square / 2 + root) / (n + square)) - e;
  }
};

// What the tree was grown on; `weight` is in cases.
struct PrunedRows {
  const double* X;
  std::size_t n, d;
  const std::int32_t* label;
  const double* weight;
};

// A tree that is being pruned. Node i stands for the test of node now[i] of the tree, or is a leaf (-1). Each leaf
// keeps the rows that are in it, with the part of each. Children have higher numbers than their parents, also after a
// branch has been raised.
class ErrorPruning {
 public:
  ErrorPruning(const TreeView& tree, const double* mass, PrunedRows data, std::vector<double> counts, std::size_t k,
               ErrorLimit limit, double slack, bool raising)
      : tree_(tree), mass_(mass), data_(data), k_(k), limit_(limit), slack_(slack), raising_(raising),
        counts_(std::move(counts)), now_(tree.n_nodes), parent_(tree.n_nodes, 0), as_leaf_(tree.n_nodes),
        rows_(tree.n_nodes), gained_(tree.n_nodes, kNowhere) {
    for (std::size_t i = 0; i < tree.n_nodes; ++i) {
      now_[i] = tree.kind[i] == kLeaf ? -1 : static_cast<std::int64_t>(i);
      as_leaf_[i] = estimate(&counts_[i * k_]);
      for (auto [child, last] = children(i); child < last; ++child) parent_[child] = i;
    }
    errors_ = as_leaf_;  // of the subtrees, once they are settled
  }

  void run(Interrupt& interrupt) {
    for (std::size_t row = 0; row < data_.n; ++row) {
      if (row % 1024 == 0) interrupt.check();
      walk({row, 1.0}, 0, [&](std::size_t leaf, Part part) { rows_[leaf].push_back(part); });
    }
    std::vector<std::size_t> agenda;  // the last first: children before parents
    for (std::size_t i = 0; i < tree_.n_nodes; ++i)
      if (now_[i] >= 0) agenda.push_back(i);
    while (!agenda.empty()) {
      interrupt.check();
      const std::size_t node = agenda.back();
      agenda.pop_back();
      settle(node, agenda);
    }
  }

  std::vector<std::int64_t>& now() { return now_; }
  bool raised() const { return raised_; }

 private:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  struct Part {
    std::size_t row;
    double share;
  };
  struct Moved {
    Part part;
    std::size_t leaf;
  };
  // Where the rows of the other children end in a branch: the leaves that they reach, what these get (k counts each),
  // and how their errors change.
  struct Move {
    std::vector<Moved> moved;
    std::vector<std::size_t> reached;
    std::vector<double> gains;
    double change = 0;
  };

  // Numbers of siblings, from `first` to the one before `last`.
  struct Range {
    std::size_t first, last;
  };

  Range children(std::size_t node) const {
    if (now_[node] < 0) return {0, 0};
    const auto test = static_cast<std::size_t>(now_[node]);
    const auto first = static_cast<std::size_t>(tree_.first_child[test]);
    return {first, first + static_cast<std::size_t>(tree_.n_children[test])};
  }

  double estimate(const double* counts) const {
    double cases = 0, most = 0;
    for (std::size_t c = 0; c < k_; ++c) {
      cases += counts[c];
      most = std::max(most, counts[c]);
    }
    return limit_(cases, std::max(cases - most, 0.0));
  }

  double cases(std::size_t node) const {
    double sum = 0;
    for (std::size_t c = 0; c < k_; ++c) sum += counts_[node * k_ + c];
    return sum;
  }

  template <class Visit>
  void walk(Part part, std::size_t start, Visit visit) {
    spread(tree_, mass_, now_.data(), start, data_.X + part.row * data_.d, stack_,
           [&](std::size_t leaf, double share) { visit(leaf, Part{part.row, part.share * share}); });
  }

  // Goes through a node and all below it, parents before children.
  template <class Visit>
  void below(std::size_t node, Visit visit) {
    std::vector<std::size_t> stack{node};
    while (!stack.empty()) {
      node = stack.back();
      stack.pop_back();
      visit(node);
      for (auto [child, last] = children(node); child < last; ++child) stack.push_back(child);
    }
  }

  // Leaves a node as it is, or makes it a leaf, or raises a branch; nodes to decide again go on the agenda.
  void settle(std::size_t node, std::vector<std::size_t>& agenda) {
    const Range own = children(node);
    double as_tree = 0, most = -1;
    std::size_t branch = own.first;
    for (std::size_t child = own.first; child < own.last; ++child) {
      as_tree += errors_[child];
      if (cases(child) > most) most = cases(child), branch = child;
    }
    const bool may_rise = raising_ && now_[branch] >= 0;
    const Move move = may_rise ? move_into(own, branch) : Move{};
    const double as_branch = may_rise ? errors_[branch] + move.change : std::numeric_limits<double>::infinity();
    if (as_leaf_[node] <= std::min(as_tree, as_branch) + slack_) make_leaf(node);
    else if (may_rise && as_branch <= as_tree + slack_) raise_branch(node, branch, move, agenda);
    else errors_[node] = as_tree;
  }

  Move move_into(const Range& own, std::size_t branch) {
    Move move;
    for (std::size_t child = own.first; child < own.last; ++child) {
      if (child == branch) continue;
      below(child, [&](std::size_t leaf) {
        if (now_[leaf] >= 0) return;
        for (const Part& part : rows_[leaf])
          walk(part, branch, [&](std::size_t at, Part arrived) { move.moved.push_back({arrived, at}); });
      });
    }
    for (const Moved& m : move.moved) {
      if (gained_[m.leaf] == kNowhere) {
        gained_[m.leaf] = move.reached.size();
        move.reached.push_back(m.leaf);
        move.gains.resize(move.gains.size() + k_);
      }
      const auto label = static_cast<std::size_t>(data_.label[m.part.row]);
      move.gains[gained_[m.leaf] * k_ + label] += m.part.share * data_.weight[m.part.row];
    }
    std::vector<double> after(k_);
    for (std::size_t i = 0; i < move.reached.size(); ++i) {
      const std::size_t leaf = move.reached[i];
      gained_[leaf] = kNowhere;
      for (std::size_t c = 0; c < k_; ++c) after[c] = counts_[leaf * k_ + c] + move.gains[i * k_ + c];
      move.change += estimate(after.data()) - errors_[leaf];
    }
    return move;
  }

  void make_leaf(std::size_t node) {
    std::vector<Part> all;
    below(node, [&](std::size_t leaf) {
      if (now_[leaf] >= 0) return;
      std::vector<Part>& own = rows_[leaf];
      if (own.size() > all.size()) all.swap(own);  // the few join the many: a deep tree takes no longer for it
      all.insert(all.end(), own.begin(), own.end());
      std::vector<Part>().swap(own);
    });
    rows_[node] = std::move(all);
    now_[node] = -1;
    errors_[node] = as_leaf_[node];
  }

  // Puts a branch in the place of its parent; nodes below it see more rows, and are decided again.
  void raise_branch(std::size_t node, std::size_t branch, const Move& move, std::vector<std::size_t>& agenda) {
    for (const Moved& m : move.moved) rows_[m.leaf].push_back(m.part);
    std::vector<std::size_t> grown;
    for (std::size_t i = 0; i < move.reached.size(); ++i) {
      for (std::size_t at = move.reached[i]; at != branch; at = parent_[at]) {
        for (std::size_t c = 0; c < k_; ++c) counts_[at * k_ + c] += move.gains[i * k_ + c];
        if (std::exchange(gained_[at], 0) == kNowhere) grown.push_back(at);
      }
    }
    for (const std::size_t at : grown) {
      gained_[at] = kNowhere;
      as_leaf_[at] = estimate(&counts_[at * k_]);
      if (now_[at] < 0) errors_[at] = as_leaf_[at];
    }
    for (auto [child, last] = children(branch); child < last; ++child) parent_[child] = node;
    now_[node] = now_[branch];
    raised_ = true;
    const auto start = static_cast<std::ptrdiff_t>(agenda.size());
    below(node, [&](std::size_t inner) {
      if (now_[inner] >= 0) agenda.push_back(inner);
    });
    std::sort(agenda.begin() + start, agenda.end());
  }

  const TreeView& tree_;
  const double* mass_;
  PrunedRows data_;
  std::size_t k_;
  ErrorLimit limit_;
  double slack_;
  bool raising_, raised_ = false;
  std::vector<double> counts_;
  std::vector<std::int64_t> now_;
  std::vector<std::size_t> parent_;
  std::vector<double> as_leaf_, errors_;
  std::vector<std::vector<Part>> rows_;
  std::vector<std::size_t> gained_;  // place of each leaf among those that a move reaches
  std::vector<std::pair<std::size_t, double>> stack_;
};

}  // namespace askew::axis
