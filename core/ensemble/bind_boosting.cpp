// One stage of boosting: a tree for each output.
#include "bind.hpp"
#include "ensemble/boost_growth.hpp"

namespace askew::ensemble {

using namespace numeric;
using namespace tree;

namespace {

using Codes = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Keeps the arrays alive that `BinnedTable` points into.
struct BoundBinned {
  Matrix X;
  Codes codes;
  Vector<std::int64_t> edge_start;
  Vector<double> edges;
  std::optional<Vector<std::int8_t>> monotonic;

  BoundBinned(Matrix x, Codes c, Vector<std::int64_t> s, Vector<double> e, std::optional<Vector<std::int8_t>> m)
      : X(x), codes(c), edge_start(s), edges(e), monotonic(m) {
    need_size(codes, X.shape(1), "codes");
    if (codes.shape(1) != X.shape(0)) throw std::invalid_argument("'codes' must have a column for each row of X");
    need_size(edge_start, X.shape(1) + 1, "edge_start");
    need_size(edges, static_cast<std::size_t>(edge_start.data()[X.shape(1)]), "edges");
    if (monotonic) need_size(*monotonic, X.shape(1), "monotonic");
    for (std::size_t f = 0; f < X.shape(1); ++f) {
      const std::int64_t n = edge_start.data()[f + 1] - edge_start.data()[f];
      const std::uint8_t* of = codes.data() + f * X.shape(0);
      if (n < 0 || n >= static_cast<std::int64_t>(kBins) ||
          std::any_of(of, of + X.shape(0), [n](std::uint8_t code) { return code > n; }))
        throw std::invalid_argument("'codes' must not be above the number of edges, which must be below 256");
    }
  }
  BinnedTable view() const {
    return {X.data(), X.shape(0), X.shape(1), codes.data(), edge_start.data(), edges.data(), data_or_null(monotonic)};
  }
};

// A tree for each row of `gradient`; and the leaf of each row that is drawn, -1 for others (outputs x rows).
nb::tuple grow_stage(const BoundBinned& table, Matrix gradient, Matrix hessian, Vector<double> samples,
                     const BoostRule& rule, std::uint64_t seed, int threads) {
  const std::size_t k = gradient.shape(0), n = table.X.shape(0);
  need_size(hessian, k, "hessian");
  if (gradient.shape(1) != n || hessian.shape(1) != n)
    throw std::invalid_argument("'gradient' must have a column a row of X");
  need_size(samples, n, "samples");
  std::vector<GrownTree> trees(k);
  std::vector<std::int64_t> leaf(k * n, -1);
  Interrupt interrupt(heartbeat(nb::none()));
  unlocked([&] {
    const auto grow = [&](std::size_t c, int own_threads) {
      BoostGrower grower(table.view(), rule, own_threads, interrupt);
      trees[c] = grower.grow(gradient.data() + c * n, hessian.data() + c * n, samples.data(), derive(seed, c),
                             leaf.data() + c * n);
    };
    if (k == 1) return grow(0, threads);
    parallel_for(k, threads_for(threads, 20, n, k), interrupt, [&](std::size_t c, std::size_t) { grow(c, 1); });
  });
  nb::list grown;
  for (GrownTree& tree : trees) grown.append(nb::cast(std::move(tree)));
  return nb::make_tuple(grown, to_numpy(std::move(leaf), n));
}

}  // namespace

void bind_boosting(nb::module_& m) {
  nb::class_<BoundBinned>(m, "BinnedTable")
      .def(nb::init<Matrix, Codes, Vector<std::int64_t>, Vector<double>, std::optional<Vector<std::int8_t>>>(),
           nb::kw_only(), nb::arg("X"), nb::arg("codes"), nb::arg("edge_start"), nb::arg("edges"),
           nb::arg("monotonic").none());
  bind_rules(m, "BoostRule", std::pair{"n_planes", &BoostRule::n_planes},
             std::pair{"max_features", &BoostRule::max_features}, std::pair{"max_leaves", &BoostRule::max_leaves},
             std::pair{"max_depth", &BoostRule::max_depth}, std::pair{"min_samples_leaf", &BoostRule::min_samples_leaf},
             std::pair{"l2", &BoostRule::l2}, std::pair{"plane_l2", &BoostRule::plane_l2},
             std::pair{"shrinkage", &BoostRule::shrinkage});
  m.def("grow_stage", &grow_stage, nb::arg("table"), nb::arg("gradient"), nb::arg("hessian"), nb::arg("samples"),
        nb::arg("rule"), nb::kw_only(), nb::arg("seed"), nb::arg("threads"));
}

}  // namespace askew::ensemble
