// The module `askew._core`: what every tree needs. Each search with an inner loop of its own has a file
// bind_<search>.cpp with one function, called below.
#include <map>
#include <string>

#include "bind.hpp"
#include "criterion.hpp"
#include "presorted.hpp"
#include "sweep.hpp"
#include "walk.hpp"

using namespace askew;

namespace askew {
void bind_c45(nb::module_&);
void bind_alopex(nb::module_&);
void bind_anneal(nb::module_&);
void bind_cart_lc(nb::module_&);
void bind_cross_entropy(nb::module_&);
void bind_exhaustive(nb::module_&);
void bind_linear_machine(nb::module_&);
void bind_network(nb::module_&);
void bind_oc1(nb::module_&);
}

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
    const nb::gil_scoped_acquire gil;
    const auto matrix = [&](const double* counts) {
      return nb::ndarray<nb::numpy, const double>(counts, {m, static_cast<std::size_t>(k)}).cast(nb::rv_policy::copy);
    };
    const auto result = nb::cast<Vector<double>>(function(matrix(left), matrix(right)));
    std::copy_n(result.data(), m, scores);
  };
  return c;
}

double score(const Criterion& criterion, Matrix children) {
  std::vector<const double*> counts;
  for (std::size_t i = 0; i < children.shape(0); ++i) counts.push_back(children.data() + i * children.shape(1));
  const int m = static_cast<int>(counts.size()), k = static_cast<int>(children.shape(1));
  return unlocked([&] {
    return with_criterion(criterion, [&]<class C>(const C& c) -> double {
      if constexpr (std::is_same_v<C, AbsoluteError>) throw std::invalid_argument("absolute_error has no counts");
      else return score_children(c, counts.data(), m, k);
    });
  });
}

// --- target

nb::tuple summary(const Criterion& criterion, const BoundTarget& bound, Vector<std::uint32_t> rows) {
  Summary s = unlocked([&] {
    return with_sides(criterion, bound.view(), [&](auto type, const auto& c) {
      return summarise<typename decltype(type)::type>(c, bound.view(), rows.data(), rows.shape(0));
    });
  });
  return nb::make_tuple(to_numpy(std::move(s.value)), s.n_samples, s.mass, s.impurity, s.pure);
}

// --- axis-parallel search

nb::object axis_cut(const Criterion& criterion, const BoundTarget& bound, Matrix X, Vector<std::uint32_t> rows,
                    double min_samples_leaf, int threads, nb::object progress, double min_weight_leaf, bool boundaries) {
  Pulse pulse(heartbeat(progress));
  const AxisCut cut = unlocked([&] {
    return with_sides(criterion, bound.view(), [&](auto type, const auto& c) {
      return best_axis_cut<typename decltype(type)::type>(c, bound.view(), X.data(), X.shape(1), rows.data(),
                                                          rows.shape(0), min_samples_leaf, threads, pulse,
                                                          min_weight_leaf, boundaries);
    });
  });
  if (cut.feature == kNone) return nb::none();
  return nb::make_tuple(cut.feature, cut.threshold, cut.score);
}

nb::tuple grow_axis(const Criterion& criterion, const BoundTarget& bound, Matrix X, Vector<double> limits, int threads,
                    nb::object progress, bool ratio, bool penalty, bool boundaries, double min_cases) {
  const double* l = limits.data();
  Pulse pulse(heartbeat(progress));
  GrownTree t = unlocked([&] {
    return with_sides(criterion, bound.view(), [&](auto type, const auto& c) {
      using Sides = typename decltype(type)::type;
      return PresortedGrower<Sides, std::decay_t<decltype(c)>>(c, bound.view(), X.data(), X.shape(0), X.shape(1),
                                                               {l[0], l[1], l[2], l[3], l[4], l[5], l[6]},
                                                               {ratio, penalty, boundaries, min_cases}, threads, pulse)
          .grow();
    });
  });
  const std::size_t width = t.value.size() / t.first_child.size();
  return nb::make_tuple(to_numpy(std::move(t.first_child)), to_numpy(std::move(t.feature)),
                        to_numpy(std::move(t.threshold)), to_numpy(std::move(t.value), width),
                        to_numpy(std::move(t.n_samples)), to_numpy(std::move(t.mass)), to_numpy(std::move(t.impurity)),
                        t.looked_at);
}

// --- fitted trees

nb::object apply_tree(Vector<std::int8_t> kind, Vector<std::int64_t> first_child, Vector<std::int64_t> n_children,
                      Vector<std::int64_t> feature_start, Vector<std::int64_t> weight_start,
                      Vector<std::int64_t> feature, Vector<double> weight, Vector<double> threshold, Matrix X,
                      int threads) {
  const TreeView tree{kind.shape(0),        kind.data(),    first_child.data(), n_children.data(), feature_start.data(),
                      weight_start.data(),  feature.data(), weight.data(),      threshold.data()};
  std::vector<std::int64_t> leaf(X.shape(0));
  Pulse pulse(heartbeat(nb::none()));
  unlocked([&] { apply(tree, X.data(), X.shape(0), X.shape(1), leaf.data(), threads, pulse); });
  return to_numpy(std::move(leaf));
}

nb::object route_rows(std::int8_t kind, std::size_t n_children, Vector<std::int64_t> features, Vector<double> weights,
                      double threshold, Matrix X, std::optional<Vector<std::uint32_t>> rows) {
  const SplitView split{kind, n_children, features.data(), features.shape(0), weights.data(), weights.shape(0), threshold};
  const std::size_t n = rows ? rows->shape(0) : X.shape(0), d = X.shape(1);
  std::vector<std::int64_t> child(n);
  unlocked([&] {
    for (std::size_t i = 0; i < n; ++i)
      child[i] = static_cast<std::int64_t>(route(split, X.data() + (rows ? rows->data()[i] : i) * d));
  });
  return to_numpy(std::move(child));
}

}  // namespace

NB_MODULE(_core, m) {
  nb::class_<Criterion>(m, "Criterion")
      .def_static("named", &named_criterion)
      .def_static("pointer", &pointer_criterion)
      .def_static("batch", &batch_criterion);
  nb::class_<BoundTarget>(m, "Target")
      .def(nb::init<std::optional<Vector<std::int32_t>>, std::optional<Vector<double>>, std::optional<Vector<double>>,
                    std::optional<Vector<double>>, int>(),
           nb::arg("label").none(), nb::arg("y").none(), nb::arg("weight").none(), nb::arg("multiplicity").none(),
           nb::arg("k"));
  m.def("score", &score);
  m.def("summary", &summary);
  m.def("axis_cut", &axis_cut, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
        nb::arg("min_weight_leaf") = 0.0, nb::arg("boundaries") = false);
  m.def("grow_axis", &grow_axis, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
        nb::arg("ratio") = false, nb::arg("penalty") = false, nb::arg("boundaries") = false, nb::arg("min_cases") = 0.0);
  m.def("apply", &apply_tree);
  m.def("route", &route_rows, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  bind_c45(m);
  bind_alopex(m);
  bind_anneal(m);
  bind_cart_lc(m);
  bind_cross_entropy(m);
  bind_exhaustive(m);
  bind_linear_machine(m);
  bind_network(m);
  bind_oc1(m);
}
