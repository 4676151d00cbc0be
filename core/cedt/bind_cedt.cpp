// CE-DT: the cross-entropy search at one node, and the parts of it that tests, plots and other searches use.
#include "bind.hpp"
#include "cedt/cross_entropy.hpp"
#include "cedt/independent_columns.hpp"

namespace askew::cedt {

using namespace numeric;
using namespace score;

namespace {

// Some features of a node, shifted and scaled.
Points points_of(const BoundNode& node, const Vector<std::int64_t>& features, const Vector<double>& shift,
                 const Vector<double>& inverse) {
  need_below(features, node.X.shape(1), "features");
  need_size(shift, features.shape(0), "shift");
  need_size(inverse, features.shape(0), "inverse");
  return {node.X.data(), node.X.shape(1), features.data(), shift.data(), inverse.data(), features.shape(0)};
}

// Planes (unit vectors, a row each) in float32.
Panels panels_of(const Matrix& planes, const Points& points) {
  if (planes.shape(1) != points.width())
    throw std::invalid_argument("'planes' must have a weight for each feature, and a constant");
  Panels panels(planes.shape(0), points.width());
  for (std::size_t i = 0; i < planes.shape(0); ++i)
    for (std::size_t j = 0; j < points.width(); ++j)
      panels.at(i, j) = static_cast<float>(planes.data()[i * points.width() + j]);
  return panels;
}

// How far planes are from their mean: at most.
double deficit_of(const Matrix& planes, const double* mean) {
  double largest = 0;
  for (std::size_t i = 0; i < planes.shape(0); ++i) {
    double apart = 0;
    for (std::size_t j = 0; j < planes.shape(1); ++j) {
      const double away = planes.data()[i * planes.shape(1) + j] - mean[j];
      apart += away * away;
    }
    largest = std::max(largest, apart / 2);
  }
  return largest;
}

// Calls f with the scorer of planes on the rows of a node.
template <class F>
void with_scorer(const Criterion& criterion, const BoundNode& node, const Points& points, const Kernels& lanes, F f) {
  with_criterion(criterion, [&]<class C>(const C& c) {
    if (node.target().classification() && (std::is_same_v<C, SquaredError> || std::is_same_v<C, AbsoluteError>))
      throw std::invalid_argument("this criterion is for regression");
    PlaneScorer<C> scorer(c, node.target(), points, node.rows.data(), node.rows.shape(0),
                          {node.min_samples_leaf, node.min_weight_leaf}, node.threads, lanes);
    f(scorer);
  });
}

CrossEntropyResult cross_entropy_at(const Criterion& criterion, const BoundNode& node, const CrossEntropyRules& rules,
                                    Vector<std::int64_t> features, Vector<double> shift, Vector<double> inverse,
                                    std::uint64_t seed) {
  Interrupt interrupt(heartbeat(nb::none()));
  const Points points = points_of(node, features, shift, inverse);
  CrossEntropyResult found;
  unlocked([&] {
    with_scorer(criterion, node, points, kernels(), [&](auto& scorer) {
      found = cross_entropy(scorer, points.width(), rules, seed, node.threads, interrupt, kernels());
    });
  });
  return found;
}

// Scores of given planes, with the mean of them or without; `portable` leaves out AVX2.
nb::object score_planes(const Criterion& criterion, const BoundNode& node, Vector<std::int64_t> features,
                        Vector<double> shift, Vector<double> inverse, Matrix planes, std::optional<Vector<double>> mean,
                        bool portable) {
  Interrupt interrupt(heartbeat(nb::none()));
  const Kernels lanes = portable ? baseline_kernels() : kernels();
  const Points points = points_of(node, features, shift, inverse);
  const Panels panels = panels_of(planes, points);
  if (mean) need_size(*mean, points.width(), "mean");
  const Cone cone{data_or_null(mean), mean ? deficit_of(planes, mean->data()) : 0};
  std::vector<double> scores(planes.shape(0));
  unlocked([&] {
    with_scorer(criterion, node, points, lanes, [&](auto& scorer) {
      scorer.score(panels, scores.size(), mean ? &cone : nullptr, interrupt, scores.data());
    });
  });
  return to_numpy(std::move(scores));
}

// Counts what is above planes: given ones, or drawn ones. Kept while the planes of a node are searched: the rows are
// put in order and packed once.
class BoundCounter {
 public:
  BoundCounter(const BoundNode& node, Vector<std::int64_t> features, Vector<double> shift, Vector<double> inverse,
               double centre, double large_first, double large_second)
      : node_(node), features_(features), shift_(shift), inverse_(inverse),
        points_(points_of(node_, features_, shift_, inverse_)),
        shape_{node_.target().k, node_.target().classification()}, counter_(unlocked([&] {
          const PlaneCounter::What what{.centre = centre, .grid = {large_first, large_second}};
          return PlaneCounter(node_.target(), points_, node_.rows.data(), node_.rows.shape(0), what, node_.threads,
                              kernels());
        })) {}
  BoundCounter(const BoundCounter&) = delete;

  nb::object count(Matrix planes) {
    const Panels panels = panels_of(planes, points_);
    return counted(planes.shape(0),
                   [&](Interrupt& interrupt) { counter_.count(panels, planes.shape(0), nullptr, interrupt); });
  }

  // Of the planes that a search draws (CrossEntropySearch).
  nb::object count_drawn(Vector<double> mu, double kappa, std::size_t n, std::uint64_t seed) {
    need_size(mu, points_.width(), "mu");
    return counted(n, [&](Interrupt& interrupt) {
      Panels panels(n, points_.width());
      const VonMisesFisher distribution(mu.data(), points_.width(), kappa, kernels());
      const Cone cone{mu.data(), draw_all(distribution, n, seed, node_.threads, interrupt, panels)};
      counter_.count(panels, n, kappa > 0 ? &cone : nullptr, interrupt);
    });
  }

  nb::object all() const { return to_numpy(all_counts(counter_.amounts(), shape_)); }

 private:
  template <class F>
  nb::object counted(std::size_t n, F count) {
    Interrupt interrupt(heartbeat(nb::none()));  // one a call: any thread of Python may be the next
    return to_numpy(unlocked([&] {
                      count(interrupt);
                      return gather_counts(counter_.upper(), counter_.amounts(), shape_, n);
                    }),
                    shape_.width());
  }

  BoundNode node_;
  Vector<std::int64_t> features_;
  Vector<double> shift_, inverse_;
  Points points_;
  CountShape shape_;
  PlaneCounter counter_;
};

// The search without the rows: says what planes are drawn from, and takes their scores.
class BoundSearch {
 public:
  BoundSearch(std::size_t p, const CrossEntropyRules& rules, std::uint64_t seed) : search_(p, rules, seed) {}

  bool done() const { return search_.done(); }
  // (mu, kappa, n, seed)
  nb::tuple distribution() const {
    return nb::make_tuple(to_numpy(std::vector<double>(search_.mu())), search_.kappa(), search_.n_drawn(),
                          search_.draw_seed());
  }
  void take(Vector<double> scores) {
    need_size(scores, search_.n_drawn(), "scores");
    Interrupt interrupt(heartbeat(nb::none()));
    unlocked([&] {
      search_.draw(1, interrupt, kernels());
      search_.take(std::vector<double>(scores.data(), scores.data() + scores.shape(0)));
    });
  }
  CrossEntropyResult result() const { return search_.result(); }

 private:
  CrossEntropySearch search_;
};

// n unit vectors (n x p).
nb::object draw_directions(Vector<double> mu, double kappa, std::size_t n, std::uint64_t seed, int threads,
                           bool portable) {
  Interrupt interrupt(heartbeat(nb::none()));
  const Kernels lanes = portable ? baseline_kernels() : kernels();
  const std::size_t p = mu.shape(0);
  std::vector<double> directions(n * p);
  unlocked([&] {
    Panels panels(n, p);
    draw_all(VonMisesFisher(mu.data(), p, kappa, lanes), n, seed, threads, interrupt, panels);
    for (std::size_t i = 0; i < n; ++i) panels.copy(i, &directions[i * p]);
  });
  return to_numpy(std::move(directions), p);
}

// Of the columns in this order, those that do not depend on others before them.
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

}  // namespace

void bind_cedt(nb::module_& m) {
  bind_rules(m, "CrossEntropyRules", std::pair{"n_samples", &CrossEntropyRules::n_samples},
             std::pair{"rho", &CrossEntropyRules::rho}, std::pair{"alpha", &CrossEntropyRules::alpha},
             std::pair{"patience", &CrossEntropyRules::patience}, std::pair{"newton", &CrossEntropyRules::newton});
  nb::class_<CrossEntropyResult> found(m, "CrossEntropyResult");
  bind_field(found, "plane", &CrossEntropyResult::plane);
  bind_field(found, "mu", &CrossEntropyResult::mu, &CrossEntropyResult::width);
  bind_field(found, "kappa", &CrossEntropyResult::kappa);
  bind_field(found, "gamma", &CrossEntropyResult::gamma);
  found.def_ro("score", &CrossEntropyResult::score).def_ro("n_evaluated", &CrossEntropyResult::n_evaluated);
  m.def("cross_entropy", &cross_entropy_at, nb::arg("criterion"), nb::arg("node"), nb::arg("rules"), nb::kw_only(),
        nb::arg("features"), nb::arg("shift"), nb::arg("inverse"), nb::arg("seed"));
  m.def("score_planes", &score_planes, nb::arg("criterion"), nb::arg("node"), nb::kw_only(), nb::arg("features"),
        nb::arg("shift"), nb::arg("inverse"), nb::arg("planes"), nb::arg("mean").none() = nb::none(),
        nb::arg("portable") = false);
  nb::class_<BoundCounter>(m, "PlaneCounter")
      .def(nb::init<const BoundNode&, Vector<std::int64_t>, Vector<double>, Vector<double>, double, double, double>(),
           nb::arg("node"), nb::kw_only(), nb::arg("features"), nb::arg("shift"), nb::arg("inverse"),
           nb::arg("centre") = 0.0, nb::arg("large_first") = 0.0, nb::arg("large_second") = 0.0)
      .def("count", &BoundCounter::count, nb::arg("planes"))
      .def("count_drawn", &BoundCounter::count_drawn, nb::arg("mu"), nb::kw_only(), nb::arg("kappa"), nb::arg("n"),
           nb::arg("seed"))
      .def_prop_ro("all", &BoundCounter::all);
  nb::class_<BoundSearch>(m, "CrossEntropySearch")
      .def(nb::init<std::size_t, const CrossEntropyRules&, std::uint64_t>(), nb::arg("p"), nb::arg("rules"),
           nb::kw_only(), nb::arg("seed"))
      .def_prop_ro("done", &BoundSearch::done)
      .def("distribution", &BoundSearch::distribution)
      .def("take", &BoundSearch::take, nb::arg("scores"))
      .def("result", &BoundSearch::result);
  m.def("draw_directions", &draw_directions, nb::arg("mu"), nb::arg("kappa"), nb::kw_only(), nb::arg("n"),
        nb::arg("seed"), nb::arg("threads") = 1, nb::arg("portable") = false);
  m.def("independent_features", &independent, nb::arg("X"), nb::arg("rows"), nb::arg("order"), nb::arg("shift"),
        nb::arg("scale"));
}

}  // namespace askew::cedt
