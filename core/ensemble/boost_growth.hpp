// Growth of one tree of second-order boosting (Friedman 2001; Chen and Guestrin 2016): the leaf with the best split is
// split next, by a binned cut of one feature or by a plane, one weighted Newton step in some drawn features.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ensemble/drawn_features.hpp"
#include "ensemble/histograms.hpp"
#include "ensemble/node_columns.hpp"
#include "ensemble/node_directions.hpp"
#include "numeric/parallel.hpp"
#include "numeric/partition.hpp"
#include "numeric/rng.hpp"
#include "score/sweep.hpp"
#include "tree/grown_tree.hpp"

namespace askew::ensemble {

using namespace numeric;
using namespace score;
using namespace tree;

struct BoostRule {
  std::size_t n_planes = 1;      // tried at a node
  std::size_t max_features = 1;  // of a plane; without planes, features that are cut at a node
  double max_leaves = 31, max_depth = 0, min_samples_leaf = 20;
  double l2 = 0;        // penalty of a leaf's value
  double plane_l2 = 1;  // penalty of a plane's weights
  double shrinkage = 0.1;
};

class BoostGrower {
 public:
  BoostGrower(const BinnedTable& table, const BoostRule& rule, int threads, Interrupt& interrupt)
      : table_(table), rule_(rule), threads_(threads), interrupt_(interrupt), features_(table.d) {}

  // `leaf` gets the leaf of every row that is drawn.
  GrownTree grow(const double* gradient, const double* hessian, const double* samples, std::uint64_t seed,
                 std::int64_t* leaf) {
    tree_ = TreeBuilder(1);
    rows_.clear();
    for (std::size_t i = 0; i < table_.n; ++i)
      if (samples[i] > 0)
        rows_.push_back({static_cast<std::uint32_t>(i), static_cast<float>(samples[i]), gradient[i], hessian[i]});
    std::vector<Open> open;
    open.push_back(first(seed));
    consider(open[0]);
    double leaves = 1;
    while (leaves < rule_.max_leaves) {
      // Of equal gains, the node that was made first.
      const auto best =
          std::max_element(open.begin(), open.end(), [](const Open& a, const Open& b) { return a.gain < b.gain; });
      if (best == open.end() || !(best->gain > 0)) break;
      interrupt_.check();
      Open at = std::move(*best);
      open.erase(best);
      auto [left, right] = part(at);
      for (Open* child : {&left, &right})
        if (leaves + 1 < rule_.max_leaves) consider(*child);
      open.push_back(std::move(left));
      open.push_back(std::move(right));
      ++leaves;
    }
    for (const Open& at : open)
      for (std::size_t i = at.begin; i < at.end; ++i) leaf[rows_[i].row] = static_cast<std::int64_t>(at.node);
    free_.clear();
    return tree_.finished();
  }

 private:
  struct Open {
    std::size_t node = 0, begin = 0, end = 0;
    double depth = 0;
    std::uint64_t seed = 0;
    BoostSums sums;
    BoostLimit limit;
    std::vector<BoostSums> histograms;  // d x kBins; empty: not made yet
    double gain = 0;
    std::vector<std::uint32_t> features;  // the best split: of a cut one, and its bin
    std::vector<double> weights;
    double threshold = 0;
    std::size_t bin = 0;
    int sign = 0;  // whether the children's values must be in order
    std::size_t size() const { return end - begin; }
  };

  Open first(std::uint64_t seed) {
    Open root;
    root.node = tree_.add_node();
    root.end = rows_.size();
    root.seed = seed;
    root.limit = {rule_.l2, rule_.min_samples_leaf, 1e-3};
    summarise(root);
    return root;
  }

  // Sums, value and impurity of a node. By mass x impurity a split saves as much as it does by the loss.
  void summarise(Open& at) {
    double squares = 0;
    at.sums = {};
    for (std::size_t i = at.begin; i < at.end; ++i) {
      const BoostRow& r = rows_[i];
      at.sums.add({r.gradient, r.hessian, static_cast<double>(r.samples)});
      if (r.hessian > 0) squares += r.gradient * r.gradient / r.hessian;
    }
    const double v = at.limit.value(at.sums);
    tree_.describe(at.node, at.sums.hessian, at.sums.samples,
                   std::max(0.0, squares - at.limit.saved(at.sums, v)) / std::max(at.sums.hessian, 1e-300));
    *tree_.value(at.node) = rule_.shrinkage * v;
  }

  // Finds the best split of a node; a gain of 0: none.
  void consider(Open& at) {
    at.gain = 0;
    if (at.depth >= rule_.max_depth || at.sums.samples < 2 * rule_.min_samples_leaf || at.size() < 2) return;
    if (at.histograms.empty()) fill(at);
    find_cut(at);
    Rng random(at.seed);
    for (std::size_t i = 0; i < rule_.n_planes; ++i) find_plane(at, random);
  }

  std::vector<BoostSums> memory() {
    if (free_.empty()) return std::vector<BoostSums>(table_.d * kBins);
    std::vector<BoostSums> taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }

  void fill(Open& at) {
    at.histograms = memory();
    parallel_for(table_.d, threads_for(threads_, 2, at.size(), table_.d), interrupt_, [&](std::size_t f, std::size_t) {
      fill_histogram(table_.codes + f * table_.n, rows_.data() + at.begin, at.size(), &at.histograms[f * kBins],
                     table_.n_edges(f) + 1);
    });
  }

  void find_cut(Open& at) {
    const bool draws = rule_.n_planes == 0 && rule_.max_features < table_.d;
    if (draws) {
      Rng random(derive(at.seed, 2));
      draw(at, random);
    }
    const std::size_t n = draws ? columns_.features.size() : table_.d;
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t f = draws ? columns_.features[j] : j;
      ++tree_.n_evaluated;
      const int sign = table_.monotonic ? table_.monotonic[f] : 0;
      const BoostCut cut = best_bin(&at.histograms[f * kBins], table_.n_edges(f), at.sums, at.limit, sign);
      if (!(cut.gain > at.gain)) continue;
      at.gain = cut.gain;
      at.features = {static_cast<std::uint32_t>(f)};
      at.weights = {1.0};
      at.threshold = table_.edge(f, cut.bin);
      at.bin = cut.bin, at.sign = sign;
    }
  }

  // Features that vary at the node: their rows are in two bins or more.
  void draw(const Open& at, Rng& random) {
    features_.draw(0, rule_.max_features, random, columns_.features, [&](std::uint32_t f) {
      const BoostSums* bins = &at.histograms[f * kBins];
      std::size_t used = 0;
      for (std::size_t b = 0; b <= table_.n_edges(f) && used < 2; ++b) used += bins[b].samples > 0;
      return used == 2;
    });
    features_.restore();
  }

  void find_plane(Open& at, Rng& random) {
    draw(at, random);
    if (columns_.features.size() < 2) return;
    const std::size_t n = at.size();
    const BoostRow* rows = rows_.data() + at.begin;
    columns_.set_rows(n);
    columns_.mass = at.sums.hessian;
    columns_.gather(table_.X, table_.d, [rows](std::size_t i) { return rows[i].row; });
    step_.assign(columns_.stride, 0.0);
    projection_.resize(columns_.stride);
    for (std::size_t i = 0; i < n; ++i) {
      columns_.weight[i] = rows[i].hessian;
      step_[i] = rows[i].hessian > 0 ? -rows[i].gradient / rows[i].hessian : 0.0;
    }
    if (!(columns_.mass > 0)) return;
    columns_.measure();
    directions_.newton(columns_, step_.data(), rule_.plane_l2, 1.0);
    if (!directions_.found) return;
    ++tree_.n_evaluated;
    int sign = 0;
    if (!sign_of(sign)) return;
    columns_.project(directions_.weights.data(), projection_.data());
    cut_plane(at, rows, sign);
  }

  // Whether the plane may be used with monotone features: it rises (or falls) in all of them as they must.
  bool sign_of(int& sign) const {
    for (std::size_t j = 0; table_.monotonic && j < columns_.m; ++j) {
      const double w = directions_.weights[j];
      const int wanted = table_.monotonic[columns_.features[j]] * (w > 0 ? 1 : w < 0 ? -1 : 0);
      if (wanted == 0) continue;
      if (sign != 0 && sign != wanted) return false;
      sign = wanted;
    }
    return true;
  }

  // Cuts along the projections, at places that divide their range evenly.
  void cut_plane(Open& at, const BoostRow* rows, int sign) {
    const std::size_t n = at.size();
    const auto [least, most] =
        std::minmax_element(projection_.begin(), projection_.begin() + static_cast<std::ptrdiff_t>(n));
    const double low = *least, range = *most - low;
    const double scale = static_cast<double>(kPlaces) / range;
    if (!(range > 0) || !std::isfinite(range) || !std::isfinite(scale)) return;
    std::fill(std::begin(bins_), std::end(bins_), BoostSums{});
    std::fill(std::begin(highest_), std::end(highest_), low);
    for (std::size_t i = 0; i < n; ++i) {
      const auto place = std::min(static_cast<std::size_t>((projection_[i] - low) * scale), kPlaces - 1);
      bins_[place].add({rows[i].gradient, rows[i].hessian, static_cast<double>(rows[i].samples)});
      highest_[place] = std::max(highest_[place], projection_[i]);
    }
    const BoostCut cut = best_bin(bins_, kPlaces - 1, at.sums, at.limit, sign);
    if (!(cut.gain > at.gain)) return;
    std::size_t next = cut.bin + 1;
    while (next < kPlaces && bins_[next].samples == 0) ++next;
    double above = *most;
    for (std::size_t i = 0; i < n; ++i)
      if (projection_[i] > highest_[cut.bin]) above = std::min(above, projection_[i]);
    at.gain = cut.gain;
    at.threshold = midpoint(highest_[cut.bin], above);
    at.sign = sign;
    at.features.clear(), at.weights.clear();
    for (std::size_t j = 0; j < columns_.m; ++j)
      if (directions_.weights[j] != 0)
        at.features.push_back(columns_.features[j]), at.weights.push_back(directions_.weights[j]);
  }

  bool goes_left(const Open& at, const BoostRow& row) const {
    if (at.features.size() == 1 && at.weights[0] == 1.0)
      return table_.codes[at.features[0] * table_.n + row.row] <= at.bin;
    const double* x = table_.X + static_cast<std::size_t>(row.row) * table_.d;
    double sum = 0;
    for (std::size_t j = 0; j < at.features.size(); ++j) sum += at.weights[j] * x[at.features[j]];
    return sum <= at.threshold;
  }

  // Parts the rows of a node, and the histograms: the smaller child's are counted, the other's are what is left.
  std::pair<Open, Open> part(Open& at) {
    const BoostRow* rows = rows_.data() + at.begin;
    const std::size_t n_left = partition(rows_.data() + at.begin, at.size(), spare_,
                                         [&, rows](std::size_t i) { return goes_left(at, rows[i]); });
    const std::size_t child = tree_.split(at.node, at.features, at.weights, at.threshold);
    Open left, right;
    left.node = child, right.node = child + 1;
    left.begin = at.begin, left.end = right.begin = at.begin + n_left, right.end = at.end;
    left.seed = derive(at.seed, 0), right.seed = derive(at.seed, 1);
    left.depth = right.depth = at.depth + 1;
    left.limit = right.limit = at.limit;
    summarise(left), summarise(right);
    if (at.sign != 0) {  // what is below one child must not pass what is below the other
      const double middle = (at.limit.value(left.sums) + at.limit.value(right.sums)) / 2;
      (at.sign > 0 ? left : right).limit.highest = middle;
      (at.sign > 0 ? right : left).limit.lowest = middle;
      summarise(left), summarise(right);
    }
    share_histograms(at, left, right);
    return {std::move(left), std::move(right)};
  }

  void share_histograms(Open& at, Open& left, Open& right) {
    Open& small = left.size() <= right.size() ? left : right;
    Open& large = left.size() <= right.size() ? right : left;
    if (!worth_considering(large)) {  // then the small one is not either
      free_.push_back(std::move(at.histograms));
      return;
    }
    fill(small);
    large.histograms = std::move(at.histograms);
    for (std::size_t f = 0; f < table_.d; ++f)
      for (std::size_t b = f * kBins; b <= f * kBins + table_.n_edges(f); ++b) {
        large.histograms[b] = large.histograms[b] - small.histograms[b];
        if (large.histograms[b].samples <= 0) large.histograms[b] = {};  // without crumbs of rounding
      }
  }
  bool worth_considering(const Open& at) const {
    return at.depth < rule_.max_depth && at.sums.samples >= 2 * rule_.min_samples_leaf;
  }

  static constexpr std::size_t kPlaces = 128;

  BinnedTable table_;
  BoostRule rule_;
  int threads_;
  Interrupt& interrupt_;
  TreeBuilder tree_{1};
  std::vector<BoostRow> rows_, spare_;
  DrawnFeatures features_;
  std::vector<std::vector<BoostSums>> free_;
  NodeColumns columns_;
  NodeDirections directions_;
  std::vector<double> step_, projection_;
  BoostSums bins_[kPlaces];
  double highest_[kPlaces] = {};
};

}  // namespace askew::ensemble
