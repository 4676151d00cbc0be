// Many trees, walked block by block of rows: for votes, forests and boosting.
//
//   rows of a block   x x x x ... (8,192, or fewer where rows are few)
//   tree 0 1 2 ...    is in the cache while all rows of the block are walked down it; each adds the entry of its leaf,
//                     always in the order of the trees, so that sums do not depend on the number of threads
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/tree_walk.hpp"

namespace askew::ensemble {

using namespace numeric;
using namespace tree;

class PackedWalk {
 public:
  explicit PackedWalk(const std::vector<TreeView>& trees) : start_{0} {
    for (const TreeView& tree : trees) {
      walkers_.emplace_back(tree);
      start_.push_back(start_.back() + tree.n_nodes);
    }
  }
  std::size_t n_trees() const { return walkers_.size(); }
  std::size_t n_nodes() const { return start_.back(); }

  // leaf[row * n_trees + tree]: the node, as its tree numbers them, that a row ends in.
  void apply(const double* X, std::size_t n, std::size_t d, std::int64_t* leaf, int threads,
             Interrupt& interrupt) const {
    for_row_blocks(n, threads, interrupt, [&](std::size_t start, std::size_t rows) {
      std::int64_t found[Walker::kRows];
      for (std::size_t t = 0; t < n_trees(); ++t) {
        walkers_[t].descend(X + start * d, rows, d, found);
        for (std::size_t i = 0; i < rows; ++i) leaf[(start + i) * n_trees() + t] = found[i];
      }
    });
  }

  // sum[row * k + c] = sum over the trees of the entry of the leaf, added in the order of the trees; the entries of all
  // nodes of all trees are one matrix of k columns. Where `counted` is given, only over the trees with
  // counted[row * n_trees + tree].
  void sum(const double* entry, std::size_t k, const double* X, std::size_t n, std::size_t d, double* sum,
           const bool* counted, int threads, Interrupt& interrupt) const {
    // A large tree is read once for each block: many rows for each reading, but a block for every thread.
    const int used = threads_for(threads, 20, n, n_trees());
    const std::size_t size = std::clamp(n / (2 * static_cast<std::size_t>(std::max(used, 1))), kLeast, kMost);
    parallel_for((n + size - 1) / size, used, interrupt, [&](std::size_t block, std::size_t) {
      const std::size_t end = std::min(n, (block + 1) * size);
      std::int64_t found[Walker::kRows];
      for (std::size_t t = 0; t < n_trees(); ++t)
        for (std::size_t start = block * size; start < end; start += Walker::kRows) {
          const std::size_t rows = std::min(Walker::kRows, end - start);
          walkers_[t].descend(X + start * d, rows, d, found);
          double* to = sum + start * k;
          for (std::size_t i = 0; i < rows; ++i) {
            if (counted && !counted[(start + i) * n_trees() + t]) continue;
            const double* from = entry + (start_[t] + static_cast<std::size_t>(found[i])) * k;
            for (std::size_t c = 0; c < k; ++c) to[i * k + c] += from[c];
          }
        }
    });
  }

 private:
  static constexpr std::size_t kLeast = 512, kMost = 8192;  // rows of a block

  std::vector<Walker> walkers_;
  std::vector<std::size_t> start_;  // of each tree's nodes among all
};

}  // namespace askew::ensemble
