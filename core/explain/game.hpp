// The game of Shapley values: one row x against one background row z, in one tree. Players are features: in a coalition
// they have their value of x, outside that of z. For `askew.shapley`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tree/leaf_outputs.hpp"
#include "tree/tree_walk.hpp"

namespace askew::explain {

using namespace tree;

// The columns of each player, ragged: player p has the columns column[start[p]] to column[start[p + 1]].
struct Players {
  std::size_t n;
  const std::int64_t *start, *column;
  const std::int64_t* of;  // the player of each column
};

// Trees that lie in the same arrays, and what their leaves predict.
struct ExplainedTrees {
  TreeView tree;
  const double* value;  // nodes x outputs
  std::size_t outputs;
  const LeafModels*
      models;  // of the leaves; null without any. Then outputs may be one less than theirs: shares of classes
};

enum Place : std::uint8_t { kFree = 0, kIn = 1, kOut = 2 };

// What a player changes at a node: the least and the most that its part of the sum can be, by its place: free, in (with
// the values of x), out (with those of z). Looked up, since no processor predicts where players are.
struct Effect {
  double low[3], high[3];
  std::uint32_t player;

  Effect(std::uint32_t p, double of_x, double of_z)
      : low{std::min(of_x, of_z), of_x, of_z}, high{std::max(of_x, of_z), of_x, of_z}, player(p) {}
  double of_x() const { return low[kIn]; }
  double of_z() const { return low[kOut]; }
  double size() const {
    const double difference = std::abs(of_x() - of_z());
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
};

// Where the players stand, and what the nodes make of it.
class Game {
 public:
  Game(const ExplainedTrees& trees, const Players& players, std::size_t n_columns)
      : trees_(trees), players_(players), place(players.n), row(n_columns), prepared_(trees.tree.n_nodes),
        differs_(players.n), slot_(players.n), output_(trees.models ? trees.models->outputs : 0) {}

  void start(const double* x, const double* z) {
    x_ = x, z_ = z;
    ++number_;
    effects_.clear();
    nodes_.clear();
    std::fill(place.begin(), place.end(), kFree);
    std::copy_n(z, row.size(), row.begin());
    for (std::size_t p = 0; p < players_.n; ++p) {
      bool same = true;
      for_columns(p, [&](std::size_t c) { same = same && (x[c] == z[c] || (std::isnan(x[c]) && std::isnan(z[c]))); });
      differs_[p] = !same;
    }
  }

  void put(std::size_t player, Place where) {
    place[player] = where;
    if (where != kFree) for_columns(player, [&](std::size_t c) { row[c] = where == kIn ? x_[c] : z_[c]; });
  }

  // A node, as it is in this game.
  struct Node {
    std::size_t begin, end;  // its effects, the largest first
    double fixed;            // the part of the sum that no player changes
    double tolerance;        // sums closer to the threshold than this are computed as `route` does
  };
  const Node& node(std::size_t at) {
    if (prepared_[at].game != number_) prepare(at);
    return nodes_[prepared_[at].node];
  }
  const Effect* effects(const Node& n) const { return effects_.data() + n.begin; }

  // The interval that the sum of a hyperplane lies in, whatever the players do that are free.
  struct Range {
    double low, high;
    void put(const Effect& e, Place where) {
      low += e.low[where] - e.low[kFree];
      high += e.high[where] - e.high[kFree];
    }
  };
  Range range(const Node& n) const {
    Range r{n.fixed, n.fixed}, odd{0, 0};  // two sums at a time: an addition waits for the one before
    std::size_t i = n.begin;
    for (; i + 1 < n.end; i += 2) {
      const Effect &e = effects_[i], &f = effects_[i + 1];
      r.low += e.low[place[e.player]], odd.low += f.low[place[f.player]];
      r.high += e.high[place[e.player]], odd.high += f.high[place[f.player]];
    }
    if (i < n.end)
      r.low += effects_[i].low[place[effects_[i].player]], r.high += effects_[i].high[place[effects_[i].player]];
    r.low += odd.low, r.high += odd.high;
    return r;
  }

  // The first effect, from `from` on, of a player that is free; `n.end - n.begin` if there is none.
  std::size_t next_free(const Node& n, std::size_t from) const {
    for (std::size_t i = n.begin + from; i < n.end; ++i)
      if (place[effects_[i].player] == kFree) return i - n.begin;
    return n.end - n.begin;
  }

  static constexpr std::size_t kUndecided = static_cast<std::size_t>(-1);
  // The child that every row of the interval goes to; kUndecided if there is no such child, or it is too close to tell.
  std::size_t decided(std::size_t at, const Node& n, const Range& r) const {
    const double threshold = trees_.tree.threshold[at];
    if (r.high < threshold - n.tolerance) return 0;
    return r.low > threshold + n.tolerance ? 1 : kUndecided;
  }

  // The same for a linear machine, by the lead of the sum that is largest now over each of the others.
  std::size_t decided_machine(std::size_t at) const {
    const SplitView split = trees_.tree.split(at);
    const std::size_t m = split.n_features, winner = route(split, row.data());
    const double* own = split.weights + winner * (m + 1);
    for (std::size_t other = 0; other < split.n_children; ++other) {
      const double* weights = split.weights + other * (m + 1);
      double lead = own[m] - weights[m], size = std::abs(own[m]) + std::abs(weights[m]);
      for (std::size_t j = 0; j < m; ++j) {
        const auto c = static_cast<std::size_t>(split.features[j]);
        const auto player = static_cast<std::size_t>(players_.of[c]);
        const bool open = differs_[player] && place[player] == kFree;
        const double by = own[j] - weights[j], x = by * x_[c], z = by * z_[c];
        lead += open ? std::min(x, z) : by * row[c];
        size += std::max(std::abs(x), std::abs(z));
      }
      const double tolerance = 4 * std::numeric_limits<double>::epsilon() * static_cast<double>(m + 4) * size;
      if (other != winner && !(lead > tolerance)) return kUndecided;
    }
    return winner;
  }

  // The child of a node all of whose players are placed. The row is walked as predictions are.
  std::size_t routed(std::size_t at) const { return route(trees_.tree.split(at), row.data()); }

  // The child that a node sends the row to, whatever the free players do; kUndecided if that depends on them.
  std::size_t only_child(std::size_t at) {
    const Node& here = node(at);
    if (is_plane(at)) return decided(at, here, range(here));
    if (here.begin == here.end) return routed(at);
    return is_machine(at) ? decided_machine(at) : kUndecided;
  }

  bool is_machine(std::size_t at) const { return trees_.tree.kind[at] == kLinearMachine; }
  double threshold(std::size_t at) const { return trees_.tree.threshold[at]; }
  std::size_t n_children(std::size_t at) const { return static_cast<std::size_t>(trees_.tree.n_children[at]); }
  bool is_plane(std::size_t at) const { return trees_.tree.kind[at] == kHyperplane; }
  bool is_leaf(std::size_t at) const { return trees_.tree.kind[at] == kLeaf; }
  std::size_t child(std::size_t at, std::size_t number) const {
    return static_cast<std::size_t>(trees_.tree.first_child[at]) + number;
  }

  // What a leaf predicts for the row, all of whose players are placed that its model knows.
  const double* prediction(std::size_t leaf) {
    if (!has_model(leaf)) return trees_.value + leaf * trees_.outputs;
    leaf_output(*trees_.models, leaf, row.data(), output_.data());
    double mass = 0;
    for (const double one : output_) mass += one;
    for (double& one : output_) one /= output_.size() > 1 ? mass : 1.0;
    return output_.data();
  }
  bool has_model(std::size_t leaf) const {
    return trees_.models && trees_.models->start[leaf] < trees_.models->start[leaf + 1];
  }
  std::size_t outputs() const { return trees_.outputs; }
  std::size_t n_players() const { return players_.n; }

 private:
  template <class Visit>
  void for_columns(std::size_t player, Visit visit) const {
    for (std::int64_t i = players_.start[player]; i < players_.start[player + 1]; ++i)
      visit(static_cast<std::size_t>(players_.column[i]));
  }

  void prepare(std::size_t at) {
    Node made{effects_.size(), 0, 0.0, 0.0};
    const SplitView split = trees_.tree.split(at);
    if (split.kind == kHyperplane) {
      for (std::size_t j = 0; j < split.n_features; ++j) add(made, split.features[j], split.weights[j]);
      double size = std::abs(made.fixed) + std::abs(split.threshold);
      for (std::size_t i = made.begin; i < effects_.size(); ++i)
        size += std::max(std::abs(effects_[i].of_x()), std::abs(effects_[i].of_z()));
      // Sums of the same terms in another order differ by less.
      made.tolerance = 4 * std::numeric_limits<double>::epsilon() * static_cast<double>(split.n_features + 4) * size;
    } else if (split.kind == kLeaf) {
      const auto from = trees_.models->start[at], to = trees_.models->start[at + 1];
      for (auto t = from; t < to; ++t) {
        const double* weights = trees_.models->weight + static_cast<std::size_t>(t) * trees_.models->outputs;
        add(made, trees_.models->feature[t], widest(weights, trees_.models->outputs, 1));
      }
    } else if (split.kind == kLinearMachine) {
      for (std::size_t j = 0; j < split.n_features; ++j)
        add(made, split.features[j], widest(split.weights + j, split.n_children, split.n_features + 1));
    } else if (route(split, x_) != route(split, z_)) {
      add(made, split.features[0], 1.0);
    }
    for (std::size_t i = made.begin; i < effects_.size(); ++i) {
      slot_[effects_[i].player] = 0;
      if (effects_[i].of_x() == effects_[i].of_z()) made.fixed += effects_[i].of_x();  // two categories of equal weight
    }
    const auto begin = effects_.begin() + static_cast<std::ptrdiff_t>(made.begin);
    effects_.erase(std::remove_if(begin, effects_.end(), [](const Effect& e) { return e.of_x() == e.of_z(); }),
                   effects_.end());
    std::sort(effects_.begin() + static_cast<std::ptrdiff_t>(made.begin), effects_.end(),
              [](const Effect& a, const Effect& b) {
                return a.size() != b.size() ? a.size() > b.size() : a.player < b.player;
              });
    made.end = effects_.size();
    prepared_[at] = {number_, nodes_.size()};
    nodes_.push_back(made);
  }

  // Adds what a column contributes; the columns of a player have one effect together.
  void add(Node& made, std::int64_t feature, double weight) {
    const auto c = static_cast<std::size_t>(feature);
    const auto player = static_cast<std::size_t>(players_.of[c]);
    if (!differs_[player]) {
      made.fixed += weight * x_[c];
      return;
    }
    if (slot_[player] == 0) {
      effects_.emplace_back(static_cast<std::uint32_t>(player), weight * x_[c], weight * z_[c]);
      slot_[player] = effects_.size();
      return;
    }
    Effect& e = effects_[slot_[player] - 1];
    e = Effect(e.player, e.of_x() + weight * x_[c], e.of_z() + weight * z_[c]);
  }

  // How far apart the weights of several sums are: what orders the players where sums are compared with each other.
  static double widest(const double* weights, std::size_t n, std::size_t step) {
    double low = n > 1 ? weights[0] : 0.0, high = low;
    for (std::size_t i = 0; i < n; ++i)
      low = std::min(low, weights[i * step]), high = std::max(high, weights[i * step]);
    return high - low;
  }

  struct Prepared {
    std::uint64_t game = 0;
    std::size_t node = 0;
  };
  const ExplainedTrees& trees_;
  const Players& players_;

 public:
  std::vector<Place> place;
  std::vector<double> row;  // the values of the players that are placed; those of z for the others

 private:
  const double *x_ = nullptr, *z_ = nullptr;
  std::uint64_t number_ = 0;
  std::vector<Prepared> prepared_;
  std::vector<std::uint8_t> differs_;
  std::vector<std::size_t> slot_;
  std::vector<Effect> effects_;
  std::vector<Node> nodes_;
  std::vector<double> output_;
};

}  // namespace askew::explain
