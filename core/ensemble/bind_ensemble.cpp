// Walks of many trees at once.
#include "bind.hpp"
#include "ensemble/packed_walk.hpp"

namespace askew::ensemble {

using namespace numeric;
using namespace tree;

namespace {

// Keeps the trees alive whose arrays a walk reads.
struct BoundTrees {
  std::vector<nb::object> kept;
  PackedWalk walk;
  std::int64_t width = 0;  // columns that the trees read

  explicit BoundTrees(const nb::sequence& trees) : kept(objects(trees)), walk(views(kept)) {
    for (const nb::object& tree : kept) {
      const auto& feature = nb::cast<const BoundTree&>(tree).feature;
      for (std::size_t i = 0; i < feature.shape(0); ++i) width = std::max(width, feature.data()[i] + 1);
    }
  }
  BoundTrees(const BoundTrees&) = delete;
  void need_columns(const Matrix& X) const {
    if (X.shape(1) < static_cast<std::size_t>(width))
      throw std::invalid_argument("'X' must have " + std::to_string(width) + " columns, got " +
                                  std::to_string(X.shape(1)));
  }

 private:
  static std::vector<nb::object> objects(const nb::sequence& trees) {
    std::vector<nb::object> all;
    for (nb::handle tree : trees) all.push_back(nb::borrow(tree));
    return all;
  }
  static std::vector<TreeView> views(const std::vector<nb::object>& trees) {
    std::vector<TreeView> all;
    for (const nb::object& tree : trees) all.push_back(nb::cast<const BoundTree&>(tree).view());
    return all;
  }
};

// The node that each row ends in, of each tree (rows x trees).
nb::object apply_packed(const BoundTrees& trees, Matrix X, int threads) {
  trees.need_columns(X);
  std::vector<std::int64_t> leaf(X.shape(0) * trees.walk.n_trees());
  Interrupt interrupt(heartbeat(nb::none()));
  unlocked([&] { trees.walk.apply(X.data(), X.shape(0), X.shape(1), leaf.data(), threads, interrupt); });
  return to_numpy(std::move(leaf), trees.walk.n_trees());
}

using Mask = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The sum, over the trees, of the entries of the nodes that each row ends in (rows x columns of `entry`). With
// `counted` (rows x trees), over some of the trees alone.
nb::object sum_packed(const BoundTrees& trees, Matrix entry, Matrix X, int threads, std::optional<Mask> counted) {
  trees.need_columns(X);
  need_size(entry, trees.walk.n_nodes(), "entry");
  if (counted) {
    need_size(*counted, X.shape(0), "counted");
    if (counted->shape(1) != trees.walk.n_trees())
      throw std::invalid_argument("'counted' must have a column for each tree");
  }
  const std::size_t k = entry.shape(1);
  std::vector<double> sum(X.shape(0) * k);
  Interrupt interrupt(heartbeat(nb::none()));
  unlocked([&] {
    trees.walk.sum(entry.data(), k, X.data(), X.shape(0), X.shape(1), sum.data(), counted ? counted->data() : nullptr,
                   threads, interrupt);
  });
  return to_numpy(std::move(sum), k);
}

}  // namespace

void bind_ensemble(nb::module_& m) {
  nb::class_<BoundTrees>(m, "Trees").def(nb::init<const nb::sequence&>(), nb::arg("trees"));
  m.def("apply_packed", &apply_packed, nb::arg("trees"), nb::arg("X"), nb::arg("threads"));
  m.def("sum_packed", &sum_packed, nb::arg("trees"), nb::arg("entry"), nb::arg("X"), nb::arg("threads"),
        nb::arg("counted").none() = nb::none());
}

}  // namespace askew::ensemble
