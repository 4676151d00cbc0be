// Walks of many trees at once.
#include "base/bind.hpp"
#include "ensemble/packed_walk.hpp"

namespace askew {
namespace {

// The node that each row ends in, of each tree (rows x trees).
nb::object apply_packed(const BoundTree& trees, Vector<std::uint32_t> root, Matrix X, int threads) {
  need_below(root, trees.kind.shape(0), "root");
  std::vector<std::int64_t> leaf(X.shape(0) * root.shape(0));
  Pulse pulse(heartbeat(nb::none()));
  unlocked([&] {
    apply_many(trees.view(), root.data(), root.shape(0), X.data(), X.shape(0), X.shape(1), leaf.data(), threads, pulse);
  });
  return to_numpy(std::move(leaf), root.shape(0));
}

using Mask = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The sum, over the trees, of the entries of the nodes that each row ends in (rows x columns of `entry`). With `counted`
// (rows x trees), over some of the trees alone.
nb::object sum_packed(const BoundTree& trees, Vector<std::uint32_t> root, Matrix entry, Matrix X, int threads,
                      std::optional<Mask> counted) {
  need_below(root, trees.kind.shape(0), "root");
  need_size(entry, trees.kind.shape(0), "entry");
  if (counted) {
    need_size(*counted, X.shape(0), "counted");
    if (counted->shape(1) != root.shape(0)) throw std::invalid_argument("'counted' must have a column for each tree");
  }
  const std::size_t k = entry.shape(1);
  std::vector<double> sum(X.shape(0) * k);
  Pulse pulse(heartbeat(nb::none()));
  unlocked([&] {
    sum_over_trees(trees.view(), root.data(), root.shape(0), entry.data(), k, X.data(), X.shape(0), X.shape(1), sum.data(),
                   counted ? counted->data() : nullptr, threads, pulse);
  });
  return to_numpy(std::move(sum), k);
}

}  // namespace

void bind_ensemble(nb::module_& m) {
  m.def("apply_packed", &apply_packed, nb::arg("trees"), nb::arg("root"), nb::arg("X"), nb::arg("threads"));
  m.def("sum_packed", &sum_packed, nb::arg("trees"), nb::arg("root"), nb::arg("entry"), nb::arg("X"), nb::arg("threads"),
        nb::arg("counted").none() = nb::none());
}

}  // namespace askew
