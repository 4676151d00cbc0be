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
  LocalRows(const BoundTarget& bound, const Matrix& X_, const Vector<std::uint32_t>& rows_,
            const Vector<std::int64_t>& features_)
      : X(X_.data()), d(X_.shape(1)), rows(rows_.data()), features(features_.data()), n(rows_.shape(0)),
        n_features(features_.shape(0)), data(bound.view(), X, d, rows, n, features, n_features, Scaling::none) {}
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
nb::object answer(const Criterion& criterion, const LocalRows& local, const ExactTable& table, const Found& found,
                  bool half_way) {
  double threshold = 0, score = kInfinity;
  bool exact = true;
  std::vector<std::uint32_t> samples;
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
      threshold = placed.threshold, score = placed.score, exact = placed.exact;
    });
    for (const auto u : found.best.fixed) samples.push_back(table.members[u][0]);
    samples.push_back(found.best.last);
  });
  if (!(score < kInfinity)) return nb::none();
  return nb::make_tuple(to_numpy(std::vector<double>(found.plane.weights)), threshold, score, found.n_evaluated,
                        to_numpy(std::move(samples)), to_numpy(std::vector<std::uint32_t>(found.best.features)),
                        found.best.flipped, exact);
}

void need_search(const BoundTarget& target, const Matrix& X, const Vector<std::uint32_t>& rows,
                 const Vector<std::int64_t>& features, std::size_t r) {
  need_size(X, target.n_rows(), "X");
  need_below(rows, X.shape(0), "rows");
  need_below(features, X.shape(1), "features");
  if (r < 1 || r > features.shape(0))
    throw std::invalid_argument("'r' must be from 1 to the number of features, " + std::to_string(features.shape(0)) +
                                ", got " + std::to_string(r));
}

// (weights of the features taken, threshold, score, hyperplanes looked at, rows of the node that define the plane,
// its features, whether it is turned against the canonical orientation, whether the rows are parted as counted), or
// None if there is no such plane.
nb::object exhaustive(const Criterion& criterion, const BoundTarget& target, Matrix X, Vector<std::uint32_t> rows,
                      Vector<std::int64_t> features, std::size_t r, bool both, bool eigen, bool half_way,
                      double min_samples_leaf, double min_weight_leaf, std::uint64_t units, double seconds,
                      std::uint64_t seed, int threads, nb::object progress) {
  need_search(target, X, rows, features, r);
  if (rows.shape(0) == 0) return nb::none();
  Interrupt interrupt(heartbeat(progress));
  const LocalRows local = unlocked([&] { return LocalRows(target, X, rows, features); });
  const ExactTable table = unlocked([&] { return local.exact(true); });
  Found found;
  unlocked([&] {
    with_tally(criterion, local.data.local, table.members, [&](const auto& tally, const Masses& masses) {
      found.leaf = masses.limits(min_samples_leaf, min_weight_leaf);
      const ExhaustiveRules rules{r, both, eigen && r == 2, found.leaf};
      SearchResult result = ExhaustiveSearch(table, tally, rules, threads, interrupt).run({units, seconds, seed});
      found.best = std::move(result.best), found.n_evaluated = result.n_evaluated;
    });
    if (found.best.score < kInfinity) found.plane = plane_of(table, found.best);
  });
  return found.best.score < kInfinity ? answer(criterion, local, table, found, half_way) : nb::none();
}

// The same with a tolerance: samples no further from a plane count as on it.
nb::object exhaustive_with_tolerance(const Criterion& criterion, const BoundTarget& target, Matrix X,
                                     Vector<std::uint32_t> rows, Vector<std::int64_t> features, std::size_t r,
                                     bool both, bool eigen, double side_tol, double min_samples_leaf,
                                     double min_weight_leaf, nb::object progress) {
  need_search(target, X, rows, features, r);
  if (rows.shape(0) == 0) return nb::none();
  Interrupt interrupt(heartbeat(progress));
  const LocalRows local = unlocked([&] { return LocalRows(target, X, rows, features); });
  const ExactTable table = unlocked([&] { return local.exact(false); });
  Found found;
  unlocked([&] {
    with_tally(criterion, local.data.local, table.members, [&]<class Tally>(const Tally& tally, const Masses& masses) {
      found.leaf = masses.limits(min_samples_leaf, min_weight_leaf);
      if constexpr (Tally::batched) {
        throw std::invalid_argument("side_tol does not support a criterion that is a Python function");
      } else {
        const ExhaustiveRules rules{r, both, eigen && r == 2, found.leaf};
        ToleranceSearch<Tally> search(table, tally, rules, side_tol, interrupt);
        search.run();
        found = {search.best(), search.plane(), search.n_evaluated(), search.threshold(), found.leaf};
      }
    });
  });
  return found.best.score < kInfinity ? answer(criterion, local, table, found, false) : nb::none();
}

}  // namespace

void bind_elc(nb::module_& m) {
  m.def("exhaustive", &exhaustive, nb::arg("criterion"), nb::arg("target"), nb::kw_only(), nb::arg("X"),
        nb::arg("rows"), nb::arg("features"), nb::arg("r"), nb::arg("both"), nb::arg("eigen"), nb::arg("half_way"),
        nb::arg("min_samples_leaf"), nb::arg("min_weight_leaf"), nb::arg("units"), nb::arg("seconds"), nb::arg("seed"),
        nb::arg("threads"), nb::arg("progress").none());
  m.def("exhaustive_with_tolerance", &exhaustive_with_tolerance, nb::arg("criterion"), nb::arg("target"), nb::kw_only(),
        nb::arg("X"), nb::arg("rows"), nb::arg("features"), nb::arg("r"), nb::arg("both"), nb::arg("eigen"),
        nb::arg("side_tol"), nb::arg("min_samples_leaf"), nb::arg("min_weight_leaf"), nb::arg("progress").none());
}

}  // namespace askew::elc
