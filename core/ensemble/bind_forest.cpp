// Growth of a forest: one call for many trees.
#include "bind.hpp"
#include "ensemble/bootstrap.hpp"
#include "ensemble/forest_growth.hpp"

namespace askew::ensemble {

using namespace numeric;
using namespace score;
using namespace tree;

namespace {

// What the trees of a forest learn from: keeps the arrays alive that `ForestTable` points into.
struct BoundForestTable {
  BoundTarget target;
  Matrix X;
  Vector<std::uint64_t> key;

  BoundForestTable(const BoundTarget& t, Matrix x, Vector<std::uint64_t> k) : target(t), X(x), key(k) {
    need_size(X, target.n_rows(), "X");
    need_size(key, target.n_rows(), "key");
  }
  ForestTable view() const {
    const Target t = target.view();
    return {X.data(), X.shape(0), X.shape(1), t.label, t.y, t.classification() ? t.k : 1};
  }
  const double* samples() const { return data_or_null(target.multiplicity); }
};

// The weight of each row in a tree: of all its samples, the drawn ones count. With `balanced`, each class weighs the
// same.
std::vector<double> tree_weights(const BoundForestTable& table, const std::vector<double>& drawn, bool balanced) {
  const Target target = table.target.view();
  std::vector<double> weight(drawn.size());
  std::vector<double> of_class(static_cast<std::size_t>(target.k), 0.0);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const auto row = static_cast<std::uint32_t>(i);
    weight[i] = target.weight_of(row) * drawn[i] / target.samples_of(row);
    if (balanced) of_class[static_cast<std::size_t>(target.label[i])] += weight[i];
  }
  if (!balanced) return weight;
  double present = 0, mass = 0;
  for (const double c : of_class) present += c > 0, mass += c;
  for (std::size_t i = 0; i < drawn.size(); ++i)
    if (weight[i] > 0) weight[i] *= mass / (present * of_class[static_cast<std::size_t>(target.label[i])]);
  return weight;
}

template <class Scan>
std::vector<GrownTree> grow_all(const BoundForestTable& table, const ForestRule& rule, const Sampling& sampling,
                                const Vector<std::uint64_t>& seeds, int threads, Interrupt& interrupt) {
  const std::size_t n_trees = seeds.shape(0), n = table.X.shape(0);
  std::vector<GrownTree> trees(n_trees);
  std::vector<std::optional<ForestGrower<Scan>>> growers(static_cast<std::size_t>(std::max(threads, 1)));
  std::atomic<std::size_t> done{0};
  parallel_for(n_trees, threads_for(threads, 100, n, n_trees), interrupt, [&](std::size_t t, std::size_t thread) {
    auto& grower = growers[thread];
    if (!grower) grower.emplace(table.view(), rule);
    const std::uint64_t seed = seeds.data()[t];
    const std::vector<double> drawn = sample_rows(sampling, table.key.data(), table.samples(), n, derive(seed, 0));
    const std::vector<double> weight = tree_weights(table, drawn, sampling.balanced && table.target.label);
    trees[t] = grower->grow(drawn.data(), weight.data(), derive(seed, 1),
                            [&] { interrupt.check(static_cast<double>(done.load()) / static_cast<double>(n_trees)); });
    ++done;
  });
  return trees;
}

// How often each row is drawn for the tree of each seed (trees x rows).
nb::object draw_samples(Vector<std::uint64_t> key, Vector<double> samples, Vector<std::uint64_t> seeds,
                        const Sampling& sampling, int threads) {
  const std::size_t n = key.shape(0), n_trees = seeds.shape(0);
  need_size(samples, n, "samples");
  std::vector<double> all(n * n_trees);
  Interrupt interrupt(heartbeat(nb::none()));
  unlocked([&] {
    parallel_for(n_trees, threads_for(threads, 10, n, n_trees), interrupt, [&](std::size_t t, std::size_t) {
      const auto drawn = sample_rows(sampling, key.data(), samples.data(), n, derive(seeds.data()[t], 0));
      std::copy(drawn.begin(), drawn.end(), all.begin() + static_cast<std::ptrdiff_t>(t * n));
    });
  });
  return to_numpy(std::move(all), n);
}

nb::list grow_forest(const BoundForestTable& table, Vector<std::uint64_t> seeds, const Criterion& criterion,
                     const ForestRule& rule, const Sampling& sampling, int threads, nb::object progress) {
  Interrupt interrupt(heartbeat(progress));
  std::vector<GrownTree> trees = unlocked([&] {
    if (!table.target.label) return grow_all<SquaredScan>(table, rule, sampling, seeds, threads, interrupt);
    if (criterion.kind == Kind::gini) return grow_all<GiniScan>(table, rule, sampling, seeds, threads, interrupt);
    return grow_all<EntropyScan>(table, rule, sampling, seeds, threads, interrupt);
  });
  nb::list grown;
  for (GrownTree& tree : trees) grown.append(nb::cast(std::move(tree)));
  return grown;
}

}  // namespace

void bind_forest(nb::module_& m) {
  nb::class_<BoundForestTable>(m, "ForestTable")
      .def(nb::init<const BoundTarget&, Matrix, Vector<std::uint64_t>>(), nb::kw_only(), nb::arg("target"),
           nb::arg("X"), nb::arg("key"));
  bind_rules(m, "Sampling", std::pair{"replace", &Sampling::replace}, std::pair{"share", &Sampling::share},
             std::pair{"balanced", &Sampling::balanced});
  nb::enum_<ForestSplit>(m, "ForestSplit")
      .value("newton", ForestSplit::newton)
      .value("projection", ForestSplit::projection)
      .value("axis", ForestSplit::axis);
  bind_rules(m, "ForestRule", std::pair{"split", &ForestRule::split},
             std::pair{"max_features", &ForestRule::max_features}, std::pair{"n_draws", &ForestRule::n_draws},
             std::pair{"l2", &ForestRule::l2}, std::pair{"max_depth", &ForestRule::max_depth},
             std::pair{"min_samples_split", &ForestRule::min_samples_split},
             std::pair{"min_samples_leaf", &ForestRule::min_samples_leaf},
             std::pair{"min_weight_fraction", &ForestRule::min_weight_fraction});
  m.def("draw_samples", &draw_samples, nb::arg("key"), nb::arg("samples"), nb::arg("seeds"), nb::arg("sampling"),
        nb::arg("threads"));
  m.def("grow_forest", &grow_forest, nb::arg("table"), nb::arg("seeds"), nb::kw_only(), nb::arg("criterion"),
        nb::arg("rule"), nb::arg("sampling"), nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace askew::ensemble
