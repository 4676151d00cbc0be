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

// An infinite score if there is no plane.
FoundPlane anneal(const Criterion& criterion, const BoundNode& bound, const AnnealRules& rules,
                  Vector<std::int64_t> features, std::uint64_t seed) {
  need_below(features, bound.X.shape(1), "features");
  Interrupt interrupt(heartbeat(nb::none()));
  FoundPlane found;
  std::size_t n_evaluated = 0;
  unlocked([&] {
    const Target target = bound.target();
    std::vector<std::uint32_t> ordered(bound.rows.data(), bound.rows.data() + bound.rows.shape(0));
    if (target.label)
      std::stable_sort(ordered.begin(), ordered.end(),
                       [&](auto a, auto b) { return target.label[a] < target.label[b]; });
    const NodeData node(target, bound.X.data(), bound.X.shape(1), ordered.data(), ordered.size(), features.data(),
                        features.shape(0), rules.scaling);
    LeafLimits leaf{std::max(bound.min_samples_leaf, 1.0), 0, bound.min_weight_leaf, 0};
    for (const auto row : node.local.everyone())
      leaf.n_samples += node.local.samples_of(row), leaf.weight += node.local.weight_of(row);
    with_sides(criterion, node.local, [&]<class Type, class C>(Type, const C& c) {
      using Sides = typename Type::type;
      typename ScorerOf<Sides>::type scorer(c, node.local, node.matrix.n, leaf);
      Annealed best = Annealing(scorer, node.matrix, node.local, rules, interrupt).run(seed);
      n_evaluated = best.n_evaluated;
      if (!std::isfinite(best.score)) return;
      if (rules.centre) node.centre(best.a);
      BestConstant<Sides, C> constant{c, node, leaf, interrupt};
      found = node.raw(best.a, best.score, constant);
    });
  });
  if (!found.ok) found.score = kInfinity;
  found.n_evaluated = n_evaluated;
  return found;
}

}  // namespace

void bind_sadt(nb::module_& m) {
  bind_rules(m, "AnnealRules", std::pair{"scaling", &AnnealRules::scaling}, std::pair{"all", &AnnealRules::all},
             std::pair{"step", &AnnealRules::step}, std::pair{"temperature", &AnnealRules::temperature},
             std::pair{"n_probes", &AnnealRules::n_probes}, std::pair{"cooling", &AnnealRules::cooling},
             std::pair{"max_unproductive", &AnnealRules::max_unproductive}, std::pair{"centre", &AnnealRules::centre});
  m.def("anneal", &anneal, nb::arg("criterion"), nb::arg("node"), nb::arg("rules"), nb::kw_only(), nb::arg("features"),
        nb::arg("seed"));
}

}  // namespace askew::line
