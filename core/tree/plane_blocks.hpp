// The inner nodes of a tree of hyperplanes, each in one block of memory with all that a step of a walk needs.
//
//   weights [W] | threshold | children [2] | features [W]         64 bytes, one line of the cache, for up to five terms
//
// A child is the number of another block or, marked, that of a leaf among all nodes: a leaf has no block, and a walk
// that comes to one ends without looking at it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tree/tree_view.hpp"

namespace askew::tree {

class PlaneBlocks {
 public:
  static constexpr std::size_t kRows = 64;  // rows that descend together

  // Null where a test is none of a few terms, or there are more nodes or features than a block can number.
  static std::unique_ptr<const PlaneBlocks> of(const TreeView& tree);

  // The leaf of each of n <= kRows rows of X (row-major).
  virtual void descend(const double* X, std::size_t n, std::size_t d, std::int64_t* leaf) const = 0;

  PlaneBlocks() = default;
  PlaneBlocks(const PlaneBlocks&) = delete;
  PlaneBlocks& operator=(const PlaneBlocks&) = delete;
  virtual ~PlaneBlocks() = default;
};

// Blocks of planes of at most W terms. What is missing of them has a weight of 0 on a feature that is tested anyway: a
// value that is missing there is missing once more.
template <std::size_t W, class Feature>
class BlocksOf final : public PlaneBlocks {
 public:
  explicit BlocksOf(const TreeView& tree) {
    std::vector<std::uint32_t> name(tree.n_nodes);
    std::uint32_t inner = 0;
    for (std::size_t i = 0; i < tree.n_nodes; ++i)
      name[i] = tree.kind[i] == kLeaf ? static_cast<std::uint32_t>(i) | kLeafMark : inner++;
    root_ = name[0];
    blocks_.resize(inner);
    for (std::size_t i = 0; i < tree.n_nodes; ++i) {
      if (tree.kind[i] == kLeaf) continue;
      const SplitView s = tree.split(i);
      Block& block = blocks_[name[i]];
      for (std::size_t j = 0; j < W; ++j) {
        block.feature[j] = static_cast<Feature>(s.features[j < s.n_features ? j : 0]);
        block.weight[j] = j < s.n_features ? s.weights[j] : 0.0;
      }
      block.threshold = s.threshold;
      for (std::size_t c = 0; c < 2; ++c) block.child[c] = name[static_cast<std::size_t>(tree.first_child[i]) + c];
    }
  }

  // The rows descend together, a step of each in turn, so that the processor waits for one node while it computes
  // another; now and then those at a leaf drop out.
  void descend(const double* X, std::size_t n, std::size_t d, std::int64_t* leaf) const override {
    if (root_ >= kLeafMark) return std::fill_n(leaf, n, std::int64_t{0}), void();
    std::uint32_t at[kRows], row[kRows];
    for (std::size_t i = 0; i < n; ++i) at[i] = root_, row[i] = static_cast<std::uint32_t>(i);
    for (std::size_t active = n; active > 0;) {
      for (int turn = 0; turn < kTurns; ++turn)
        for (std::size_t i = 0; i < active; ++i) {
          const std::uint32_t now = at[i];
          const bool arrived =
              now >= kLeafMark;  // no branch: a row at a leaf repeats the step from the root, which is ignored
          const std::uint32_t next = blocks_[arrived ? root_ : now].next(X + row[i] * d);
          at[i] = arrived ? now : next;
        }
      std::size_t kept = 0;
      for (std::size_t i = 0; i < active; ++i) {
        const std::uint32_t now = at[i], r = row[i];
        leaf[r] = static_cast<std::int64_t>(now & ~kLeafMark);
        at[kept] = now;
        row[kept] = r;
        kept += now < kLeafMark;
      }
      active = kept;
    }
  }

  static constexpr std::uint32_t kLeafMark = 1u << 31;

 private:
  static constexpr int kTurns = 2;  // steps of each row before those at a leaf drop out

  struct alignas(W <= 5 ? 64 : 32) Block {
    double weight[W];
    double threshold;
    std::uint32_t child[2];
    Feature feature[W];

    // As route(): what is not comparable goes to the second child.
    std::uint32_t next(const double* x) const {
      double sum = 0;
      for (std::size_t j = 0; j < W; ++j) sum += weight[j] * x[feature[j]];
      return child[!(sum <= threshold)];
    }
  };

  std::uint32_t root_;
  std::vector<Block> blocks_;
};

template <class Feature>
std::unique_ptr<const PlaneBlocks> blocks_of_width(const TreeView& tree, std::size_t terms) {
  switch (terms) {
    case 2: return std::make_unique<BlocksOf<2, Feature>>(tree);
    case 3: return std::make_unique<BlocksOf<3, Feature>>(tree);
    case 4: return std::make_unique<BlocksOf<4, Feature>>(tree);
    case 5: return std::make_unique<BlocksOf<5, Feature>>(tree);
    case 6: return std::make_unique<BlocksOf<6, Feature>>(tree);
    case 7: return std::make_unique<BlocksOf<7, Feature>>(tree);
    case 8: return std::make_unique<BlocksOf<8, Feature>>(tree);
    default: return nullptr;
  }
}

inline std::unique_ptr<const PlaneBlocks> PlaneBlocks::of(const TreeView& tree) {
  std::size_t terms = 2;
  std::int64_t last = 0;  // feature
  for (std::size_t i = 0; i < tree.n_nodes; ++i) {
    const SplitView s = tree.split(i);
    if (s.kind == kLeaf) continue;
    if (s.kind != kHyperplane || s.n_features == 0) return nullptr;
    terms = std::max(terms, s.n_features);
    last = std::max(last, *std::max_element(s.features, s.features + s.n_features));
  }
  if (tree.n_nodes >= BlocksOf<2, std::uint8_t>::kLeafMark || last > 65535) return nullptr;
  return last < 256 ? blocks_of_width<std::uint8_t>(tree, terms) : blocks_of_width<std::uint16_t>(tree, terms);
}

}  // namespace askew::tree
