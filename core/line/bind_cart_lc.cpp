// CART-LC's search at one node.
#include "bind.hpp"
#include "line/cart_lc.hpp"
#include "score/node_data.hpp"

namespace askew::line {

using namespace numeric;
using namespace score;

namespace {

// None if there is no such plane.
std::optional<FoundPlane> cart_lc(const Criterion& criterion, const BoundNode& bound, const CycleRules& rules,
                                  Vector<std::int64_t> features, Vector<double> start) {
  need_plane(bound, features, start);
  Interrupt interrupt(heartbeat(nb::none()));
  FoundPlane found;
  unlocked([&] {
    NodeData node(bound.target(), bound.X.data(), bound.X.shape(1), bound.rows.data(), bound.rows.shape(0),
                  features.data(), features.shape(0), rules.scaling);
    node.local.forget_absent_classes(criterion.kind);
    with_sides(criterion, node.local, [&](auto type, const auto& c) {
      using Sides = typename decltype(type)::type;
      const Sides sides(c, node.local, node.local.everyone().data(), node.matrix.n);
      LineSearch<Sides> line(sides, node.local, node.matrix.n, bound.leaf());
      Cycles<Sides> cycles(line, node.matrix, rules, interrupt);
      const auto a = cycles.run(node.scaled(start.data()));
      found = node.raw(a, cycles.score(), line);
      found.n_evaluated = cycles.n_evaluated();
    });
  });
  if (!found.ok) return std::nullopt;
  return found;
}

}  // namespace

void bind_cart_lc(nb::module_& m) {
  bind_rules(m, "CycleRules", std::pair{"scaling", &CycleRules::scaling}, std::pair{"epsilon", &CycleRules::epsilon},
             std::pair{"max_cycles", &CycleRules::max_cycles}, std::pair{"keep_best", &CycleRules::keep_best},
             std::pair{"beta", &CycleRules::beta});
  m.def("cart_lc", &cart_lc, nb::arg("criterion"), nb::arg("node"), nb::arg("rules"), nb::kw_only(),
        nb::arg("features"), nb::arg("start"));
}

}  // namespace askew::line
