// CART-LC's search at one node.
#include "bind.hpp"
#include "line/cart_lc.hpp"
#include "score/node_data.hpp"

namespace askew::line {

using namespace numeric;
using namespace score;

namespace {

// (weights of every feature, threshold, score, hyperplanes looked at), or None if there is no such plane.
nb::object cart_lc(const Criterion& criterion, const BoundNode& bound, Vector<std::int64_t> features, int scaling,
                   Vector<double> start, Vector<double> gammas, double epsilon, std::size_t max_cycles, bool keep_best,
                   double beta) {
  need_plane(bound, features, start);
  const CycleRules rules{{gammas.data(), gammas.data() + gammas.shape(0)}, epsilon, max_cycles, keep_best, beta};
  Interrupt interrupt(heartbeat(nb::none()));
  NodeData::Raw raw;
  std::size_t n_evaluated = 0;
  unlocked([&] {
    NodeData node(bound.target(), bound.X.data(), bound.X.shape(1), bound.rows.data(), bound.rows.shape(0),
                  features.data(), features.shape(0), static_cast<Scaling>(scaling));
    node.local.forget_absent_classes(criterion.kind);
    with_sides(criterion, node.local, [&](auto type, const auto& c) {
      using Sides = typename decltype(type)::type;
      const Sides sides(c, node.local, node.local.everyone().data(), node.matrix.n);
      LineSearch<Sides> line(sides, node.local, node.matrix.n, bound.leaf());
      Cycles<Sides> cycles(line, node.matrix, rules, interrupt);
      const auto a = cycles.run(node.scaled(start.data()));
      raw = node.raw(a, cycles.score(), line);
      n_evaluated = cycles.n_evaluated();
    });
  });
  if (!raw.ok) return nb::none();
  return nb::make_tuple(to_numpy(std::move(raw.weights)), raw.threshold, raw.score, n_evaluated);
}

}  // namespace

void bind_cart_lc(nb::module_& m) {
  m.def("cart_lc", &cart_lc, nb::arg("criterion"), nb::arg("node"), nb::kw_only(), nb::arg("features"),
        nb::arg("scaling"), nb::arg("start"), nb::arg("gammas"), nb::arg("epsilon"), nb::arg("max_cycles"),
        nb::arg("keep_best"), nb::arg("beta"));
}

}  // namespace askew::line
