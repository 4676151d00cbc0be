// Many trees in one set of arrays, walked block by block of rows: for votes, forests and boosting.
//
//   rows of a block   x x x x ... (512)    stay in the cache while every tree is walked
//   tree 0 1 2 ...    is in the cache while all rows of the block are; each adds the entry of its leaf; always in the order of the trees, so that sums do not depend on
//                     the number of threads
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/tree_walk.hpp"

namespace askew {

// leaf[row * n_trees + tree]: the node, as the arrays number them, that a row ends in.
inline void apply_many(const TreeView& trees, const std::uint32_t* root, std::size_t n_trees, const double* X,
                       std::size_t n, std::size_t d, std::int64_t* leaf, int threads, Pulse& pulse) {
  const Walker walker(trees);
  for_row_blocks(n, threads, pulse, [&](std::size_t start, std::size_t rows) {
    std::int64_t found[Walker::kRows];
    for (std::size_t t = 0; t < n_trees; ++t) {
      walker.descend(root[t], X + start * d, rows, d, found);
      for (std::size_t i = 0; i < rows; ++i) leaf[(start + i) * n_trees + t] = found[i];
    }
  });
}

// sum[row * k + c] = sum over the trees of entry[leaf * k + c], added in the order of the trees. Where `counted` is given,
// only over the trees with counted[row * n_trees + tree].
inline void sum_over_trees(const TreeView& trees, const std::uint32_t* root, std::size_t n_trees, const double* entry,
                           std::size_t k, const double* X, std::size_t n, std::size_t d, double* sum, const bool* counted,
                           int threads, Pulse& pulse) {
  const Walker walker(trees);
  constexpr std::size_t kBlock = 8 * Walker::kRows;
  parallel_for((n + kBlock - 1) / kBlock, threads_for(threads, 20, n, n_trees), pulse, [&](std::size_t block, std::size_t) {
    const std::size_t end = std::min(n, (block + 1) * kBlock);
    std::int64_t found[Walker::kRows];
    for (std::size_t t = 0; t < n_trees; ++t)
      for (std::size_t start = block * kBlock; start < end; start += Walker::kRows) {
        const std::size_t rows = std::min(Walker::kRows, end - start);
        walker.descend(root[t], X + start * d, rows, d, found);
        double* to = sum + start * k;
        for (std::size_t i = 0; i < rows; ++i) {
          if (counted && !counted[(start + i) * n_trees + t]) continue;
          const double* from = entry + static_cast<std::size_t>(found[i]) * k;
          for (std::size_t c = 0; c < k; ++c) to[i * k + c] += from[c];
        }
      }
  });
}

}  // namespace askew
