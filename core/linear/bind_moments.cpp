// `search="linear"` over several machines: moments of the rows of one, and fits that take those of all.
#include "bind.hpp"
#include "linear/exact_sums.hpp"
#include "linear/plane_cuts.hpp"
#include "linear/plane_directions.hpp"

namespace askew::linear {

using namespace numeric;
using namespace score;

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Groups = nb::ndarray<const std::int8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<double> copied(const Vector<double>& values) {
  return std::vector<double>(values.data(), values.data() + values.shape(0));
}

// The rows of `scales` are those of ColumnScales.
ColumnScales column_scales(const BoundNode& node, const Matrix& scales) {
  const std::size_t d = node.X.shape(1);
  if (scales.shape(0) != 4 || scales.shape(1) != d)
    throw std::invalid_argument("'scales' must have 4 rows of all columns");
  return {scales.data(), scales.data() + d, scales.data() + 2 * d, scales.data() + 3 * d};
}

template <class F>
void for_blocks(const BoundNode& node, const Target& target, const ColumnScales& scales, F&& use) {
  RowBlock block(target, node.X.data(), node.X.shape(1), scales);
  Interrupt interrupt(heartbeat(nb::none()));
  unlocked([&] {
    for (std::size_t from = 0; from < node.rows.shape(0); from += block.n) {
      interrupt.check();
      block.take(node.rows.data(), from, node.rows.shape(0));
      use(block, from);
    }
  });
}

// The sum of u t of every column, t its value by the range of the column, or with `squares` of u (t - mean)^2; last,
// that of the weights u. With `by_samples` they are the samples that a row stands for.
nb::object column_sums(const BoundNode& node, Matrix scales, bool squares, bool by_samples, double large) {
  const ColumnScales by = column_scales(node, scales);
  const Target target = node.target();
  const std::size_t d = node.X.shape(1);
  std::vector<double> sums(d + 1, 0.0);
  unlocked([&] {
    for (std::size_t i = 0; i < node.rows.shape(0); ++i) {
      const std::uint32_t row = node.rows.data()[i];
      const double* x = node.X.data() + static_cast<std::size_t>(row) * d;
      const double u = by_samples ? target.samples_of(row) : target.weight_of(row);
      for (std::size_t j = 0; j < d; ++j) {
        if (!(by.half[j] > 0)) continue;
        const double t = by.by_range(j, x[j]), away = t - by.mean[j];
        sums[j] += (u * (squares ? away * away : t) + large) - large;
      }
      sums[d] += (u + large) - large;
    }
  });
  return to_numpy(std::move(sums));
}

// (loss, gradients, curvatures) of logistic fits of groups of classes, at the weights of each; `large` has a number for
// each loss, and one for all others.
nb::tuple loss_sums(const BoundNode& node, Matrix scales, Groups groups, Matrix weights, Vector<double> large_loss,
                    double large) {
  const Target target = node.target();
  const std::size_t tasks = groups.shape(0), m = node.X.shape(1) + 1;
  if (!target.classification() || groups.shape(1) != static_cast<std::size_t>(target.k))
    throw std::invalid_argument("'groups' must have an entry for each class");
  if (weights.shape(0) != tasks || weights.shape(1) != m)
    throw std::invalid_argument("'weights' must have a row for each group");
  need_size(large_loss, tasks, "large_loss");
  std::vector<LossSums> sums(tasks, {0.0, std::vector<double>(m, 0.0), std::vector<double>(m * m, 0.0)});
  for_blocks(node, target, column_scales(node, scales), [&](const RowBlock& block, std::size_t) {
    for (std::size_t t = 0; t < tasks; ++t)
      add_losses(block, target, groups.data() + t * groups.shape(1), weights.data() + t * m, large_loss.data()[t],
                 large, sums[t]);
  });
  std::vector<double> losses, gradients, grams;
  for (const LossSums& one : sums) {
    losses.push_back(one.loss);
    gradients.insert(gradients.end(), one.gradient.begin(), one.gradient.end());
    grams.insert(grams.end(), one.gram.begin(), one.gram.end());
  }
  return nb::make_tuple(to_numpy(std::move(losses)), to_numpy(std::move(gradients), m),
                        to_numpy(std::move(grams), m * m));
}

// (sums of the columns of each class, curvature) as ClassMoments has them; of all classes of the tree.
nb::tuple class_sums(const BoundNode& node, Matrix scales, double large) {
  const Target target = node.target();
  if (!target.classification()) throw std::invalid_argument("numbers have no classes");
  const std::size_t m = node.X.shape(1) + 1;
  std::vector<double> sums(static_cast<std::size_t>(target.k) * m, 0.0), gram(m * m, 0.0);
  for_blocks(node, target, column_scales(node, scales), [&](const RowBlock& block, std::size_t) {
    block.add_gram(block.weight.data(), large, gram.data());
    for (std::size_t i = 0; i < block.n; ++i) {
      double* own = &sums[static_cast<std::size_t>(target.label[block.row(i)]) * m];
      for (std::size_t j = 0; j < m; ++j) own[j] += (block.weight[i] * block.column(j)[i] + large) - large;
    }
  });
  return nb::make_tuple(to_numpy(std::move(sums), m), to_numpy(std::move(gram)));
}

// (curvature, products, squares) as LineMoments has them, of the rows of each side (0 or 1 for each row); y is brought
// to mean 0 and deviation 1.
nb::tuple line_sums(const BoundNode& node, Matrix scales, Bytes sides, double mean, double deviation, double large) {
  const Target target = node.target();
  if (target.classification()) throw std::invalid_argument("classes have no moments");
  const std::size_t m = node.X.shape(1) + 1, n_sides = sides.shape(0), n = node.rows.shape(0);
  if (n_sides > 0 && sides.shape(1) != n)
    throw std::invalid_argument("'sides' must have an entry for each of the rows");
  std::vector<double> grams(n_sides * m * m, 0.0), products(n_sides * m, 0.0), squares(n_sides, 0.0);
  for_blocks(node, target, column_scales(node, scales), [&](const RowBlock& block, std::size_t from) {
    std::vector<double> y(block.stride, 0.0), u(block.stride, 0.0), uy(block.stride, 0.0);
    for (std::size_t i = 0; i < block.n; ++i) y[i] = (target.y[block.row(i)] - mean) / deviation;
    for (std::size_t s = 0; s < n_sides; ++s) {
      for (std::size_t i = 0; i < block.n; ++i)
        u[i] = sides.data()[s * n + from + i] ? block.weight[i] : 0.0, uy[i] = u[i] * y[i];
      block.add_gram(u.data(), large, &grams[s * m * m]);
      block.add_products(uy.data(), large, &products[s * m]);
      squares[s] += rounded_dot(uy.data(), y.data(), block.stride, large);
    }
  });
  return nb::make_tuple(to_numpy(std::move(grams), m * m), to_numpy(std::move(products), m),
                        to_numpy(std::move(squares)));
}

// The rows along each plane (rows x planes), summed as the tree's walker sums.
nb::object project_planes(const BoundNode& node, Matrix planes) {
  const std::size_t d = node.X.shape(1), m = planes.shape(0);
  if (planes.shape(1) != d) throw std::invalid_argument("'planes' must have a weight for each column");
  Interrupt interrupt(heartbeat(nb::none()));
  std::vector<std::int64_t> features(d);
  std::iota(features.begin(), features.end(), 0);
  return to_numpy(unlocked([&] {
                    return project(node.X.data(), d, node.rows.data(), node.rows.shape(0), features.data(), d,
                                   planes.data(), m, node.threads, interrupt);
                  }),
                  m);
}

// --- fits that take moments

class BoundSteps {
 public:
  BoundSteps(std::size_t d, FitRules rules, double mass)
      : d_(d), steps_((rules.direct = d, rules), mass, std::vector<double>(d + 1, 0.0)) {}

  bool done() const { return steps_.done(); }
  nb::object at() const { return to_numpy(std::vector<double>(steps_.at())); }
  nb::object weights() const {
    return to_numpy(std::vector<double>(steps_.weights().begin(), steps_.weights().end() - 1));
  }
  void take(double loss, Vector<double> gradient, Vector<double> gram) {
    need_size(gradient, d_ + 1, "gradient");
    need_size(gram, (d_ + 1) * (d_ + 1), "gram");
    const std::vector<double> matrix = copied(gram);
    unlocked([&] { steps_.take(loss, copied(gradient), GivenCurvature{matrix, d_ + 1}); });
  }

 private:
  std::size_t d_;
  NewtonSteps steps_;
};

LineMoments line_moments_of(Vector<double> gram, Vector<double> products, double squares) {
  need_size(gram, products.shape(0) * products.shape(0), "gram");
  return {copied(gram), copied(products), squares};
}

FitRules squared(FitRules rules, std::size_t d) {
  rules.loss = Loss::squared, rules.direct = d;
  return rules;
}

class BoundHinge {
 public:
  BoundHinge(std::size_t d, const FitRules& rules) : d_(d), steps_(squared(rules, d)) {}

  bool done() const { return steps_.done(); }
  nb::object best() const { return to_numpy(std::vector<double>(steps_.best())); }
  nb::object gap() const { return to_numpy(std::vector<double>(steps_.gap())); }
  void take_sides(Vector<double> gram, Vector<double> products, double squares, Vector<double> other_gram,
                  Vector<double> other_products, double other_squares) {
    need_size(products, d_ + 1, "products");
    need_size(other_products, d_ + 1, "other_products");
    const LineMoments left = line_moments_of(gram, products, squares);
    const LineMoments right = line_moments_of(other_gram, other_products, other_squares);
    unlocked([&] { steps_.take_sides(left, right); });
  }
  bool take_counts(std::size_t n, std::size_t above, std::size_t left, std::size_t both) {
    return steps_.take_counts(n, above, left, both);
  }

 private:
  std::size_t d_;
  HingeSteps steps_;
};

// A weight for each column.
nb::object ridge_direction(Vector<double> gram, Vector<double> products, double squares, const FitRules& rules) {
  if (products.shape(0) == 0) throw std::invalid_argument("'products' must have an entry for the constant");
  const LineMoments rows = line_moments_of(gram, products, squares);
  std::vector<double> line = unlocked([&] { return ridge_line(rows, squared(rules, rows.products.size())); });
  line.pop_back();
  return to_numpy(std::move(line));
}

// The canonical directions (directions x columns); `sums` has those of each class that has rows.
nb::object canonical(Vector<double> mass, Matrix sums, Vector<double> gram, const FitRules& rules, std::size_t most) {
  const std::size_t k = mass.shape(0), d = sums.shape(1);
  need_size(sums, k, "sums");
  need_size(gram, (d + 1) * (d + 1), "gram");
  if (k == 0) throw std::invalid_argument("no class has rows");
  std::vector<double> found;
  unlocked([&] {
    const ClassMoments moments{copied(mass), std::vector<double>(sums.data(), sums.data() + k * d), copied(gram)};
    for (const Direction& w : canonical_directions(moments, rules.l2, most))
      found.insert(found.end(), w.begin(), w.end());
  });
  return to_numpy(std::move(found), d);
}

// Directions (a row each) in the units of the data; those that are no planes are left out.
nb::object planes_of(Matrix directions, Vector<double> scale) {
  const std::size_t d = directions.shape(1);
  need_size(scale, d, "scale");
  std::vector<double> planes;
  for (std::size_t i = 0; i < directions.shape(0); ++i) {
    Direction w(directions.data() + i * d, directions.data() + (i + 1) * d);
    if (std::all_of(w.begin(), w.end(), [](double x) { return std::isfinite(x); }) && in_data_units(scale.data(), w))
      planes.insert(planes.end(), w.begin(), w.end());
  }
  return to_numpy(std::move(planes), d);
}

}  // namespace

void bind_moments(nb::module_& m) {
  m.def("column_sums", &column_sums, nb::arg("node"), nb::kw_only(), nb::arg("scales"), nb::arg("squares"),
        nb::arg("by_samples"), nb::arg("large"));
  m.def("loss_sums", &loss_sums, nb::arg("node"), nb::kw_only(), nb::arg("scales"), nb::arg("groups"),
        nb::arg("weights"), nb::arg("large_loss"), nb::arg("large"));
  m.def("class_sums", &class_sums, nb::arg("node"), nb::kw_only(), nb::arg("scales"), nb::arg("large"));
  m.def("line_sums", &line_sums, nb::arg("node"), nb::kw_only(), nb::arg("scales"), nb::arg("sides"), nb::arg("mean"),
        nb::arg("deviation"), nb::arg("large"));
  m.def("project_planes", &project_planes, nb::arg("node"), nb::arg("planes"));
  nb::class_<BoundSteps>(m, "NewtonSteps")
      .def(nb::init<std::size_t, FitRules, double>(), nb::arg("d"), nb::arg("penalty"), nb::kw_only(), nb::arg("mass"))
      .def_prop_ro("done", &BoundSteps::done)
      .def_prop_ro("at", &BoundSteps::at)
      .def_prop_ro("weights", &BoundSteps::weights)
      .def("take", &BoundSteps::take, nb::arg("loss"), nb::arg("gradient"), nb::arg("gram"));
  nb::class_<BoundHinge>(m, "HingeSteps")
      .def(nb::init<std::size_t, const FitRules&>(), nb::arg("d"), nb::arg("penalty"))
      .def_prop_ro("done", &BoundHinge::done)
      .def_prop_ro("best", &BoundHinge::best)
      .def_prop_ro("gap", &BoundHinge::gap)
      .def("take_sides", &BoundHinge::take_sides, nb::arg("gram"), nb::arg("products"), nb::arg("squares"),
           nb::arg("other_gram"), nb::arg("other_products"), nb::arg("other_squares"))
      .def("take_counts", &BoundHinge::take_counts, nb::arg("n"), nb::arg("above"), nb::arg("left"), nb::arg("both"));
  m.def("ridge_direction", &ridge_direction, nb::arg("gram"), nb::arg("products"), nb::arg("squares"),
        nb::arg("penalty"));
  m.def("canonical_directions", &canonical, nb::arg("mass"), nb::arg("sums"), nb::arg("gram"), nb::arg("penalty"),
        nb::kw_only(), nb::arg("most"));
  m.def("planes_of", &planes_of, nb::arg("directions"), nb::arg("scale"));
}

}  // namespace askew::linear
