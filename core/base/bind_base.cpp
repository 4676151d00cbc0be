// Bindings of what every method needs: criteria, targets, columns, and fitted trees.
#include <limits>
#include <map>
#include <string>

#include "base/bind.hpp"
#include "cedt/independent_columns.hpp"
#include "score/column_scales.hpp"
#include "score/criterion.hpp"
#include "score/summary.hpp"
#include "score/sweep.hpp"
#include "tree/tree_walk.hpp"

namespace askew {
namespace {

// --- criterion

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

// --- target

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

// --- columns

// Where each column lies on the rows, and how wide it is there: (shifts, scales).
nb::tuple measure_columns(const BoundTarget& bound, Matrix X, Vector<std::uint32_t> rows, int normalisation,
                          int threads) {
  need_size(X, bound.n_rows(), "X");
  need_below(rows, X.shape(0), "rows");
  Pulse pulse(heartbeat(nb::none()));
  const auto scales = unlocked([&] {
    return cedt_scales(bound.view(), X.data(), X.shape(1), rows.data(), rows.shape(0),
                       static_cast<Scaling>(normalisation), threads, pulse);
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

nb::object independent(Matrix X, Vector<std::uint32_t> rows, Vector<std::int64_t> order, Vector<double> shift,
                       Vector<double> scale) {
  need_below(rows, X.shape(0), "rows");
  need_below(order, X.shape(1), "order");
  need_size(shift, X.shape(1), "shift");
  need_size(scale, X.shape(1), "scale");
  return to_numpy(unlocked([&] {
    std::vector<ColumnScale> scales(X.shape(1));
    for (std::size_t f = 0; f < scales.size(); ++f) scales[f] = {shift.data()[f], scale.data()[f]};
    return Elimination(X.data(), X.shape(1), rows.data(), rows.shape(0), scales.data())
        .independent(order.data(), order.shape(0));
  }));
}

// --- fitted trees

nb::object apply_tree(const BoundTree& tree, Matrix X, int threads) {
  need_below(tree.feature, X.shape(1), "feature");
  std::vector<std::int64_t> leaf(X.shape(0));
  Pulse pulse(heartbeat(nb::none()));
  unlocked([&] { apply(tree.view(), X.data(), X.shape(0), X.shape(1), leaf.data(), threads, pulse); });
  return to_numpy(std::move(leaf));
}

nb::tuple gaps_of(const BoundTree& tree, Matrix X) {
  need_below(tree.feature, X.shape(1), "feature");
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> low(tree.view().n_nodes, -infinity), high(low.size(), infinity);
  unlocked([&] { axis_gaps(tree.view(), X.data(), X.shape(0), X.shape(1), low.data(), high.data()); });
  return nb::make_tuple(to_numpy(std::move(low)), to_numpy(std::move(high)));
}

nb::object route_rows(std::int8_t kind, std::size_t n_children, Vector<std::int64_t> features, Vector<double> weights,
                      double threshold, Matrix X, std::optional<Vector<std::uint32_t>> rows) {
  need_below(features, X.shape(1), "features");
  if (kind == kHyperplane) need_size(weights, features.shape(0), "weights");
  if (kind == kLinearMachine) need_size(weights, n_children * (features.shape(0) + 1), "weights");
  if (kind != kHyperplane && kind != kLinearMachine) need_size(features, 1, "features");
  if (rows) need_below(*rows, X.shape(0), "rows");
  const SplitView split{kind,           n_children,       features.data(), features.shape(0),
                        weights.data(), weights.shape(0), threshold};
  const std::size_t n = rows ? rows->shape(0) : X.shape(0), d = X.shape(1);
  std::vector<std::int64_t> child(n);
  unlocked([&] {
    for (std::size_t i = 0; i < n; ++i)
      child[i] = static_cast<std::int64_t>(route(split, X.data() + (rows ? rows->data()[i] : i) * d));
  });
  return to_numpy(std::move(child));
}

nb::tuple spread_rows(const BoundTree& bound, Vector<double> mass, Matrix X) {
  const TreeView tree = bound.view();
  need_size(mass, tree.n_nodes, "mass");
  need_below(bound.feature, X.shape(1), "feature");
  const std::size_t n = X.shape(0), d = X.shape(1);
  std::vector<std::int64_t> entry, leaf;
  std::vector<double> part;
  Pulse pulse(heartbeat(nb::none()));
  unlocked([&] {
    std::vector<std::pair<std::size_t, double>> stack;
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 1024 == 0) pulse.check();
      spread(tree, mass.data(), nullptr, 0, X.data() + i * d, stack, [&](std::size_t node, double share) {
        entry.push_back(static_cast<std::int64_t>(i));
        leaf.push_back(static_cast<std::int64_t>(node));
        part.push_back(share);
      });
    }
  });
  return nb::make_tuple(to_numpy(std::move(entry)), to_numpy(std::move(leaf)), to_numpy(std::move(part)));
}

// --- threads, for tests

double set_thread_gate(double nanoseconds) { return thread_gate.exchange(nanoseconds); }
std::uint64_t count_threads_started() { return threads_started.load(); }

}  // namespace

void bind_base(nb::module_& m) {
  nb::class_<Criterion>(m, "Criterion")
      .def_static("named", &named_criterion)
      .def_static("pointer", &pointer_criterion)
      .def_static("batch", &batch_criterion);
  nb::class_<BoundTarget>(m, "Target")
      .def(nb::init<std::optional<Vector<std::int32_t>>, std::optional<Vector<double>>, std::optional<Vector<double>>,
                    std::optional<Vector<double>>, int>(),
           nb::arg("label").none(), nb::arg("y").none(), nb::arg("weight").none(), nb::arg("multiplicity").none(),
           nb::arg("k"));
  nb::class_<BoundTree>(m, "Tree").def(
      nb::init<Vector<std::int8_t>, Vector<std::int64_t>, Vector<std::int64_t>, Vector<std::int64_t>,
               Vector<std::int64_t>, Vector<std::int64_t>, Vector<double>, Vector<double>>(),
      nb::kw_only(), nb::arg("kind"), nb::arg("first_child"), nb::arg("n_children"), nb::arg("feature_start"),
      nb::arg("weight_start"), nb::arg("feature"), nb::arg("weight"), nb::arg("threshold"));
  nb::class_<StopFlag>(m, "StopFlag").def(nb::init<>()).def("set", [](StopFlag& flag) { flag.raised.store(true); });
  m.def("listen_to", [](const StopFlag* flag) { stop_flag = flag; }, nb::arg("flag").none());
  m.def("check_interrupt", &check_interrupt);
  nb::class_<BoundNode>(m, "Node").def(
      nb::init<const BoundTarget&, Matrix, Vector<std::uint32_t>, double, double, int>(), nb::kw_only(),
      nb::arg("target"), nb::arg("X"), nb::arg("rows"), nb::arg("min_samples_leaf"), nb::arg("min_weight_leaf"),
      nb::arg("threads"));
  m.def("set_thread_gate", &set_thread_gate);
  m.def("threads_started", &count_threads_started);
  m.def("score", &score, nb::arg("criterion"), nb::arg("children"));
  m.def("score_split", &score_split, nb::arg("criterion"), nb::arg("target"), nb::arg("rows"), nb::arg("child"));
  m.def("summary", &summary, nb::arg("criterion"), nb::arg("target"), nb::arg("rows"));
  m.def("measure_columns", &measure_columns, nb::arg("target"), nb::arg("X"), nb::arg("rows"), nb::arg("normalisation"),
        nb::arg("threads"));
  m.def("usable_scales", &usable_scales, nb::arg("low"), nb::arg("high"), nb::arg("shift"), nb::arg("scale"));
  m.def("independent_features", &independent, nb::arg("X"), nb::arg("rows"), nb::arg("order"), nb::arg("shift"),
        nb::arg("scale"));
  m.def("apply", &apply_tree, nb::arg("tree"), nb::arg("X"), nb::arg("threads"));
  m.def("axis_gaps", &gaps_of, nb::arg("tree"), nb::arg("X"));
  m.def("route", &route_rows, nb::arg("kind"), nb::arg("n_children"), nb::arg("features"), nb::arg("weights"),
        nb::arg("threshold"), nb::arg("X"), nb::arg("rows").none());
  m.def("spread", &spread_rows, nb::arg("tree"), nb::arg("mass"), nb::arg("X"));
}

}  // namespace askew
