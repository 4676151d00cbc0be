// Shapley values of a game by random permutations of the players, each followed by its reverse (antithetic), with the
// variance of the mean. Sums at the nodes change by what one player changes. For `askew.shapley`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "explain/game.hpp"
#include "numeric/rng.hpp"

namespace askew::explain {

using namespace numeric;

class SampledValues {
 public:
  // Adds the mean over `pairs` of permutations to `values` (players x outputs), and its variance to `variances`.
  // `beat` is as in ExactValues.
  template <class Beat>
  void add(Game& game, std::size_t root, std::size_t pairs, std::uint64_t seed, double* values, double* variances,
           Beat beat) {
    gather(game, root);
    const std::size_t k = game.outputs(), m = players_.size();
    mean_.assign(m * k, 0.0);
    squares_.assign(m * k, 0.0);
    order_.resize(m);
    for (std::size_t i = 0; i < m; ++i) order_[i] = static_cast<std::uint32_t>(i);
    Rng rng(seed);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      if (pair % 16 == 0) beat();
      for (std::size_t i = m; i > 1; --i) std::swap(order_[i - 1], order_[rng.below(i)]);
      gain_.assign(m * k, 0.0);
      follow(game);
      std::reverse(order_.begin(), order_.end());
      follow(game);
      for (std::size_t i = 0; i < m * k; ++i) {  // Welford
        const double one = gain_[i] / 2, from = one - mean_[i];
        mean_[i] += from / static_cast<double>(pair + 1);
        squares_[i] += from * (one - mean_[i]);
      }
    }
    const double n = static_cast<double>(pairs);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t c = 0; c < k; ++c) {
        values[players_[i] * k + c] += mean_[i * k + c];
        variances[players_[i] * k + c] += pairs > 1 ? squares_[i * k + c] / (n - 1) / n : 0.0;
      }
  }

 private:
  struct Change {
    std::uint32_t plane;
    double by;
  };
  struct Plane {
    double start, sum;  // with all players out, and now
    double tolerance;   // as in Game::Node
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  // A node where the way of the row depends on the players, or a leaf; what lies between them is left out.
  struct Stop {
    std::size_t node;
    std::size_t plane = kNone;
    std::size_t first = 0;  // ways_[first + child] is the stop that a child leads to
  };

  // Finds the nodes that some coalition reaches and that may send it to one child or another, and the players that
  // matter.
  void gather(Game& game, std::size_t root) {
    planes_.clear();
    players_.clear();
    stops_.assign(1, {.node = after(game, root)});
    ways_.clear();
    changes_.assign(game.n_players(), {});
    std::vector<std::uint8_t> matters(game.n_players());
    for (std::size_t s = 0; s < stops_.size(); ++s) {  // grows while it is gone through
      const std::size_t node = stops_[s].node;
      if (game.is_leaf(node) && !game.has_model(node)) continue;
      const Game::Node here = game.node(node);
      const Effect* effects = game.effects(here);
      for (std::size_t i = 0; i < here.end - here.begin; ++i) matters[effects[i].player] = 1;
      if (game.is_leaf(node)) continue;
      if (game.is_plane(node)) add_plane(s, here, effects);
      stops_[s].first = ways_.size();
      for (std::size_t c = 0; c < game.n_children(node); ++c) {
        ways_.push_back(stops_.size());
        stops_.push_back({.node = after(game, game.child(node, c))});
      }
    }
    for (std::size_t p = 0; p < matters.size(); ++p)
      if (matters[p]) players_.push_back(p);
  }

  void add_plane(std::size_t stop, const Game::Node& here, const Effect* effects) {
    const std::size_t n = here.end - here.begin;
    double sum = here.fixed;
    for (std::size_t i = 0; i < n; ++i) {
      const Effect& e = effects[i];
      sum += e.of_z();
      changes_[e.player].push_back({static_cast<std::uint32_t>(planes_.size()), e.of_x() - e.of_z()});
    }
    stops_[stop].plane = planes_.size();
    // Sums drift while players come in; they start from zero with every permutation.
    planes_.push_back({sum, sum, here.tolerance * static_cast<double>(n + 4)});
  }

  // The first node, from this one on, that is a leaf or may send the row to one child or another.
  static std::size_t after(Game& game, std::size_t node) {
    while (!game.is_leaf(node)) {
      const std::size_t child = game.only_child(node);
      if (child == Game::kUndecided) break;
      node = game.child(node, child);
    }
    return node;
  }

  // Lets the players in, one after the other, and adds what each changes.
  void follow(Game& game) {
    const std::size_t k = game.outputs();
    for (const std::size_t p : players_) game.put(p, kOut);
    for (Plane& plane : planes_) plane.sum = plane.start;
    before_.assign(k, 0.0);
    std::copy_n(game.prediction(leaf(game)), k, before_.begin());
    for (const std::uint32_t i : order_) {
      const std::size_t p = players_[i];
      game.put(p, kIn);
      for (const Change& change : changes_[p]) planes_[change.plane].sum += change.by;
      const double* now = game.prediction(leaf(game));
      for (std::size_t c = 0; c < k; ++c) gain_[i * k + c] += now[c] - before_[c], before_[c] = now[c];
    }
  }

  std::size_t leaf(Game& game) const {
    std::size_t s = 0;
    while (!game.is_leaf(stops_[s].node)) {
      const Stop& stop = stops_[s];
      std::size_t child = Game::kUndecided;
      if (stop.plane != kNone) {
        const Plane& plane = planes_[stop.plane];
        const double above = plane.sum - game.threshold(stop.node);
        child = above < -plane.tolerance ? 0 : above > plane.tolerance ? 1 : Game::kUndecided;
      }
      s = ways_[stop.first + (child == Game::kUndecided ? game.routed(stop.node) : child)];
    }
    return stops_[s].node;
  }

  std::vector<std::size_t> players_;  // that matter
  std::vector<Stop> stops_;
  std::vector<std::size_t> ways_;
  std::vector<Plane> planes_;
  std::vector<std::vector<Change>> changes_;  // by player
  std::vector<std::uint32_t> order_;
  std::vector<double> mean_, squares_, gain_, before_;
};

}  // namespace askew::explain
