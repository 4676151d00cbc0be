// Criteria, targets, nodes, the scales of columns, and scores of splits from rows or from counts.
#include <map>
#include <string>

#include "bind.hpp"
#include "score/column_scales.hpp"
#include "score/count_scores.hpp"
#include "score/criterion.hpp"
#include "score/node_data.hpp"
#include "score/summary.hpp"
#include "score/sweep.hpp"

namespace askew::score {

using namespace numeric;

namespace {

// --- criteria

Criterion named_criterion(const std::string& name) {
  static const std::map<std::string, Kind> kinds{{"gini", Kind::gini},
                                                 {"entropy", Kind::entropy},
                                                 {"twoing", Kind::twoing},
                                                 {"gain_ratio", Kind::gain_ratio},
                                                 {"sum_minority", Kind::sum_minority},
                                                 {"max_minority", Kind::max_minority},
                                                 {"sum_of_variances", Kind::sum_of_variances},
                                                 {"squared_error", Kind::squared_error},
                                                 {"absolute_error", Kind::absolute_error}};
  Criterion c;
  c.kind = kinds.at(name);
  return c;
}

Criterion pointer_criterion(std::uintptr_t function, std::uintptr_t data) {
  Criterion c;
  c.kind = Kind::pointer;
  c.pointer = reinterpret_cast<PointerFunction>(function);
  c.data = reinterpret_cast<void*>(data);
  return c;
}

Criterion batch_criterion(nb::object function) {
  Criterion c;
  c.kind = Kind::batch;
  c.batch = [function](const double* left, const double* right, std::size_t m, int k, double* scores) {
    const Locked gil;
    const auto matrix = [&](const double* counts) {
      return nb::ndarray<nb::numpy, const double>(counts, {m, static_cast<std::size_t>(k)}).cast(nb::rv_policy::copy);
    };
    const auto result = nb::cast<Vector<double>>(function(matrix(left), matrix(right)));
    need_size(result, m, "scores");
    std::copy_n(result.data(), m, scores);
  };
  return c;
}

double score(const Criterion& criterion, Matrix children) {
  std::vector<const double*> counts;
  for (std::size_t i = 0; i < children.shape(0); ++i) counts.push_back(children.data() + i * children.shape(1));
  const int m = static_cast<int>(counts.size()), k = static_cast<int>(children.shape(1));
  if (k < (criterion.kind == Kind::squared_error ? 3 : 1))
    throw std::invalid_argument("'children' must have a column for each class, or the three moments");
  return unlocked([&] {
    return with_criterion(criterion, [&]<class C>(const C& c) -> double {
      if constexpr (std::is_same_v<C, AbsoluteError>) throw std::invalid_argument("absolute_error has no counts");
      else return score_children(c, counts.data(), m, k);
    });
  });
}

// --- targets

nb::tuple summary(const Criterion& criterion, const BoundTarget& bound, Vector<std::uint32_t> rows) {
  need_below(rows, bound.n_rows(), "rows");
  Summary s = unlocked([&] {
    return with_sides(criterion, bound.view(), [&](auto type, const auto& c) {
      return summarise<typename decltype(type)::type>(c, bound.view(), rows.data(), rows.shape(0));
    });
  });
  return nb::make_tuple(to_numpy(std::move(s.value)), s.n_samples, s.mass, s.impurity, s.pure);
}

// Score of a split that is already routed: child 0 or 1 of each row.
double score_split(const Criterion& criterion, const BoundTarget& bound, Vector<std::uint32_t> rows,
                   Vector<std::int64_t> child) {
  need_below(rows, bound.n_rows(), "rows");
  need_size(child, rows.shape(0), "child");
  return unlocked([&] {
    return with_sides(criterion, bound.view(), [&](auto type, const auto& c) {
      typename decltype(type)::type sides(c, bound.view(), rows.data(), rows.shape(0));
      for (std::size_t i = 0; i < rows.shape(0); ++i)
        if (child.data()[i] == 0) sides.to_left(rows.data()[i]);
      return sides.score();
    });
  });
}

// --- counts, whatever counted them (CE-DT's planes, histograms of CART)

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

// --- columns

// Where each column lies on the rows, and how wide it is there: (shifts, scales).
nb::tuple measure_columns(const BoundTarget& bound, Matrix X, Vector<std::uint32_t> rows, Scaling scaling,
                          int threads) {
  need_size(X, bound.n_rows(), "X");
  need_below(rows, X.shape(0), "rows");
  Interrupt interrupt(heartbeat(nb::none()));
  const auto scales = unlocked([&] {
    return cedt_scales(bound.view(), X.data(), X.shape(1), rows.data(), rows.shape(0), scaling, threads, interrupt);
  });
  std::vector<double> shift, scale;
  for (const ColumnScale& s : scales) shift.push_back(s.shift), scale.push_back(s.scale);
  return nb::make_tuple(to_numpy(std::move(shift)), to_numpy(std::move(scale)));
}

// Places and widths that were measured elsewhere, made usable: (shifts, scales).
nb::tuple usable_scales(Vector<double> low, Vector<double> high, Vector<double> shift, Vector<double> scale) {
  const std::size_t d = low.shape(0);
  need_size(high, d, "high");
  need_size(shift, d, "shift");
  need_size(scale, d, "scale");
  std::vector<double> shifts, scales;
  for (std::size_t f = 0; f < d; ++f) {
    const ColumnScale s = usable({shift.data()[f], scale.data()[f]}, {low.data()[f], high.data()[f]});
    shifts.push_back(s.shift), scales.push_back(s.scale);
  }
  return nb::make_tuple(to_numpy(std::move(shifts)), to_numpy(std::move(scales)));
}

}  // namespace

void bind_score(nb::module_& m) {
  nb::class_<Criterion>(m, "Criterion")
      .def_static("named", &named_criterion, nb::arg("name"))
      .def_static("pointer", &pointer_criterion, nb::arg("function"), nb::arg("data"))
      .def_static("batch", &batch_criterion, nb::arg("function"));
  nb::enum_<Scaling>(m, "Scaling")
      .value("none", Scaling::none)
      .value("minmax", Scaling::minmax)
      .value("standard", Scaling::standard)
      .value("robust", Scaling::robust);
  nb::class_<FoundPlane> plane(m, "FoundPlane");
  bind_field(plane, "weights", &FoundPlane::weights);
  plane.def_ro("threshold", &FoundPlane::threshold)
      .def_ro("score", &FoundPlane::score)
      .def_ro("n_evaluated", &FoundPlane::n_evaluated);
  nb::class_<BoundTarget>(m, "Target")
      .def(nb::init<std::optional<Vector<std::int32_t>>, std::optional<Vector<double>>, std::optional<Vector<double>>,
                    std::optional<Vector<double>>, int>(),
           nb::arg("label").none(), nb::arg("y").none(), nb::arg("weight").none(), nb::arg("multiplicity").none(),
           nb::arg("k"));
  nb::class_<BoundNode>(m, "Node").def(
      nb::init<const BoundTarget&, Matrix, Vector<std::uint32_t>, double, double, int>(), nb::kw_only(),
      nb::arg("target"), nb::arg("X"), nb::arg("rows"), nb::arg("min_samples_leaf"), nb::arg("min_weight_leaf"),
      nb::arg("threads"));
  m.def("score", &score, nb::arg("criterion"), nb::arg("children"));
  m.def("score_split", &score_split, nb::arg("criterion"), nb::arg("target"), nb::arg("rows"), nb::arg("child"));
  m.def("summary", &summary, nb::arg("criterion"), nb::arg("target"), nb::arg("rows"));
  m.def("measure_columns", &measure_columns, nb::arg("target"), nb::arg("X"), nb::arg("rows"), nb::arg("scaling"),
        nb::arg("threads"));
  m.def("usable_scales", &usable_scales, nb::arg("low"), nb::arg("high"), nb::arg("shift"), nb::arg("scale"));
  m.def("score_counts", &score_of_counts, nb::arg("criterion"), nb::arg("sides"), nb::arg("all"), nb::kw_only(),
        nb::arg("classification"), nb::arg("min_samples_leaf") = 1.0, nb::arg("min_weight_leaf") = 0.0,
        nb::arg("as_sweep") = false);
  m.def("impurity_of_counts", &impurity_of_counts, nb::arg("criterion"), nb::arg("counts"), nb::kw_only(),
        nb::arg("classification"));
}

}  // namespace askew::score
