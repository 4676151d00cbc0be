// Scores of splits from counts, whatever counted them (CE-DT's planes, histograms of CART).
#include "base/bind.hpp"
#include "score/count_scores.hpp"

namespace askew {
namespace {

nb::object score_of_counts(const Criterion& criterion, Matrix sides, Vector<double> all, bool classification,
                           double min_samples_leaf, double min_weight_leaf, bool as_sweep) {
  const std::size_t width = sides.shape(1);
  const CountShape shape{classification ? static_cast<int>(width / 2) : 3, classification};
  if (width != shape.width()) throw std::invalid_argument("these are not counts of this kind of target");
  need_size(all, width, "all");
  std::vector<double> scores(sides.shape(0));
  unlocked([&] {
    with_criterion(criterion, [&]<class C>(const C& c) {
      if constexpr (std::is_same_v<C, AbsoluteError>) throw std::invalid_argument("absolute_error has no counts");
      else {
        score_counts(c, shape, sides.data(), scores.size(), all.data(), {min_samples_leaf, min_weight_leaf},
                     scores.data());
        const ScoreGrid grid = as_sweep ? sweep_grid<C>(all.data()) : ScoreGrid();
        for (double& score : scores) score = grid.round(score);
      }
    });
  });
  return to_numpy(std::move(scores));
}

// The impurity of a node with these counts, as the tree records it.
double impurity_of_counts(const Criterion& criterion, Vector<double> counts, bool classification) {
  if (!classification) need_size(counts, 3, "counts");
  return unlocked([&] {
    return with_criterion(criterion, [&]<class C>(const C& c) -> double {
      if constexpr (std::is_same_v<C, AbsoluteError>) throw std::invalid_argument("absolute_error has no counts");
      else return std::max(0.0, node_impurity(c, counts.data(), static_cast<int>(counts.shape(0)), classification));
    });
  });
}

}  // namespace

void bind_counts(nb::module_& m) {
  m.def("score_counts", &score_of_counts, nb::arg("criterion"), nb::arg("sides"), nb::arg("all"), nb::kw_only(),
        nb::arg("classification"), nb::arg("min_samples_leaf") = 1.0, nb::arg("min_weight_leaf") = 0.0,
        nb::arg("as_sweep") = false);
  m.def("impurity_of_counts", &impurity_of_counts, nb::arg("criterion"), nb::arg("counts"), nb::kw_only(),
        nb::arg("classification"));
}

}  // namespace askew
