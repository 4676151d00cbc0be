// Linear leaves: the models of all nodes of a tree, what they predict, and the cuts of `search="piecewise"`.
#include "bind.hpp"
#include "linear/leaf_models.hpp"
#include "linear/piecewise_cuts.hpp"
#include "linear/plane_cuts.hpp"
#include "linear/plane_directions.hpp"
#include "tree/bind_models.hpp"
#include "tree/leaf_outputs.hpp"

namespace askew::linear {

using namespace numeric;
using namespace tree;

namespace {

// Rows by node, checked: every node's rows are a run of `order`, parents come first.
NodeRows node_rows(const Vector<std::uint32_t>& order, const Vector<std::int64_t>& begin,
                   const Vector<std::int64_t>& end, const Vector<std::int64_t>& parent, std::size_t n_rows) {
  const std::size_t n = begin.shape(0);
  need_below(order, n_rows, "order");
  need_size(end, n, "end");
  need_size(parent, n, "parent");
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t a = begin.data()[i], b = end.data()[i], above = parent.data()[i];
    if (a < 0 || b < a || static_cast<std::size_t>(b) > order.shape(0))
      throw std::invalid_argument("'begin' and 'end' must be places in 'order'");
    if (above >= static_cast<std::int64_t>(i) || above < -1)
      throw std::invalid_argument("'parent' must be -1 or a node that comes before");
  }
  return {n, order.data(), begin.data(), end.data(), parent.data()};
}

// A dict of arrays: the nodes that have a linear model, and its weights (models x outputs x features) and constants;
// for each node the loss that is expected on other rows, and the range of y.
nb::dict leaf_models(const BoundTarget& bound, Matrix X, Vector<std::int64_t> features, Matrix value,
                     Vector<std::uint32_t> order, Vector<std::int64_t> begin, Vector<std::int64_t> end,
                     Vector<std::int64_t> parent, int threads, nb::object progress) {
  need_size(X, bound.n_rows(), "X");
  need_below(features, X.shape(1), "features");
  need_size(value, begin.shape(0), "value");
  if (value.shape(1) != (bound.label ? static_cast<std::size_t>(bound.k) : 1))
    throw std::invalid_argument("'value' must have a column for each class, or one");
  const NodeRows nodes = node_rows(order, begin, end, parent, X.shape(0));
  Interrupt interrupt(heartbeat(progress));
  std::vector<std::int64_t> node;
  std::vector<double> weight, constant, loss, low, high;
  const std::size_t k = value.shape(1), d = features.shape(0);
  unlocked([&] {
    const LeafColumns columns{X.data(), X.shape(1), features.data(), d};
    const auto models = models_of_nodes(nodes, threads, interrupt, [&](std::size_t i, const LeafModel* above, int own) {
      const double* of_node = value.data() + i * k;
      return bound.label
                 ? logistic_leaf(bound.view(), columns, nodes.rows(i), nodes.count(i), of_node, above, own, interrupt)
                 : ridge_leaf(bound.view(), columns, nodes.rows(i), nodes.count(i), *of_node, above, own, interrupt);
    });
    for (std::size_t i = 0; i < models.size(); ++i) {
      const LeafModel& m = models[i];
      loss.push_back(m.loss), low.push_back(m.low), high.push_back(m.high);
      constant.insert(constant.end(), m.constant.begin(), m.constant.end());
      if (!m.linear()) continue;
      node.push_back(static_cast<std::int64_t>(i));
      weight.insert(weight.end(), m.weight.begin(), m.weight.end());
    }
  });
  nb::dict found;
  found["node"] = to_numpy(std::move(node));
  found["weight"] = to_numpy(std::move(weight), k * d);
  found["constant"] = to_numpy(std::move(constant), k);
  found["loss"] = to_numpy(std::move(loss));
  found["low"] = to_numpy(std::move(low));
  found["high"] = to_numpy(std::move(high));
  return found;
}

// (squared error of one ridge line, threshold and error of the best cut for two lines along each plane); an error is
// infinite where there is no cut.
nb::tuple piecewise_cuts(const BoundNode& node, Vector<std::int64_t> features, Matrix planes, double l2,
                         std::size_t bins) {
  need_below(features, node.X.shape(1), "features");
  if (!node.bound.y) throw std::invalid_argument("piecewise_cuts takes a target of numbers");
  if (planes.shape(1) != features.shape(0)) throw std::invalid_argument("'planes' must have a weight for each feature");
  Interrupt interrupt(heartbeat(nb::none()));
  std::vector<double> thresholds(planes.shape(0)), errors(planes.shape(0));
  double whole = 0;
  unlocked([&] {
    const std::size_t n = node.rows.shape(0), m = planes.shape(0), d = features.shape(0);
    const Target target = node.target();
    const Matrix& X = node.X;
    const std::uint32_t* rows = node.rows.data();
    const Standardised data(target, X.data(), X.shape(1), rows, n, features.data(), d, node.threads, interrupt);
    const FitTargets targets(target, rows, data);
    const auto projected =
        project(X.data(), X.shape(1), rows, n, features.data(), d, planes.data(), m, node.threads, interrupt);
    const PiecewiseRules rules{l2, bins, node.leaf()};
    const PiecewiseCuts cuts(target, rows, data, targets.y(), rules);
    whole = cuts.whole();
    parallel_for(m, threads_for(node.threads, 1.0, n, d * d), interrupt, [&](std::size_t p, std::size_t) {
      std::vector<double> value(n);
      for (std::size_t i = 0; i < n; ++i) value[i] = projected[i * m + p];
      const PiecewiseCut cut = cuts.best(value);
      thresholds[p] = cut.threshold, errors[p] = cut.error;
    });
  });
  return nb::make_tuple(whole, to_numpy(std::move(thresholds)), to_numpy(std::move(errors)));
}

// What rows at places get (rows x outputs).
nb::object linear_outputs(Vector<std::int64_t> place, Matrix X, const BoundModels& models, int threads) {
  const std::size_t n = place.shape(0), k = models.value.shape(1), places = models.value.shape(0);
  need_size(X, n, "X");
  need_below(place, places, "place");
  models.check(places, X.shape(1));
  std::vector<double> found(n * k);
  Interrupt interrupt(heartbeat(nb::none()));
  unlocked(
      [&] { leaf_outputs(models.view(), place.data(), X.data(), n, X.shape(1), found.data(), threads, interrupt); });
  return to_numpy(std::move(found), k);
}

}  // namespace

void bind_leaves(nb::module_& m) {
  m.def("leaf_models", &leaf_models, nb::arg("target"), nb::arg("X"), nb::arg("features"), nb::arg("value"),
        nb::kw_only(), nb::arg("order"), nb::arg("begin"), nb::arg("end"), nb::arg("parent"), nb::arg("threads"),
        nb::arg("progress").none() = nb::none());
  m.def("piecewise_cuts", &piecewise_cuts, nb::arg("node"), nb::kw_only(), nb::arg("features"), nb::arg("planes"),
        nb::arg("l2"), nb::arg("bins"));
  m.def("linear_outputs", &linear_outputs, nb::arg("place"), nb::arg("X"), nb::arg("models"), nb::arg("threads"));
}

}  // namespace askew::linear
