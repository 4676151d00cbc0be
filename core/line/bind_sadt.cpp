// SADT's search at one node.
#include "bind.hpp"
#include "line/sadt_annealing.hpp"
#include "score/axis_cuts.hpp"
#include "score/node_data.hpp"

namespace askew::line {

using namespace numeric;
using namespace score;

namespace {

// The constant of a plane with given weights, put where the split is best.
template <class Sides, class C>
struct BestConstant {
  const C& criterion;
  const NodeData& node;
  const LeafLimits& leaf;
  Interrupt& interrupt;
  LineCut best(const double* V, const double*) {
    const AxisCut cut = best_axis_cut<Sides>(criterion, node.local, V, 1, node.local.everyone().data(), node.matrix.n,
                                             leaf.min_samples, 1, interrupt, leaf.min_weight);
    return {-cut.threshold, cut.score};
  }
};

template <class Sides>
struct ScorerOf;
template <class C>
struct ScorerOf<CountSides<C>> {
  using type = CountScorer<C>;
};
template <>
struct ScorerOf<MedianSides> {
  using type = MedianScorer;
};

// (weights of the features taken, threshold, score, hyperplanes looked at); an infinite score if there is no plane.
nb::tuple anneal(const Criterion& criterion, const BoundNode& bound, Vector<std::int64_t> features, int scaling,
                 bool all, double step, double temperature, std::size_t n_probes, double cooling,
                 std::size_t max_unproductive, bool centre, std::uint64_t seed) {
  need_below(features, bound.X.shape(1), "features");
  const AnnealRules rules{all, step, temperature, n_probes, cooling, max_unproductive};
  Interrupt interrupt(heartbeat(nb::none()));
  NodeData::Raw raw;
  std::size_t n_evaluated = 0;
  unlocked([&] {
    const Target target = bound.target();
    std::vector<std::uint32_t> ordered(bound.rows.data(), bound.rows.data() + bound.rows.shape(0));
    if (target.label)
      std::stable_sort(ordered.begin(), ordered.end(),
                       [&](auto a, auto b) { return target.label[a] < target.label[b]; });
    const NodeData node(target, bound.X.data(), bound.X.shape(1), ordered.data(), ordered.size(), features.data(),
                        features.shape(0), static_cast<Scaling>(scaling));
    LeafLimits leaf{std::max(bound.min_samples_leaf, 1.0), 0, bound.min_weight_leaf, 0};
    for (const auto row : node.local.everyone())
      leaf.n_samples += node.local.samples_of(row), leaf.weight += node.local.weight_of(row);
    with_sides(criterion, node.local, [&]<class Type, class C>(Type, const C& c) {
      using Sides = typename Type::type;
      typename ScorerOf<Sides>::type scorer(c, node.local, node.matrix.n, leaf);
      Annealed best = Annealing(scorer, node.matrix, node.local, rules, interrupt).run(seed);
      n_evaluated = best.n_evaluated;
      if (!std::isfinite(best.score)) return;
      if (centre) node.centre(best.a);
      BestConstant<Sides, C> constant{c, node, leaf, interrupt};
      raw = node.raw(best.a, best.score, constant);
    });
  });
  if (!raw.ok) raw.score = kInfinity;
  return nb::make_tuple(to_numpy(std::move(raw.weights)), raw.threshold, raw.score, n_evaluated);
}

}  // namespace

void bind_sadt(nb::module_& m) {
  m.def("anneal", &anneal, nb::arg("criterion"), nb::arg("node"), nb::kw_only(), nb::arg("features"),
        nb::arg("scaling"), nb::arg("all"), nb::arg("step"), nb::arg("temperature"), nb::arg("n_probes"),
        nb::arg("cooling"), nb::arg("max_unproductive"), nb::arg("centre"), nb::arg("seed"));
}

}  // namespace askew::line
