// Interventional Shapley values of rows against background rows, over the trees of a model. For `askew.shapley`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "explain/exact_values.hpp"
#include "explain/game.hpp"
#include "explain/sampled_values.hpp"
#include "numeric/parallel.hpp"
#include "numeric/rng.hpp"

namespace askew::explain {

using namespace numeric;

struct ShapleyRules {
  std::uint64_t most;  // players placed in one game; with more it is sampled
  std::size_t pairs;   // pairs of permutations of a game that is sampled; 0: all games are exact
  std::uint64_t seed;
};

struct ShapleyFound {
  std::vector<double> value, variance;  // rows x players x outputs
  std::vector<std::int64_t> sampled;    // games of each row that were sampled
};

// The background is divided into blocks, whose sums are added in their order: the same values for every number of
// threads.
inline ShapleyFound shapley(const ExplainedTrees& trees, const std::uint32_t* root, std::size_t n_trees,
                            const Players& players, const double* X, std::size_t n, const double* Z, std::size_t n_z,
                            std::size_t d, const ShapleyRules& rules, int threads, Interrupt& interrupt) {
  constexpr std::size_t kBlocks = 8;
  const std::size_t blocks = std::min(kBlocks, n_z), width = players.n * trees.outputs;
  std::vector<double> value(n * blocks * width), variance(n * blocks * width);
  std::vector<std::int64_t> sampled(n * blocks);
  struct Worker {
    Game game;
    ExactValues exact;
    SampledValues sample;
    std::vector<double> own;
  };
  std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for(n * blocks, threads, interrupt, [&](std::size_t task, std::size_t thread) {
    if (!workers[thread])
      workers[thread] = std::make_unique<Worker>(Worker{Game(trees, players, d), {}, {}, std::vector<double>(width)});
    Worker& worker = *workers[thread];
    const std::size_t row = task / blocks, block = task % blocks;
    const auto beat = [&] { interrupt.check(static_cast<double>(task) / static_cast<double>(n * blocks)); };
    for (std::size_t z = block * n_z / blocks; z < (block + 1) * n_z / blocks; ++z)
      for (std::size_t t = 0; t < n_trees; ++t) {
        beat();
        worker.game.start(X + row * d, Z + z * d);
        std::fill(worker.own.begin(), worker.own.end(), 0.0);
        double* to = value.data() + task * width;
        if (worker.exact.add(worker.game, root[t], rules.most, worker.own.data(), beat)) {
          for (std::size_t i = 0; i < width; ++i) to[i] += worker.own[i];
          continue;
        }
        ++sampled[task];
        const std::uint64_t seed = derive(derive(derive(rules.seed, row), z), t);
        worker.sample.add(worker.game, root[t], rules.pairs, seed, to, variance.data() + task * width, beat);
      }
  });
  ShapleyFound found{std::vector<double>(n * width), std::vector<double>(n * width), std::vector<std::int64_t>(n)};
  const double scale = static_cast<double>(n_z);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t from = (row * blocks + block) * width;
      found.sampled[row] += sampled[row * blocks + block];
      for (std::size_t i = 0; i < width; ++i) {
        found.value[row * width + i] += value[from + i] / scale;
        found.variance[row * width + i] += variance[from + i] / scale / scale;
      }
    }
  return found;
}

}  // namespace askew::explain
