// A linear model at every node of a tree, shrunk towards that of its parent: linear leaves, for any subtree.
//
//   order     rows, those of a node side by side    3 7 8 | 1 4 | 0 2 5 6
//   node 0    begin 0, end 9
//   node 1    begin 0, end 5       node 2    begin 5, end 9
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "linear/multinomial_fit.hpp"
#include "linear/principal_axes.hpp"
#include "linear/ridge_path.hpp"
#include "linear/standardised.hpp"
#include "numeric/parallel.hpp"
#include "score/target.hpp"

namespace askew::linear {

using namespace numeric;
using namespace score;

// The rows of every node, and who the parents are: parents have lower numbers. -1 for the root.
struct NodeRows {
  std::size_t n_nodes = 0;
  const std::uint32_t* order = nullptr;
  const std::int64_t *begin = nullptr, *end = nullptr, *parent = nullptr;

  std::size_t count(std::size_t node) const { return static_cast<std::size_t>(end[node] - begin[node]); }
  const std::uint32_t* rows(std::size_t node) const { return order + begin[node]; }
};

struct LeafColumns {
  const double* X = nullptr;
  std::size_t width = 0;
  const std::int64_t* features = nullptr;
  std::size_t d = 0;
};

// What a node predicts: constant[c] + weight[c * d] x_0 + ..., for numbers, or for each class c before softmax. Without
// weights it is what the node knows of its rows, whatever the row.
struct LeafModel {
  std::vector<double> weight, constant;
  double loss = 0;     // expected on other rows
  double freedom = 1;  // degrees of freedom that were spent, for numbers
  double samples = 0;
  std::vector<double> share;  // of every class, smoothed
  double low = 0, high = 0;   // range of y
  bool linear() const { return !weight.empty(); }

  // The sum of a row, one of the table's rows.
  double sum(std::size_t c, const LeafColumns& X, std::uint32_t row) const {
    double total = constant[c];
    const double* x = X.X + row * X.width;
    for (std::size_t j = 0; linear() && j < X.d; ++j)
      if (weight[c * X.d + j] != 0) total += weight[c * X.d + j] * x[X.features[j]];
    return total;
  }
};

// Numbers that are all the same to 40 bits are written the same: rounding errors of the sums leave no trace.
inline double rounded(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int power = std::ilogb(x);
  return std::ldexp(std::nearbyint(std::ldexp(x, 40 - power)), power - 40);
}

// Take weights of standardised columns and constants, as differences from the parent's, for the model of a node. False,
// and nothing is taken, if they are not finite or all zero.
inline bool adopt(LeafModel& model, const Standardised& data, const LeafModel* parent,
                  std::vector<std::vector<double>> weights, std::vector<double> constants) {
  std::vector<double> all;
  bool finite = true, any = false;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    for (std::size_t j = 0; j < data.d; ++j) {
      double w = data.scale[j] > 0 ? weights[c][j] / data.scale[j] : 0.0;
      constants[c] -= w * data.shift[j];
      if (parent && parent->linear()) w += parent->weight[c * data.d + j];
      all.push_back(rounded(w));
      finite = finite && std::isfinite(w);
      any = any || w != 0;
    }
    constants[c] = rounded(constants[c]);
    finite = finite && std::isfinite(constants[c]);
  }
  if (!finite || !any) return false;
  model.weight = std::move(all), model.constant = std::move(constants);
  return true;
}

// The least-squares model of one node. `value` is what the node predicts without one.
inline LeafModel ridge_leaf(const Target& target, const LeafColumns& X, const std::uint32_t* rows, std::size_t n,
                            double value, const LeafModel* parent, int threads, Interrupt& interrupt) {
  LeafModel model;
  model.constant = {value};
  if (n == 0) {
    model.loss = parent ? parent->loss : 0;
    return model;
  }
  const Standardised data(target, X.X, X.width, rows, n, X.features, X.d, threads, interrupt);
  std::vector<double> r(data.stride, 0.0);
  model.low = std::numeric_limits<double>::infinity(), model.high = -model.low;
  double own_loss = 0, mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double y = target.y[rows[i]];
    model.low = std::min(model.low, y), model.high = std::max(model.high, y);
    model.samples += target.samples_of(rows[i]);
    own_loss += data.weight[i] * (y - value) * (y - value);
    r[i] = y - (parent ? parent->sum(0, X, rows[i]) : value);
    mean += data.weight[i] * r[i];
  }
  own_loss /= data.mass, mean /= data.mass;
  for (std::size_t i = 0; i < n; ++i) r[i] -= mean;
  model.loss = generalised_error(own_loss, 1, model.samples);
  if (!std::isfinite(model.loss)) model.loss = parent ? parent->loss : own_loss;  // a single sample
  if (!(model.low < model.high) || model.samples < 3) return model;

  const PrincipalAxes axes(data, threads, interrupt);
  const RidgePath path(data, axes, r);
  const double inherited = parent ? parent->freedom * std::min(1.0, model.samples / parent->samples) : 0;
  const RidgeChoice choice = path.choose(model.samples, inherited);
  if (!(choice.error < model.loss * (1 - 1e-9))) return model;
  const double constant = (parent ? parent->constant[0] : value) + mean;
  if (adopt(model, data, parent, {path.weights(choice.l2)}, {constant}))
    model.loss = choice.error, model.freedom = choice.freedom;
  return model;
}

// The multinomial logistic model of one node. `value` is the weight of every class there. Its constants alone, without
// a model, are the logarithms of shares that are smoothed towards those of the parent by one sample.
inline LeafModel logistic_leaf(const Target& target, const LeafColumns& X, const std::uint32_t* rows, std::size_t n,
                               const double* value, const LeafModel* parent, int threads, Interrupt& interrupt) {
  const auto k = static_cast<std::size_t>(target.k);
  LeafModel model;
  double mass = 0, loss = 0;
  std::size_t present = 0;
  for (std::size_t i = 0; i < n; ++i) model.samples += target.samples_of(rows[i]);
  for (std::size_t c = 0; c < k; ++c) mass += value[c], present += value[c] > 0;
  model.loss = 1 - *std::max_element(value, value + k) / mass;
  for (std::size_t c = 0; c < k; ++c) {
    const double samples = value[c] / mass * model.samples;
    const double prior = parent ? parent->share[c] : 1 / static_cast<double>(k);
    model.share.push_back((samples + prior) / (model.samples + 1));
    model.constant.push_back(portable_log(model.share[c]));
    loss -= value[c] / mass * portable_log((std::max(samples - 1, 0.0) + prior) / std::max(model.samples, 1.0));
  }
  if (present < 2 || model.samples < 4) return model;

  const Standardised data(target, X.X, X.width, rows, n, X.features, X.d, threads, interrupt);
  const PrincipalAxes axes(data, threads, interrupt);
  const LeafModel& start = parent ? *parent : model;
  MultinomialRows classes{k, {}, {}, std::vector<double>(k * data.stride, 0.0)};
  for (std::size_t i = 0; i < n; ++i) {
    classes.label.push_back(static_cast<std::size_t>(target.label[rows[i]]));
    classes.sample.push_back(data.weight[i] / target.samples_of(rows[i]) / data.mass);
    for (std::size_t c = 0; c < k; ++c) classes.given[c * data.stride + i] = start.sum(c, X, rows[i]);
  }
  const MultinomialChoice choice = MultinomialFit(data, axes, classes, 1 / model.samples, interrupt).choose();
  if (!(choice.loss < loss * (1 - 1e-9))) return model;
  std::vector<std::vector<double>> weights;
  std::vector<double> constants(start.constant);
  for (std::size_t c = 0; c < k; ++c) {
    weights.push_back(axes.of_columns(&choice.w[c * (axes.size() + 1)]));
    constants[c] += choice.w[c * (axes.size() + 1) + axes.size()];
  }
  if (adopt(model, data, parent, std::move(weights), std::move(constants))) model.loss = choice.errors;
  return model;
}

// The models of all nodes, level by level: `fit(node, parent's model, threads)` makes one.
template <class Fit>
std::vector<LeafModel> models_of_nodes(const NodeRows& nodes, int threads, Interrupt& interrupt, Fit fit) {
  std::vector<LeafModel> models(nodes.n_nodes);
  std::vector<std::vector<std::size_t>> levels;
  std::vector<std::size_t> depth(nodes.n_nodes, 0);
  for (std::size_t node = 0; node < nodes.n_nodes; ++node) {
    if (nodes.parent[node] >= 0) depth[node] = depth[static_cast<std::size_t>(nodes.parent[node])] + 1;
    if (levels.size() <= depth[node]) levels.resize(depth[node] + 1);
    levels[depth[node]].push_back(node);
  }
  for (const auto& level : levels) {
    const bool apart = level.size() > 1;
    parallel_for(level.size(), apart ? threads : 1, interrupt, [&](std::size_t i, std::size_t) {
      const std::size_t node = level[i];
      const LeafModel* parent =
          nodes.parent[node] < 0 ? nullptr : &models[static_cast<std::size_t>(nodes.parent[node])];
      models[node] = fit(node, parent, apart ? 1 : threads);
    });
  }
  return models;
}

}  // namespace askew::linear
