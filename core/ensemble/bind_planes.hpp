// Grown trees as NumPy arrays, for the bindings of forests and boosting.
#pragma once

#include "bind.hpp"
#include "ensemble/grown_tree.hpp"

namespace askew::ensemble {

inline nb::dict as_arrays(GrownPlanes&& tree, std::size_t k) {
  nb::dict arrays;
  arrays["kind"] = to_numpy(std::move(tree.kind));
  arrays["first_child"] = to_numpy(std::move(tree.first_child));
  arrays["feature_start"] = to_numpy(std::move(tree.feature_start));
  arrays["feature"] = to_numpy(std::move(tree.feature));
  arrays["weight"] = to_numpy(std::move(tree.weight));
  arrays["threshold"] = to_numpy(std::move(tree.threshold));
  arrays["value"] = to_numpy(std::move(tree.value), k);
  arrays["n_samples"] = to_numpy(std::move(tree.n_samples));
  arrays["mass"] = to_numpy(std::move(tree.mass));
  arrays["impurity"] = to_numpy(std::move(tree.impurity));
  arrays["n_evaluated"] = tree.n_evaluated;
  return arrays;
}

}  // namespace askew::ensemble
