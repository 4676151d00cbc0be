// `search="linear"`: penalised fits, the directions of a node, and the best cut along planes.
#include "bind.hpp"
#include "linear/lbfgs.hpp"
#include "linear/plane_cuts.hpp"
#include "linear/plane_directions.hpp"
#include "linear/soft_tree.hpp"

namespace askew::linear {

using namespace numeric;
using namespace score;

namespace {

// Weights of the columns and the constant, in the units of the data.
nb::object penalised_fit(Matrix X, Vector<double> z, Vector<double> weight, bool logistic, double l2, double l1,
                         int max_steps, std::size_t direct, std::optional<Vector<double>> start, int threads) {
  const std::size_t n = X.shape(0), d = X.shape(1);
  need_size(z, n, "z");
  need_size(weight, n, "weight");
  if (start) need_size(*start, d + 1, "start");
  Interrupt interrupt(heartbeat(nb::none()));
  return to_numpy(unlocked([&] {
    std::vector<std::uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0u);
    std::vector<std::int64_t> features(d);
    std::iota(features.begin(), features.end(), 0);
    const Target target{nullptr, z.data(), weight.data(), nullptr, 3};
    const Standardised data(target, X.data(), d, rows.data(), n, features.data(), d, threads, interrupt);
    std::vector<double> padded(data.stride, 0.0), w(d + 1, 0.0);
    std::copy_n(z.data(), n, padded.begin());
    if (start) {
      w[d] = start->data()[d];
      for (std::size_t j = 0; j < d; ++j)
        w[j] = start->data()[j] * data.scale[j], w[d] += start->data()[j] * data.shift[j];
    }
    const FitRules rules{logistic ? Loss::logistic : Loss::squared, l2, l1, max_steps, direct, 1e-9};
    w = PenalisedFit(data, rules, threads, interrupt).fit(padded.data(), data.weight.data(), w);
    for (std::size_t j = 0; j < d; ++j) {
      w[j] = data.scale[j] > 0 ? w[j] / data.scale[j] : 0.0;
      w[d] -= w[j] * data.shift[j];
    }
    return w;
  }));
}

using Groups = nb::ndarray<const std::int8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A plane in each row: weights of `features` in the units of the data. `groups` (1, 0 or, left out, -1 for each class)
// are what logistic fits tell apart, `starts` (0 or 1 for each row) are splits from which hinges begin.
nb::object linear_directions(const BoundNode& node, const FitRules& penalty, Vector<std::int64_t> features,
                             std::size_t canonical, Groups groups,
                             nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> starts) {
  need_below(features, node.X.shape(1), "features");
  if (starts.shape(0) > 0 && starts.shape(1) != node.rows.shape(0))
    throw std::invalid_argument("'starts' must have an entry for each of the rows");
  if (groups.shape(0) > 0 && (!node.bound.label || groups.shape(1) != static_cast<std::size_t>(node.bound.k)))
    throw std::invalid_argument("'groups' must have an entry for each class");
  Interrupt interrupt(heartbeat(nb::none()));
  const std::size_t n = node.rows.shape(0), d = features.shape(0);
  std::vector<double> planes;
  unlocked([&] {
    const Standardised data(node.target(), node.X.data(), node.X.shape(1), node.rows.data(), n, features.data(), d,
                            node.threads, interrupt);
    const FitTargets targets(node.target(), node.rows.data(), data);
    std::vector<std::vector<bool>> hinges;
    for (std::size_t s = 0; s < starts.shape(0); ++s)
      hinges.emplace_back(starts.data() + s * n, starts.data() + (s + 1) * n);
    std::vector<const std::int8_t*> of_classes;
    for (std::size_t g = 0; g < groups.shape(0); ++g) of_classes.push_back(groups.data() + g * groups.shape(1));
    const DirectionRules rules{penalty, canonical};
    for (Direction& w : plane_directions(data, targets, rules, of_classes, hinges, node.threads, interrupt))
      if (in_data_units(data.scale.data(), w)) planes.insert(planes.end(), w.begin(), w.end());
  });
  return to_numpy(std::move(planes), d);
}

// (threshold, score) of the best cut along each plane; a score is infinite where there is no cut.
nb::tuple plane_cuts(const Criterion& criterion, const BoundNode& node, Vector<std::int64_t> features, Matrix planes) {
  need_below(features, node.X.shape(1), "features");
  if (planes.shape(1) != features.shape(0)) throw std::invalid_argument("'planes' must have a weight for each feature");
  Interrupt interrupt(heartbeat(nb::none()));
  std::vector<double> thresholds, scores;
  unlocked([&] {
    const std::size_t n = node.rows.shape(0), m = planes.shape(0);
    const LocalTarget local(node.target(), node.rows.data(), n);
    const auto projected = project(node.X.data(), node.X.shape(1), node.rows.data(), n, features.data(),
                                   features.shape(0), planes.data(), m, node.threads, interrupt);
    const auto cuts = with_sides(criterion, local, [&](auto type, const auto& c) {
      return axis_cuts<typename decltype(type)::type>(c, local, projected.data(), m, local.everyone().data(), n,
                                                      node.min_samples_leaf, node.threads, interrupt,
                                                      node.min_weight_leaf);
    });
    for (const AxisCut& cut : cuts) thresholds.push_back(cut.threshold), scores.push_back(cut.score);
  });
  return nb::make_tuple(to_numpy(std::move(thresholds)), to_numpy(std::move(scores)));
}

// The rows, the shape and the targets of a soft tree. `left` and `right` number the children of each plane; below 0, -1
// less the number of a leaf.
struct BoundSoftTree {
  std::size_t n, d;
  std::vector<double> blocks;
  std::optional<Vector<std::int32_t>> label;
  std::optional<Vector<double>> y;
  Vector<double> weight;
  SoftShape shape;
  std::size_t n_outputs;

  BoundSoftTree(Matrix X, std::optional<Vector<std::int32_t>> label_, std::optional<Vector<double>> y_,
                Vector<double> weight_, Vector<std::int64_t> left, Vector<std::int64_t> right, std::size_t outputs)
      : n(X.shape(0)), d(X.shape(1)), label(label_), y(y_), weight(weight_), n_outputs(outputs) {
    const std::size_t p = left.shape(0);
    if (n == 0 || p == 0) throw std::invalid_argument("a soft tree has rows and a plane");
    if (static_cast<bool>(label) == static_cast<bool>(y)) throw std::invalid_argument("give either 'label' or 'y'");
    need_size(weight, n, "weight");
    need_size(right, p, "right");
    if (label) need_size(*label, n, "label"), need_below(*label, outputs, "label");
    else need_size(*y, n, "y");
    shape.n_leaves = p + 1;
    shape.left.assign(left.data(), left.data() + p), shape.right.assign(right.data(), right.data() + p);
    for (std::size_t i = 0; i < p; ++i)
      for (const std::int64_t child : {shape.left[i], shape.right[i]})
        if (child < 0 ? static_cast<std::size_t>(-1 - child) > p
                      : static_cast<std::size_t>(child) <= i || static_cast<std::size_t>(child) >= p)
          throw std::invalid_argument("'left' and 'right' must name leaves, or planes that come later");
    blocks = unlocked([&] { return soft_blocks(X.data(), n, d); });
  }
  SoftTree view() const {
    return {shape, {blocks.data(), n, d, data_or_null(label), data_or_null(y), weight.data()}, n_outputs};
  }
  void check(const Matrix& planes, const Matrix& leaves) const {
    need_size(planes, shape.n_planes(), "planes");
    need_size(leaves, shape.n_leaves, "leaves");
    if (planes.shape(1) != d + 1 || leaves.shape(1) != n_outputs)
      throw std::invalid_argument("'planes' must have a weight for each column and a constant, 'leaves' the outputs");
  }
};

// (loss, gradient of the planes, gradient of the leaves)
nb::tuple soft_loss(const BoundSoftTree& tree, Matrix planes, Matrix leaves, double sharpness, int threads) {
  tree.check(planes, leaves);
  Interrupt interrupt(heartbeat(nb::none()));
  SoftGradient g =
      unlocked([&] { return tree.view().evaluate(planes.data(), leaves.data(), sharpness, threads, interrupt); });
  return nb::make_tuple(g.loss, to_numpy(std::move(g.planes), planes.shape(1)),
                        to_numpy(std::move(g.leaves), leaves.shape(1)));
}

// (planes, leaves) of least loss + l2/2 |w|^2 + l1 |w|, w the weights of the planes without their constants. With
// `keep_zeros`, weights that are 0 at the start stay so.
nb::tuple soft_fit(const BoundSoftTree& tree, Matrix planes, Matrix leaves, double sharpness, double l2, double l1,
                   bool keep_zeros, int max_iter, int threads, nb::object progress) {
  tree.check(planes, leaves);
  const std::size_t n_planes = planes.size(), width = planes.shape(1);
  Interrupt interrupt(heartbeat(progress));
  std::vector<double> x(planes.data(), planes.data() + n_planes);
  x.insert(x.end(), leaves.data(), leaves.data() + leaves.size());
  unlocked([&] {
    const SoftTree soft = tree.view();
    std::vector<bool> weight(x.size(), false);
    for (std::size_t i = 0; i < n_planes; ++i) weight[i] = i % width + 1 < width;
    std::vector<bool> still(x.size(), false);
    if (keep_zeros)
      for (std::size_t i = 0; i < n_planes; ++i) still[i] = weight[i] && x[i] == 0;
    const auto evaluate = [&](const std::vector<double>& at, std::vector<double>& gradient) {
      SoftGradient g = soft.evaluate(at.data(), at.data() + n_planes, sharpness, threads, interrupt);
      std::copy(g.planes.begin(), g.planes.end(), gradient.begin());
      std::copy(g.leaves.begin(), g.leaves.end(), gradient.begin() + static_cast<std::ptrdiff_t>(n_planes));
      for (std::size_t i = 0; i < n_planes; ++i)
        if (weight[i]) g.loss += l2 / 2 * at[i] * at[i], gradient[i] = still[i] ? 0.0 : gradient[i] + l2 * at[i];
      return g.loss;
    };
    lbfgs(x, weight, {.max_iter = max_iter, .l1 = l1}, evaluate, [&](double done) { interrupt.check(done); });
  });
  std::vector<double> found(x.begin() + static_cast<std::ptrdiff_t>(n_planes), x.end());
  x.resize(n_planes);
  return nb::make_tuple(to_numpy(std::move(x), width), to_numpy(std::move(found), leaves.shape(1)));
}

}  // namespace

void bind_linear(nb::module_& m) {
  m.def("penalised_fit", &penalised_fit, nb::arg("X"), nb::arg("z"), nb::arg("weight"), nb::kw_only(),
        nb::arg("logistic"), nb::arg("l2"), nb::arg("l1") = 0.0, nb::arg("max_steps") = 50, nb::arg("direct") = 400,
        nb::arg("start").none() = nb::none(), nb::arg("threads") = 1);
  bind_rules(m, "Penalty", std::pair{"l2", &FitRules::l2}, std::pair{"l1", &FitRules::l1},
             std::pair{"max_steps", &FitRules::max_steps});
  m.def("linear_directions", &linear_directions, nb::arg("node"), nb::arg("penalty"), nb::kw_only(),
        nb::arg("features"), nb::arg("canonical"), nb::arg("groups"), nb::arg("starts"));
  m.def("plane_cuts", &plane_cuts, nb::arg("criterion"), nb::arg("node"), nb::kw_only(), nb::arg("features"),
        nb::arg("planes"));
  nb::class_<BoundSoftTree>(m, "SoftTree")
      .def(nb::init<Matrix, std::optional<Vector<std::int32_t>>, std::optional<Vector<double>>, Vector<double>,
                    Vector<std::int64_t>, Vector<std::int64_t>, std::size_t>(),
           nb::kw_only(), nb::arg("X"), nb::arg("label").none(), nb::arg("y").none(), nb::arg("weight"),
           nb::arg("left"), nb::arg("right"), nb::arg("n_outputs"));
  m.def("soft_loss", &soft_loss, nb::arg("tree"), nb::arg("planes"), nb::arg("leaves"), nb::kw_only(),
        nb::arg("sharpness"), nb::arg("threads"));
  m.def("soft_fit", &soft_fit, nb::arg("tree"), nb::arg("planes"), nb::arg("leaves"), nb::kw_only(),
        nb::arg("sharpness"), nb::arg("l2"), nb::arg("l1"), nb::arg("keep_zeros") = false, nb::arg("max_iter"),
        nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace askew::linear
