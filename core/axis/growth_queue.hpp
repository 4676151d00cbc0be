// Growth of trees of axis-parallel cuts (CART, C4.5, ID3): its limits, and the queue of splits to come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace askew::axis {

struct Limits {
  double max_depth, min_samples_split, min_samples_leaf, max_leaf_nodes, min_impurity_decrease, impurity_threshold,
      min_weight_leaf;
};

// A node, and the range of every feature's order that its rows take up.
struct OpenNode {
  std::size_t node, begin, end;
  double depth;
  std::uint64_t seed;
  std::size_t size() const { return end - begin; }
};
// A node with its split: behind `position` in the order of `feature`.
struct PendingSplit {
  OpenNode at;
  double gain;
  std::size_t feature, position;
  std::vector<std::uint32_t> features;  // those that are not constant here
};

// Depth-first, or best gain first; equal gains in the order of their creation.
class SplitQueue {
 public:
  explicit SplitQueue(bool best_first) : best_first_(best_first) {}
  bool best_first() const { return best_first_; }
  bool empty() const { return items_.empty(); }
  void push(PendingSplit p) {
    items_.push_back(std::move(p));
    if (best_first_) std::push_heap(items_.begin(), items_.end(), worse);
  }
  PendingSplit pop() {
    if (best_first_) std::pop_heap(items_.begin(), items_.end(), worse);
    PendingSplit p = std::move(items_.back());
    items_.pop_back();
    return p;
  }

 private:
  static bool worse(const PendingSplit& a, const PendingSplit& b) {
    return a.gain < b.gain || (a.gain == b.gain && a.at.node > b.at.node);
  }
  bool best_first_;
  std::vector<PendingSplit> items_;
};

}  // namespace askew::axis
