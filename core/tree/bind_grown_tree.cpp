// A tree that a kernel has grown: its arrays, which Python reads once.
#include "bind.hpp"
#include "tree/grown_tree.hpp"

namespace askew::tree {
namespace {

using Tree = nb::class_<GrownTree>;

// An array of the tree as a property: a view that keeps the tree alive.
template <class T>
void array(Tree& tree, const char* name, std::vector<T> GrownTree::* values) {
  tree.def_prop_ro(name, [values](nb::handle_t<GrownTree> self) {
    std::vector<T>& own = nb::cast<GrownTree&>(self).*values;
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(own.data(), {own.size()}, self);
  });
}

}  // namespace

void bind_grown_tree(nb::module_& m) {
  Tree tree(m, "GrownTree");
  array(tree, "kind", &GrownTree::kind);
  array(tree, "first_child", &GrownTree::first_child);
  array(tree, "feature_start", &GrownTree::feature_start);
  array(tree, "feature", &GrownTree::feature);
  array(tree, "weight", &GrownTree::weight);
  array(tree, "threshold", &GrownTree::threshold);
  array(tree, "n_samples", &GrownTree::n_samples);
  array(tree, "mass", &GrownTree::mass);
  array(tree, "impurity", &GrownTree::impurity);
  tree.def_prop_ro("value", [](nb::handle_t<GrownTree> self) {
    GrownTree& own = nb::cast<GrownTree&>(self);
    return nb::ndarray<nb::numpy, double, nb::ndim<2>>(own.value.data(),
                                                       {own.value.size() / own.n_outputs, own.n_outputs}, self);
  });
  tree.def_ro("n_evaluated", &GrownTree::n_evaluated);
}

}  // namespace askew::tree
