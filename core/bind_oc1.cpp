// OC1's search at one node.
#include "bind.hpp"
#include "node.hpp"
#include "perturb.hpp"

namespace askew {
namespace {

// (weights of the features taken, threshold, score, hyperplanes looked at), or None if there is no such plane.
nb::object oc1(const Criterion& criterion, const BoundTarget& bound, Matrix X, Vector<std::uint32_t> rows,
               Vector<std::int64_t> features, int scaling, Vector<double> start, int order, std::size_t n_random_moves,
               std::size_t n_restarts, std::size_t n_jumps, bool exponential, std::size_t max_stagnant,
               bool perturb_bias, double max_loss, double axis_score, bool centre, double min_samples_leaf, std::uint64_t seed, int threads) {
  const ClimbRules rules{static_cast<Order>(order), n_random_moves, n_jumps, exponential, max_stagnant, perturb_bias,
                         max_loss, axis_score};
  Pulse pulse(heartbeat(nb::none()));
  NodeData::Raw raw;
  double score = kInfinity;
  std::size_t looked_at = 0;
  unlocked([&] {
    const NodeData node(bound.view(), X.data(), X.shape(1), rows.data(), rows.shape(0), features.data(),
                        features.shape(0), static_cast<Scaling>(scaling));
    with_sides(criterion, node.local, [&](auto type, const auto& c) {
      using Sides = typename decltype(type)::type;
      const Sides sides(c, node.local, node.everyone.data(), node.matrix.n);
      const auto inside = node.scaled(start.data());
      Plane best =
          climb_all(sides, node.local, node.matrix, rules, inside, n_restarts, min_samples_leaf, seed, threads, pulse);
      LineSearch<Sides> line(sides, node.local, node.matrix.n, min_samples_leaf);
      if (centre) node.centre(best.a);
      raw = node.raw(best.a, line);
      score = best.score;
      looked_at = best.looked_at;
    });
  });
  if (!raw.ok) return nb::none();
  return nb::make_tuple(to_numpy(std::move(raw.weights)), raw.threshold, score, looked_at);
}

}  // namespace

void bind_oc1(nb::module_& m) { m.def("oc1", &oc1); }

}  // namespace askew
