// Growth of a whole tree of a forest: at each node some features are drawn, one direction or a few are laid through
// them, and the best cut along these is taken.
//
//   entries  [ e3 e0 e7 e5 e1 e2 ]        one node: a range of the drawn rows, each with its label and weight
//   split    [ e3 e7 e5 ][ e0 e1 e2 ]     two ranges: parted in place, so that a node reads its labels in a row
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "ensemble/cut_scan.hpp"
#include "ensemble/drawn_features.hpp"
#include "ensemble/node_columns.hpp"
#include "ensemble/node_directions.hpp"
#include "numeric/partition.hpp"
#include "numeric/rng.hpp"
#include "tree/grown_tree.hpp"

namespace askew::ensemble {

using namespace numeric;
using namespace score;
using namespace tree;

// Below so many samples for each weight a direction fits anything: features are cut one by one, as in OC1 (1994,
// section 3.2).
constexpr double kSamplesPerWeight = 2;

enum class ForestSplit { newton, projection, axis };

struct ForestRule {
  ForestSplit split = ForestSplit::newton;
  std::size_t max_features = 1;  // of a draw
  std::size_t n_draws = 1;       // of features at a node
  double l2 = 1;
  double max_depth = 0, min_samples_split = 2, min_samples_leaf = 1, min_weight_fraction = 0;
};

// The table that all trees share. Rows of weight 0 for a tree are left out of it.
struct ForestTable {
  const double* X;  // row-major
  std::size_t n, d;
  const std::int32_t* label;  // classes, or
  const double* y;            // numbers
  int k;                      // classes; 1 for numbers
};

template <class Scan>
class ForestGrower {
  static constexpr bool kClasses = !std::is_same_v<Scan, SquaredScan>;

 public:
  ForestGrower(const ForestTable& table, const ForestRule& rule) : table_(table), rule_(rule), features_(table.d) {}

  // `samples`: how often each row counts; `weight`: how much. beat() is called now and then, and may throw.
  template <class Beat>
  GrownTree grow(const double* samples, const double* weight, std::uint64_t seed, Beat beat) {
    tree_ = TreeBuilder(static_cast<std::size_t>(table_.k));
    entries_.clear();
    for (std::size_t i = 0; i < table_.n; ++i)
      if (samples[i] > 0 && weight[i] > 0) entries_.push_back(entry(i, samples[i], weight[i]));
    std::vector<Open> stack{{tree_.add_node(), 0, entries_.size(), 0, seed}};
    while (!stack.empty()) {
      beat();
      const Open at = stack.back();
      stack.pop_back();
      summarise(at);
      if (at.node == 0) min_weight_ = rule_.min_weight_fraction * columns_.mass * (1 - 1e-9);
      if (is_leaf(at) || !find(at)) continue;
      const std::size_t middle = part(at), child = tree_.split(at.node, best_features_, best_weights_, best_.threshold);
      stack.push_back({child + 1, middle, at.end, at.depth + 1, derive(at.seed, 1)});
      stack.push_back({child, at.begin, middle, at.depth + 1, derive(at.seed, 0)});
    }
    return tree_.finished();
  }

 private:
  struct Entry {
    std::uint32_t row;
    float samples;
    double weight;
    std::conditional_t<kClasses, std::int64_t, double> y;
  };
  struct Open {
    std::size_t node, begin, end;
    double depth;
    std::uint64_t seed;
    std::size_t size() const { return end - begin; }
  };

  Entry entry(std::size_t i, double samples, double weight) const {
    if constexpr (kClasses)
      return {static_cast<std::uint32_t>(i), static_cast<float>(samples), weight, table_.label[i]};
    else return {static_cast<std::uint32_t>(i), static_cast<float>(samples), weight, table_.y[i]};
  }

  // Weight, samples, value and impurity of a node; its labels and weights side by side.
  void summarise(const Open& at) {
    const std::size_t n = at.size();
    const Entry* entries = entries_.data() + at.begin;
    columns_.set_rows(n);
    if (samples_.size() < n) samples_.resize(n);
    double mass = 0, samples = 0;
    for (std::size_t i = 0; i < n; ++i) {
      columns_.weight[i] = entries[i].weight;
      samples_[i] = entries[i].samples;
      mass += entries[i].weight;
      samples += static_cast<double>(entries[i].samples);
    }
    columns_.mass = mass;
    n_samples_ = samples;
    double impurity = 0;
    if constexpr (kClasses) impurity = summarise_classes(at, entries, tree_.value(at.node));
    else impurity = summarise_numbers(at, entries, tree_.value(at.node));
    tree_.describe(at.node, mass, samples, pure_ ? 0.0 : std::max(0.0, impurity));
  }

  double summarise_classes(const Open& at, const Entry* entries, double* value) {
    const std::size_t n = at.size(), k = static_cast<std::size_t>(table_.k);
    for (std::size_t i = 0; i < n; ++i) value[entries[i].y] += entries[i].weight;
    place_.resize(k);
    rows_.of_class.clear();
    for (std::size_t c = 0; c < k; ++c)
      if (value[c] > 0) {
        place_[c] = static_cast<std::int32_t>(rows_.of_class.size());
        rows_.of_class.push_back(value[c]);
      }
    pure_ = rows_.of_class.size() <= 1;
    if (rows_.label.size() < n) rows_.label.resize(n);
    for (std::size_t i = 0; i < n; ++i) rows_.label[i] = place_[static_cast<std::size_t>(entries[i].y)];
    const double mass = columns_.mass;
    double sum = 0;
    for (const double c : rows_.of_class) {
      if constexpr (std::is_same_v<Scan, GiniScan>) sum += c / mass * (1 - c / mass);
      else sum -= c / mass * portable_log(c / mass) * 1.4426950408889634;
    }
    return sum;
  }

  double summarise_numbers(const Open& at, const Entry* entries, double* value) {
    const std::size_t n = at.size();
    const double first = entries[0].y;
    double sum = 0;
    pure_ = true;
    for (std::size_t i = 0; i < n; ++i) {
      sum += entries[i].weight * (entries[i].y - first);
      pure_ = pure_ && entries[i].y == first;
    }
    const double mean = pure_ ? first : first + sum / columns_.mass;
    if (rows_.y.size() < columns_.stride) rows_.y.resize(columns_.stride);
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double distance = entries[i].y - mean;
      rows_.y[i] = distance;
      squares += entries[i].weight * distance * distance;
    }
    value[0] = mean;
    return squares / columns_.mass;
  }

  bool is_leaf(const Open& at) const {
    return pure_ || at.depth >= rule_.max_depth || n_samples_ < rule_.min_samples_split ||
           n_samples_ < 2 * rule_.min_samples_leaf;
  }

  // Looks for the best cut; the projections of the rows along it stay in best_projection_. Features that the first
  // draws left are drawn first; where no cut is found, until there are none.
  bool find(const Open& at) {
    best_ = {};
    Rng random(at.seed);
    std::size_t used = 0;
    for (std::size_t draw = 0; draw < rule_.n_draws || (!best_.found() && used < table_.d); ++draw) {
      if (used >= table_.d) used = 0;
      used = draw_features(at, used, random);
      if (columns_.features.empty()) continue;
      const Entry* entries = entries_.data() + at.begin;
      columns_.gather(table_.X, table_.d, [entries](std::size_t i) { return entries[i].row; });
      if (projection_.size() < columns_.stride) projection_.resize(columns_.stride);
      try_directions(random);
      if (rule_.split != ForestSplit::projection || !best_.found()) try_axes();
    }
    features_.restore();
    return best_.found();
  }

  // Draws features that vary at the node, behind the first `used`. Returns where it ended.
  std::size_t draw_features(const Open& at, std::size_t used, Rng& random) {
    const Entry* entries = entries_.data() + at.begin;
    return features_.draw(used, rule_.max_features, random, columns_.features, [&](std::uint32_t f) {
      const double first = table_.X[entries[0].row * table_.d + f];
      std::size_t i = 1;
      while (i < at.size() && table_.X[entries[i].row * table_.d + f] == first) ++i;
      return i < at.size();
    });
  }

  void try_directions(Rng& random) {
    if (rule_.split == ForestSplit::axis || columns_.m < 2) return;
    if (n_samples_ < kSamplesPerWeight * static_cast<double>(columns_.m)) return;
    columns_.measure();
    if (rule_.split == ForestSplit::projection) {
      for (std::size_t i = 0; i < columns_.m; ++i) {
        directions_.random_pair(columns_, random);
        take_directions();
      }
      return;
    }
    if constexpr (kClasses) {
      if (rows_.of_class.size() > 2) {
        directions_.canonical(columns_, rows_, rule_.l2);
      } else {
        target_.assign(columns_.stride, 0.0);
        for (std::size_t i = 0; i < columns_.n; ++i) target_[i] = static_cast<double>(rows_.label[i]);
        directions_.newton(columns_, target_.data(), rule_.l2, 0.25);
      }
    } else {
      std::fill(rows_.y.begin() + static_cast<std::ptrdiff_t>(columns_.n),
                rows_.y.begin() + static_cast<std::ptrdiff_t>(columns_.stride), 0.0);
      directions_.newton(columns_, rows_.y.data(), rule_.l2, 1.0);
    }
    take_directions();
  }
  void take_directions() {
    if (!directions_.found) return;
    const std::vector<double>& w = directions_.weights;
    columns_.project(w.data(), projection_.data());
    take(projection_.data(), columns_.features.data(), w.data(), columns_.m);
  }

  void try_axes() {
    constexpr double one = 1;
    for (std::size_t j = 0; j < columns_.m; ++j) take(columns_.raw(j), &columns_.features[j], &one, 1);
  }

  // Cuts along a direction, and keeps the cut if it is better than the best so far.
  void take(const double* projection, const std::uint32_t* features, const double* weights, std::size_t m) {
    ++tree_.n_evaluated;
    const ForestCut cut =
        scanner_.template best<Scan>(rows_, projection, columns_.weight.data(), samples_.data(), columns_.n,
                                     columns_.mass, {n_samples_, rule_.min_samples_leaf, min_weight_});
    if (!(cut.worth > best_.worth)) return;
    best_ = cut;
    best_features_.clear(), best_weights_.clear();
    for (std::size_t j = 0; j < m; ++j)
      if (weights[j] != 0) best_features_.push_back(features[j]), best_weights_.push_back(weights[j]);
    best_projection_.assign(projection, projection + columns_.n);
  }

  // Parts the entries of a node by its cut; returns where the right side begins.
  std::size_t part(const Open& at) {
    const double* projection = best_projection_.data();
    const double threshold = best_.threshold;
    return at.begin + partition(entries_.data() + at.begin, at.size(), spare_,
                                [=](std::size_t i) { return projection[i] <= threshold; });
  }

  ForestTable table_;
  ForestRule rule_;
  TreeBuilder tree_{1};
  std::vector<Entry> entries_, spare_;
  DrawnFeatures features_;
  NodeColumns columns_;
  NodeDirections directions_;
  CutScanner scanner_;
  std::conditional_t<kClasses, ClassRows, NumberRows> rows_;
  std::vector<std::int32_t> place_;
  std::vector<float> samples_;
  std::vector<double> projection_, best_projection_, target_;
  ForestCut best_;
  std::vector<std::uint32_t> best_features_;
  std::vector<double> best_weights_;
  double n_samples_ = 0, min_weight_ = 0;
  bool pure_ = false;
};

}  // namespace askew::ensemble
