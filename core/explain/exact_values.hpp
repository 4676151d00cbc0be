// Exact Shapley values of a game: players are placed one after the other, at each node the one that matters most, until
// the others cannot change the way of the row any more. A leaf that is reached with a players in and b out is reached
// by all coalitions that contain the a and none of the b; of its value each of the a gets (a-1)! b! / (a+b)!, and each
// of the b loses a! (b-1)! / (a+b)!. In a tree of axis-parallel tests this is interventional TreeSHAP. For
// `askew.shapley`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explain/game.hpp"

namespace askew::explain {

class ExactValues {
 public:
  // Adds the values of the players to `values` (players x outputs), and returns true; false if more than `most` players
  // would have to be placed, counted again on every way to it: `values` is meaningless then. `beat` is called now and
  // then, and may throw.
  template <class Beat>
  bool add(Game& game, std::size_t root, std::uint64_t most, double* values, Beat beat) {
    const std::size_t k = game.outputs();
    found_.assign(2 * k, 0.0);
    frames_.clear();
    saved_.clear();
    Position at{root, {}, false, {0, 0, 0.0, 0.0}};
    for (std::uint64_t branches = 0;;) {
      if (!walk(game, at)) {  // a player has to be placed
        if (++branches > most) {
          for (const Frame& frame : frames_) game.put(frame.player, kFree);
          return false;
        }
        if (branches % 65536 == 0) beat();
        place(game, kIn, at);
        if (saved_.size() < frames_.size() * 2 * k) saved_.resize(frames_.size() * 4 * k);
        continue;
      }
      for (;;) {  // what is below has been added up in found_: in the first half for players in, in the second for out
        if (frames_.empty()) return true;
        Frame& top = frames_.back();
        double* own = values + top.player * k;
        double* before = saved_.data() + (frames_.size() - 1) * 2 * k;
        if (!top.second) {
          for (std::size_t c = 0; c < k; ++c) own[c] += found_[c];
          std::copy(found_.begin(), found_.end(), before);
          at = top.at;
          top.second = true;
          settle(game, top, kOut, at);
          break;
        }
        for (std::size_t c = 0; c < k; ++c) own[c] -= found_[k + c];
        for (std::size_t c = 0; c < 2 * k; ++c) found_[c] += before[c];
        game.put(top.player, kFree);
        frames_.pop_back();
      }
    }
  }

 private:
  // How many players are in and out, and what each of them has of a leaf's value.
  struct Shares {
    std::uint32_t in, out;
    double of_in, of_out;
    Shares with(Place where) const {
      const double n = static_cast<double>(in + out + 1);
      if (where == kIn) return {in + 1, out, in == 0 ? 1 / n : of_in * in / n, of_out * (in + 1) / n};
      return {in, out + 1, of_in * (out + 1) / n, out == 0 ? 1 / n : of_out * out / n};
    }
  };
  struct Position {
    std::size_t node;
    Game::Range range;
    bool ranged;  // whether `range` is that of the node
    Shares shares;
    std::size_t next = 0;  // the effects before this have players that are placed
  };
  struct Frame {
    Position at;
    std::size_t player;
    bool second;  // whether the player is out by now
  };

  // Follows the row to a leaf, and returns true with what it adds; false at a node where a free player matters.
  bool walk(Game& game, Position& at) {
    for (;;) {
      const bool leaf = game.is_leaf(at.node);
      if (leaf && !game.has_model(at.node)) return arrive(game, at);
      const Game::Node& node = game.node(at.node);
      std::size_t child = Game::kUndecided;
      if (game.is_plane(at.node)) {
        if (!at.ranged) at.range = game.range(node), at.ranged = true;
        child = game.decided(at.node, node, at.range);
      } else if (game.is_machine(at.node)) {
        child = game.decided_machine(at.node);
      }
      if (child == Game::kUndecided) {
        at.next = game.next_free(node, at.next);
        if (at.next < node.end - node.begin) return false;
        if (leaf) return arrive(game, at);
        child = game.routed(at.node);
      }
      at = {game.child(at.node, child), {}, false, at.shares};
    }
  }

  bool arrive(Game& game, const Position& at) {
    const double* value = game.prediction(at.node);
    const std::size_t k = game.outputs();
    for (std::size_t c = 0; c < k; ++c) {
      found_[c] = value[c] * at.shares.of_in;
      found_[k + c] = value[c] * at.shares.of_out;
    }
    return true;
  }

  void place(Game& game, Place where, Position& at) {
    frames_.push_back({at, game.effects(game.node(at.node))[at.next].player, false});
    settle(game, frames_.back(), where, at);
  }
  static void settle(Game& game, const Frame& frame, Place where, Position& at) {
    game.put(frame.player, where);
    if (at.ranged) at.range.put(game.effects(game.node(at.node))[at.next], where);
    at.shares = at.shares.with(where);
    ++at.next;
  }

  std::vector<Frame> frames_;
  std::vector<double> saved_, found_;
};

}  // namespace askew::explain
