// The linear models of leaves as they come from Python: for predictions and Shapley values.
#pragma once

#include "bind.hpp"
#include "tree/leaf_outputs.hpp"

namespace askew::tree {

// The linear models of the leaves; keeps the arrays alive that `LeafModels` points into.
struct BoundModels {
  Matrix value;
  Vector<std::int64_t> start, feature;
  Matrix weight, constant;
  Vector<double> low, high;

  LeafModels view() const {
    return {value.shape(1), value.data(),    start.data(), feature.data(),
            weight.data(),  constant.data(), low.data(),   high.data()};
  }
  void check(std::size_t nodes, std::size_t columns) const {
    need_size(value, nodes, "value of the models");
    need_size(start, nodes + 1, "start");
    need_below(feature, columns, "feature");
    need_size(weight, feature.shape(0), "weight");
    need_size(constant, nodes, "constant");
    need_size(low, nodes, "low");
    need_size(high, nodes, "high");
    if (start.data()[0] < 0 || start.data()[nodes] > static_cast<std::int64_t>(feature.shape(0)))
      throw std::invalid_argument("'start' must be places in 'feature'");
    if (weight.shape(1) != value.shape(1) || constant.shape(1) != value.shape(1))
      throw std::invalid_argument("a model must have a sum for each output");
  }
};

}  // namespace askew::tree
