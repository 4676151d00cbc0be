// A tree that a kernel has grown: its arrays, which Python reads once.
#include "bind.hpp"
#include "tree/grown_tree.hpp"

namespace askew::tree {
void bind_grown_tree(nb::module_& m) {
  nb::class_<GrownTree> tree(m, "GrownTree");
  bind_field(tree, "kind", &GrownTree::kind);
  bind_field(tree, "first_child", &GrownTree::first_child);
  bind_field(tree, "feature_start", &GrownTree::feature_start);
  bind_field(tree, "feature", &GrownTree::feature);
  bind_field(tree, "weight", &GrownTree::weight);
  bind_field(tree, "threshold", &GrownTree::threshold);
  bind_field(tree, "n_samples", &GrownTree::n_samples);
  bind_field(tree, "mass", &GrownTree::mass);
  bind_field(tree, "impurity", &GrownTree::impurity);
  bind_field(tree, "value", &GrownTree::value, &GrownTree::n_outputs);
  tree.def_ro("n_evaluated", &GrownTree::n_evaluated);
}

}  // namespace askew::tree
