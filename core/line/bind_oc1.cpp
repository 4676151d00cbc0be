// OC1's search at one node, and its inner problem by itself.
#include "bind.hpp"
#include "line/oc1_climb.hpp"
#include "score/node_data.hpp"

namespace askew::line {

using namespace numeric;
using namespace score;

namespace {

// How many scaled numbers of a node are kept in memory. What a search holds is to stay below the size of the table;
// besides the columns it holds about eight numbers a row.
std::size_t numbers_to_keep(const Matrix& X) {
  const auto width = static_cast<double>(X.shape(1));
  return static_cast<std::size_t>(std::max(0.95 * width - 8, 0.5 * width) * static_cast<double>(X.shape(0)));
}

// None if there is no such plane. At least `n_kept` numbers are kept.
std::optional<FoundPlane> oc1(const Criterion& criterion, const BoundNode& bound, ClimbRules rules,
                              Vector<std::int64_t> features, Vector<double> start, double axis_score,
                              std::uint64_t seed, std::size_t n_kept, nb::object progress) {
  need_plane(bound, features, start);
  if (rules.n_restarts == 0) throw std::invalid_argument("'n_restarts' must be at least 1");
  rules.axis_score = axis_score;
  Interrupt interrupt(heartbeat(progress));
  FoundPlane found;
  unlocked([&] {
    NodeData node(bound.target(), bound.X.data(), bound.X.shape(1), bound.rows.data(), bound.rows.shape(0),
                  features.data(), features.shape(0), rules.scaling, std::max(n_kept, numbers_to_keep(bound.X)),
                  bound.threads, interrupt);
    node.local.forget_absent_classes(criterion.kind);
    with_sides(criterion, node.local, [&](auto type, const auto& c) {
      using Sides = typename decltype(type)::type;
      const Sides sides(c, node.local, node.local.everyone().data(), node.matrix.n);
      const auto inside = node.scaled(start.data());
      Plane best = climb_all(sides, node.local, node.matrix, rules, inside, rules.n_restarts, bound.leaf(), seed,
                             bound.threads, interrupt);
      LineSearch<Sides> line(sides, node.local, node.matrix.n, bound.leaf());
      if (rules.centre) node.centre(best.a);
      found = node.raw(best.a, best.score, line);
      found.n_evaluated = best.n_evaluated;
    });
  });
  if (!found.ok) return std::nullopt;
  return found;
}

// (t, score): how far to move along V + t s for the best split; the score is infinite if there is none.
nb::tuple line_search(const Criterion& criterion, const BoundTarget& bound, Vector<double> V, Vector<double> s,
                      double min_samples_leaf, double min_weight_leaf) {
  const Target target = bound.view();
  const std::size_t n = bound.label ? bound.label->shape(0) : bound.y->shape(0);
  if (n == 0 || V.shape(0) != n || s.shape(0) != n)
    throw std::invalid_argument("V and s need a value for each of the " + std::to_string(n) + " rows, got " +
                                std::to_string(V.shape(0)) + " and " + std::to_string(s.shape(0)));
  const auto large = [](double v) { return !(std::abs(v) < LineSearch<CountSides<Gini>>::kLargest); };
  if (std::any_of(V.data(), V.data() + n, large) || std::any_of(s.data(), s.data() + n, large))
    throw std::invalid_argument("V and s must be below 1e150 in size");
  const LineCut move = unlocked([&] {
    return with_sides(criterion, target, [&](auto type, const auto& c) {
      using Sides = typename decltype(type)::type;
      std::vector<std::uint32_t> everyone(n);
      std::iota(everyone.begin(), everyone.end(), 0u);
      const LeafLimits leaf{.min_samples = min_samples_leaf, .min_weight = min_weight_leaf};
      return LineSearch<Sides>(Sides(c, target, everyone.data(), n), target, n, leaf).best(V.data(), s.data());
    });
  });
  return nb::make_tuple(move.t, move.score);
}

}  // namespace

void bind_oc1(nb::module_& m) {
  constexpr std::size_t kNumbers = 5'000'000;  // 40 MB
  nb::enum_<Order>(m, "Order")
      .value("sequential", Order::sequential)
      .value("best", Order::best)
      .value("random", Order::random);
  bind_rules(m, "ClimbRules", std::pair{"scaling", &ClimbRules::scaling},
             std::pair{"n_restarts", &ClimbRules::n_restarts}, std::pair{"order", &ClimbRules::order},
             std::pair{"n_random_moves", &ClimbRules::n_random_moves}, std::pair{"n_jumps", &ClimbRules::n_jumps},
             std::pair{"exponential", &ClimbRules::exponential}, std::pair{"max_stagnant", &ClimbRules::max_stagnant},
             std::pair{"perturb_bias", &ClimbRules::perturb_bias}, std::pair{"max_loss", &ClimbRules::max_loss},
             std::pair{"centre", &ClimbRules::centre});
  m.def("oc1", &oc1, nb::arg("criterion"), nb::arg("node"), nb::arg("rules"), nb::kw_only(), nb::arg("features"),
        nb::arg("start"), nb::arg("axis_score"), nb::arg("seed"), nb::arg("n_kept") = kNumbers,
        nb::arg("progress").none() = nb::none());
  m.def("line_search", &line_search, nb::arg("criterion"), nb::arg("target"), nb::arg("V"), nb::arg("s"), nb::kw_only(),
        nb::arg("min_samples_leaf") = 1.0, nb::arg("min_weight_leaf") = 0.0);
}

}  // namespace askew::line
