// CART-ELC's search at one node: by the sweep, and by brute force.
#include "base/bind.hpp"
#include "base/node_data.hpp"
#include "elc/brute_force.hpp"
#include "elc/elc_search.hpp"

namespace askew {
namespace {

struct Answer {
  std::vector<double> weights;
  double threshold = 0, score = kInfinity;
  std::size_t looked_at = 0;
  std::vector<std::uint32_t> rows;        // of the samples that the plane goes through
  std::vector<std::uint32_t> features;
  bool flipped = false, exact = true;
};

// The rows of the node, numbered 0..n-1.
struct LocalRows {
  LocalRows(const BoundTarget& bound, const Matrix& X_, const Vector<std::uint32_t>& rows_,
            const Vector<std::int64_t>& features_)
      : X(X_.data()), d(X_.shape(1)), rows(rows_.data()), features(features_.data()), n(rows_.shape(0)),
        data(bound.view(), X, d, rows, n, features, features_.shape(0), Scaling::none) {}
  double at(std::size_t j, std::size_t f) const { return X[rows[j] * d + static_cast<std::size_t>(features[f])]; }

  const double* X;
  std::size_t d;
  const std::uint32_t* rows;
  const std::int64_t* features;
  std::size_t n;
  NodeData data;
};

template <class Find>
nb::object search(const Criterion& criterion, const BoundTarget& bound, const Matrix& X,
                  const Vector<std::uint32_t>& rows, const Vector<std::int64_t>& features, std::size_t r, bool merge,
                  bool half_way, Find find) {
  Answer answer;
  unlocked([&] {
    const LocalRows local(bound, X, rows, features);
    const Lattice lattice([&](std::size_t j, std::size_t f) { return local.at(j, f); }, local.n, features.shape(0), merge);
    SampledPlane plane;
    double wanted = -kInfinity;
    LeafLimits leaf;
    const Candidate best = find(local.data.local, lattice, answer, plane, wanted, leaf);
    if (!(best.score < kInfinity)) return;
    std::vector<bool> left(local.n);
    for (std::size_t u = 0; u < lattice.n; ++u)
      for (const auto row : lattice.members[u]) left[row] = plane.left[u];
    std::vector<double> projected(local.n, 0.0);  // as the tree's walker sums it
    for (std::size_t f = 0; f < plane.weights.size(); ++f)
      if (plane.weights[f] != 0)
        for (std::size_t j = 0; j < local.n; ++j) projected[j] += plane.weights[f] * local.at(j, f);
    const auto tested = subsets(lattice.d, r)[best.subset];
    for (std::uint32_t u = 0; u < lattice.n; ++u)
      if (lattice.lacks(u, tested))  // of a feature whose weight is zero, too
        for (const auto row : lattice.members[u]) projected[row] = std::numeric_limits<double>::quiet_NaN();
    with_sides(criterion, local.data.local, [&](auto type, const auto& c) {
      using Sides = typename decltype(type)::type;
      const Sides sides(c, local.data.local, local.data.everyone().data(), local.n);
      const PlacedPlane<Sides> placed(projected, left, best.score, half_way, wanted, sides, local.data.local, leaf);
      answer.threshold = placed.threshold, answer.score = placed.score, answer.exact = placed.exact;
    });
    answer.weights = plane.weights;
    for (const auto u : best.fixed) answer.rows.push_back(lattice.members[u][0]);
    answer.rows.push_back(best.last);
    for (const auto f : tested) answer.features.push_back(static_cast<std::uint32_t>(f));
    answer.flipped = best.flipped;
  });
  if (!(answer.score < kInfinity)) return nb::none();
  return nb::make_tuple(to_numpy(std::move(answer.weights)), answer.threshold, answer.score, answer.looked_at,
                        to_numpy(std::move(answer.rows)), to_numpy(std::move(answer.features)), answer.flipped,
                        answer.exact);
}

// (weights of the features taken, threshold, score, hyperplanes looked at, rows of the node that define the plane,
// its features, whether it is turned against the canonical orientation, whether the rows are parted as counted), or
// None if there is no such plane.
nb::object exhaustive(const Criterion& criterion, const BoundTarget& bound, Matrix X, Vector<std::uint32_t> rows,
                      Vector<std::int64_t> features, std::size_t r, bool both, bool eigen, bool half_way,
                      double min_samples_leaf, double min_weight_leaf, std::uint64_t units, double seconds, std::uint64_t seed, int threads,
                      nb::object progress) {
  Pulse pulse(heartbeat(progress));
  return search(criterion, bound, X, rows, features, r, true, half_way,
                [&](const Target& target, const Lattice& lattice, Answer& answer, SampledPlane& plane, double&,
                    LeafLimits& leaf) {
                  SearchResult found;
                  with_tally(criterion, target, lattice.members, [&](const auto& tally, const Masses& masses) {
                    leaf = masses.limits(min_samples_leaf, min_weight_leaf);
                    const ExhaustiveRules rules{r, both, eigen && r == 2, leaf};
                    found = ExhaustiveSearch(lattice, tally, rules, threads, pulse).run({units, seconds, seed});
                  });
                  answer.looked_at = found.looked_at;
                  if (found.best.score < kInfinity) plane = plane_of(lattice, r, found.best);
                  return found.best;
                });
}

// The same by brute force; `side_tol` below 0 decides the sides exactly.
nb::object exhaustive_brute(const Criterion& criterion, const BoundTarget& bound, Matrix X, Vector<std::uint32_t> rows,
                            Vector<std::int64_t> features, std::size_t r, bool both, bool eigen, double side_tol,
                            double min_samples_leaf, double min_weight_leaf) {
  Pulse pulse(heartbeat(nb::none()));
  return search(criterion, bound, X, rows, features, r, false, false,
                [&](const Target& target, const Lattice& lattice, Answer& answer, SampledPlane& plane, double& wanted,
                    LeafLimits& leaf) {
                  Candidate best;
                  with_tally(criterion, target, lattice.members, [&](const auto& tally, const Masses& masses) {
                    leaf = masses.limits(min_samples_leaf, min_weight_leaf);
                    const ExhaustiveRules rules{r, both, eigen && r == 2, leaf};
                    if constexpr (std::decay_t<decltype(tally)>::batched) {
                      throw std::invalid_argument("brute force takes no criterion that is a Python function");
                    } else {
                      BruteForce search(lattice, tally, rules, side_tol, pulse);
                      search.run();
                      best = search.best();
                      answer.looked_at = search.looked_at();
                      if (!(best.score < kInfinity)) return;
                      if (side_tol < 0) {
                        plane = plane_of(lattice, r, best);
                      } else {
                        plane = {search.best_weights(), search.best_left()};
                        wanted = search.best_threshold();
                      }
                    }
                  });
                  return best;
                });
}

}  // namespace

void bind_elc(nb::module_& m) {
  m.def("exhaustive", &exhaustive, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("exhaustive_brute", &exhaustive_brute);
}

}  // namespace askew
