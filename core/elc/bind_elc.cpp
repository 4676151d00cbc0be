// CART-ELC's search at one node: by the sweep, and plane by plane with a tolerance.
#include "bind.hpp"
#include "elc/elc_search.hpp"
#include "elc/placed_plane.hpp"
#include "elc/tolerance_search.hpp"
#include "score/node_data.hpp"

namespace askew::elc {

using namespace numeric;
using namespace score;

namespace {

// The plane that a search has found: none if the candidate has no score.
struct Found {
  Candidate best;
  SampledPlane plane;
  std::size_t n_evaluated = 0;
  double threshold = -kInfinity;  // if it parts the rows as `plane` does, it is taken
  LeafLimits leaf;
};

// The rows and features of the node, numbered from 0.
struct LocalRows {
  LocalRows(const BoundNode& node, const Vector<std::int64_t>& features_)
      : X(node.X.data()), d(node.X.shape(1)), rows(node.rows.data()), features(features_.data()), n(node.rows.shape(0)),
        n_features(features_.shape(0)), data(node.target(), X, d, rows, n, features, n_features, Scaling::none) {}
  double at(std::size_t j, std::size_t f) const { return X[rows[j] * d + static_cast<std::size_t>(features[f])]; }

  // Equal rows are one point if `merge` says so.
  ExactTable exact(bool merge) const {
    return ExactTable([&](std::size_t j, std::size_t f) { return at(j, f); }, n, n_features, merge);
  }
  // The weighted sums of all rows, added up as the tree's walker does; NaN where a feature of the test is missing, even
  // if its weight is zero.
  std::vector<double> projected(const ExactTable& table, const Found& found) const {
    std::vector<double> sums(n, 0.0);
    const auto& weights = found.plane.weights;
    for (std::size_t f = 0; f < weights.size(); ++f)
      if (weights[f] != 0)
        for (std::size_t j = 0; j < n; ++j) sums[j] += weights[f] * at(j, f);
    for (std::uint32_t u = 0; u < table.n; ++u)
      if (table.lacks(u, found.best.features))
        for (const auto row : table.members[u]) sums[row] = std::numeric_limits<double>::quiet_NaN();
    return sums;
  }

  const double* X;
  std::size_t d;
  const std::uint32_t* rows;
  const std::int64_t* features;
  std::size_t n, n_features;
  NodeData data;
};

// The plane as a test of the tree, in the rows of the node.
struct ElcPlane : FoundPlane {
  std::vector<std::uint32_t> samples, features;  // rows of the node that define the plane, and its features
  bool flipped = false;                          // turned against the canonical orientation
  bool exact = true;                             // the rows are parted as counted
};

std::optional<ElcPlane> answer(const Criterion& criterion, const LocalRows& local, const ExactTable& table,
                               const Found& found, bool half_way) {
  ElcPlane plane;
  plane.weights = found.plane.weights, plane.features = found.best.features, plane.flipped = found.best.flipped;
  plane.n_evaluated = found.n_evaluated;
  unlocked([&] {
    std::vector<bool> left(local.n);
    for (std::size_t u = 0; u < table.n; ++u)
      for (const auto row : table.members[u]) left[row] = found.plane.left[u];
    const std::vector<double> projected = local.projected(table, found);
    with_sides(criterion, local.data.local, [&](auto type, const auto& c) {
      using Sides = typename decltype(type)::type;
      const Sides sides(c, local.data.local, local.data.local.everyone().data(), local.n);
      const PlacedPlane<Sides> placed(projected, left, found.best.score, half_way, found.threshold, sides,
                                      local.data.local, found.leaf);
      plane.threshold = placed.threshold, plane.score = placed.score, plane.exact = placed.exact;
    });
    for (const auto u : found.best.fixed) plane.samples.push_back(table.members[u][0]);
    plane.samples.push_back(found.best.last);
  });
  if (!(plane.score < kInfinity)) return std::nullopt;
  return plane;
}

// By the sweep.
Found sweep_planes(const Criterion& criterion, const LocalRows& local, const ExactTable& table, ExhaustiveRules rules,
                   const Budget& budget, const BoundNode& node, Interrupt& interrupt) {
  Found found;
  with_tally(criterion, local.data.local, table.members, [&](const auto& tally, const Masses& masses) {
    found.leaf = rules.leaf = masses.limits(node.min_samples_leaf, node.min_weight_leaf);
    SearchResult result = ExhaustiveSearch(table, tally, rules, node.threads, interrupt).run(budget);
    found.best = std::move(result.best), found.n_evaluated = result.n_evaluated;
  });
  if (found.best.score < kInfinity) found.plane = plane_of(table, found.best);
  return found;
}

// Plane by plane, with a tolerance.
Found try_planes(const Criterion& criterion, const LocalRows& local, const ExactTable& table, ExhaustiveRules rules,
                 const BoundNode& node, Interrupt& interrupt) {
  Found found;
  with_tally(criterion, local.data.local, table.members, [&]<class Tally>(const Tally& tally, const Masses& masses) {
    if constexpr (Tally::batched) {
      throw std::invalid_argument("side_tol does not support a criterion that is a Python function");
    } else {
      rules.leaf = masses.limits(node.min_samples_leaf, node.min_weight_leaf);
      ToleranceSearch<Tally> search(table, tally, rules, *rules.side_tol, interrupt);
      search.run();
      found = {search.best(), search.plane(), search.n_evaluated(), search.threshold(), rules.leaf};
    }
  });
  return found;
}

// None if there is no such plane. With a tolerance, every plane is tried on every sample, without a budget.
std::optional<ElcPlane> exhaustive(const Criterion& criterion, const BoundNode& node, ExhaustiveRules rules,
                                   Vector<std::int64_t> features, std::uint64_t units, double seconds,
                                   std::uint64_t seed, nb::object progress) {
  need_below(features, node.X.shape(1), "features");
  if (rules.r < 1 || rules.r > features.shape(0))
    throw std::invalid_argument("'r' must be from 1 to the number of features, " + std::to_string(features.shape(0)) +
                                ", got " + std::to_string(rules.r));
  if (node.rows.shape(0) == 0) return std::nullopt;
  rules.eigen = rules.eigen && rules.r == 2;
  Interrupt interrupt(heartbeat(progress));
  const LocalRows local = unlocked([&] { return LocalRows(node, features); });
  const ExactTable table = unlocked([&] { return local.exact(!rules.side_tol); });
  const Found found = unlocked([&] {
    if (rules.side_tol) return try_planes(criterion, local, table, rules, node, interrupt);
    return sweep_planes(criterion, local, table, rules, {units, seconds, seed}, node, interrupt);
  });
  if (!(found.best.score < kInfinity)) return std::nullopt;
  return answer(criterion, local, table, found, rules.half_way && !rules.side_tol);
}

}  // namespace

void bind_elc(nb::module_& m) {
  bind_rules(m, "ExhaustiveRules", std::pair{"r", &ExhaustiveRules::r}, std::pair{"both", &ExhaustiveRules::both},
             std::pair{"eigen", &ExhaustiveRules::eigen}, std::pair{"half_way", &ExhaustiveRules::half_way},
             std::pair{"side_tol", &ExhaustiveRules::side_tol});
  nb::class_<ElcPlane, FoundPlane> plane(m, "ElcPlane");
  bind_field(plane, "samples", &ElcPlane::samples);
  bind_field(plane, "features", &ElcPlane::features);
  plane.def_ro("flipped", &ElcPlane::flipped).def_ro("exact", &ElcPlane::exact);
  m.def("exhaustive", &exhaustive, nb::arg("criterion"), nb::arg("node"), nb::arg("rules"), nb::kw_only(),
        nb::arg("features"), nb::arg("units"), nb::arg("seconds"), nb::arg("seed"), nb::arg("progress").none());
}

}  // namespace askew::elc
