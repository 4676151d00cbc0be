// The loss and the gradient of a soft tree, for the refinement of all planes of a tree at once.
//
// A row takes the right child of node i with probability sigma(f_i), f_i = sharpness (w_i.x + b_i), and reaches leaf l
// with the product of these along its path (Jordan & Jacobs 1994; Suarez & Lutsko 1999). With r_l the share of leaf l
// in the row's likelihood, and R the sum of r over the leaves below a child,
//   d log-likelihood / d f_i = R_right (1 - sigma) - R_left sigma
// Probabilities are kept as logarithms. Rows are taken in blocks of 64, all of them in the lanes of vectors:
//   block   x[feature][row]  f[plane][row]  log_p[node][row]  r[leaf][row]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "linear/soft_data.hpp"
#include "numeric/parallel.hpp"
#include "numeric/portable_math.hpp"
#include "numeric/simd.hpp"

namespace askew::linear {

using namespace numeric;

struct SoftGradient {
  double loss = 0;
  std::vector<double> planes;  // planes x (d + 1), the constant last
  std::vector<double> leaves;  // leaves x outputs: logits of the classes, or a number
};

constexpr double kSoftCost = 0.5;  // ns for a row, a plane and a feature, both products

class SoftTree {
 public:
  static constexpr std::size_t kRows = kSoftRows;

  SoftTree(const SoftShape& shape, const SoftData& data, std::size_t n_outputs)
      : shape_(shape), data_(data), k_(n_outputs) {}

  SoftGradient evaluate(const double* planes, const double* leaves, double sharpness, int threads,
                        Interrupt& interrupt) const {
    const std::vector<double> log_share = data_.label ? log_softmax(leaves) : std::vector<double>{};
    // As many tasks for every number of threads: their sums are added in one order.
    const std::size_t blocks = (data_.n + kRows - 1) / kRows, tasks = std::min<std::size_t>(blocks, 32);
    std::vector<SoftGradient> part(tasks);
    parallel_for(tasks, threads_for(threads, kSoftCost, data_.n, shape_.n_planes() * (data_.d + 20)), interrupt,
                 [&](std::size_t t, std::size_t) {
                   Work work(*this);
                   part[t].planes.assign(shape_.n_planes() * (data_.d + 1), 0.0);
                   part[t].leaves.assign(shape_.n_leaves * k_, 0.0);
                   for (std::size_t b = t * blocks / tasks; b < (t + 1) * blocks / tasks; ++b)
                     block(b * kRows, planes, leaves, log_share, sharpness, work, part[t]);
                 });
    SoftGradient sum = std::move(part[0]);
    for (std::size_t t = 1; t < tasks; ++t) {
      sum.loss += part[t].loss;
      for (std::size_t i = 0; i < sum.planes.size(); ++i) sum.planes[i] += part[t].planes[i];
      for (std::size_t i = 0; i < sum.leaves.size(); ++i) sum.leaves[i] += part[t].leaves[i];
    }
    if (data_.label) finish_logits(log_share, sum);
    return sum;
  }

 private:
  struct Work {
    explicit Work(const SoftTree& tree)
        : f(tree.shape_.n_planes() * kRows), sigma(f.size()), beside(f.size()), log_p(f.size()),
          leaf(tree.shape_.n_leaves * kRows), below_left(f.size()), below_right(f.size()) {}
    std::vector<double> f, sigma, beside, log_p, leaf, below_left, below_right;
    double weight[kRows];
  };

  std::vector<double> log_softmax(const double* logits) const {
    std::vector<double> shares(shape_.n_leaves * k_);
    for (std::size_t l = 0; l < shape_.n_leaves; ++l) {
      const double* q = logits + l * k_;
      const double most = *std::max_element(q, q + k_);
      double total = 0;
      for (std::size_t c = 0; c < k_; ++c) total += portable_exp(q[c] - most);
      for (std::size_t c = 0; c < k_; ++c) shares[l * k_ + c] = q[c] - most - portable_log(total);
    }
    return shares;
  }
  // So far -sum u r_l 1[y = c]; the mass of the leaf times its shares is missing.
  void finish_logits(const std::vector<double>& log_share, SoftGradient& g) const {
    for (std::size_t l = 0; l < shape_.n_leaves; ++l) {
      double mass = 0;
      for (std::size_t c = 0; c < k_; ++c) mass -= g.leaves[l * k_ + c];
      for (std::size_t c = 0; c < k_; ++c) g.leaves[l * k_ + c] += mass * portable_exp(log_share[l * k_ + c]);
    }
  }

  void block(std::size_t start, const double* planes, const double* leaves, const std::vector<double>& log_share,
             double sharpness, Work& w, SoftGradient& to) const {
    const std::size_t rows = std::min(kRows, data_.n - start);
    const double* x = data_.blocks + start * data_.d;
    for (std::size_t i = 0; i < kRows; ++i) w.weight[i] = i < rows ? data_.weight[start + i] : 0.0;
    products(planes, data_.d, shape_.n_planes(), x, sharpness, w.f.data());
    squash(w.f.data(), w.f.size(), w.sigma.data(), w.beside.data());
    descend(w);
    if (data_.label) classes(start, rows, log_share, w, to);
    else numbers(start, rows, leaves, w, to);
    // w.f now holds the gradient with respect to f.
    outer_sums(w.f.data(), shape_.n_planes(), x, data_.d, sharpness, to.planes.data());
  }

  // f[plane][row] = sharpness (w.x + b): four planes and sixteen rows at a time, what is left one plane and 32 rows.
  ASKEW_WIDE_VECTORS
  static void products(const double* planes, std::size_t d, std::size_t p, const double* x, double sharpness,
                       double* f) {
    constexpr std::size_t kTile = 16, kWide = 32;
    std::size_t i = 0;
    for (; i + 4 <= p; i += 4) {
      const double *w0 = planes + i * (d + 1), *w1 = w0 + (d + 1), *w2 = w1 + (d + 1), *w3 = w2 + (d + 1);
      for (std::size_t r = 0; r < kRows; r += kTile) {
        double s0[kTile], s1[kTile], s2[kTile], s3[kTile];
        for (std::size_t l = 0; l < kTile; ++l) s0[l] = w0[d], s1[l] = w1[d], s2[l] = w2[d], s3[l] = w3[d];
        for (std::size_t j = 0; j < d; ++j) {
          const double* at = x + j * kRows + r;
          const double a = w0[j], b = w1[j], c = w2[j], e = w3[j];
          for (std::size_t l = 0; l < kTile; ++l) {
            s0[l] += a * at[l];
            s1[l] += b * at[l];
            s2[l] += c * at[l];
            s3[l] += e * at[l];
          }
        }
        const double* sums[4] = {s0, s1, s2, s3};
        for (std::size_t a = 0; a < 4; ++a)
          for (std::size_t l = 0; l < kTile; ++l) f[(i + a) * kRows + r + l] = sharpness * sums[a][l];
      }
    }
    for (; i < p; ++i) {
      const double* w = planes + i * (d + 1);
      for (std::size_t r = 0; r < kRows; r += kWide) {
        double s[kWide];
        for (std::size_t l = 0; l < kWide; ++l) s[l] = w[d];
        for (std::size_t j = 0; j < d; ++j)
          for (std::size_t l = 0; l < kWide; ++l) s[l] += w[j] * x[j * kRows + r + l];
        for (std::size_t l = 0; l < kWide; ++l) f[i * kRows + r + l] = sharpness * s[l];
      }
    }
  }

  // sigma(f), and log(1 + exp(-|f|)).
  ASKEW_WIDE_VECTORS
  static void squash(const double* f, std::size_t n, double* sigma, double* beside) {
    for (std::size_t i = 0; i < n; ++i) {
      const double small = portable_exp(-std::abs(f[i])), upper = 1 / (1 + small);
      sigma[i] = f[i] >= 0 ? upper : small * upper;
      beside[i] = portable_log(1 + small);
    }
  }

  // The logarithms of the probabilities of all nodes and leaves.
  void descend(Work& w) const {
    std::fill_n(w.log_p.begin(), kRows, 0.0);
    for (std::size_t i = 0; i < shape_.n_planes(); ++i)
      branch(&w.log_p[i * kRows], &w.f[i * kRows], &w.beside[i * kRows], child(w, shape_.left[i]),
             child(w, shape_.right[i]));
  }
  ASKEW_WIDE_VECTORS
  static void branch(const double* from, const double* f, const double* beside, double* left, double* right) {
    for (std::size_t r = 0; r < kRows; ++r) {
      left[r] = from[r] + std::min(-f[r], 0.0) - beside[r];
      right[r] = from[r] + std::min(f[r], 0.0) - beside[r];
    }
  }
  double* child(Work& w, std::int64_t number) const {
    return number >= 0 ? &w.log_p[static_cast<std::size_t>(number) * kRows]
                       : &w.leaf[static_cast<std::size_t>(-1 - number) * kRows];
  }

  // What lies below each child, summed from the leaves up: `leaf` holds an amount for each leaf and row.
  void gather(Work& w) const {
    for (std::size_t i = shape_.n_planes(); i-- > 0;) {
      collect(w, shape_.left[i], &w.below_left[i * kRows]);
      collect(w, shape_.right[i], &w.below_right[i * kRows]);
    }
  }
  void collect(Work& w, std::int64_t number, double* to) const {
    if (number < 0) {
      std::copy_n(&w.leaf[static_cast<std::size_t>(-1 - number) * kRows], kRows, to);
    } else {
      const std::size_t at = static_cast<std::size_t>(number) * kRows;
      for (std::size_t r = 0; r < kRows; ++r) to[r] = w.below_left[at + r] + w.below_right[at + r];
    }
  }
  // w.f becomes factor (below_right (1 - sigma) - below_left sigma).
  void slopes(Work& w, const double* factor) const {
    for (std::size_t i = 0; i < shape_.n_planes(); ++i) {
      const std::size_t at = i * kRows;
      slope(factor, &w.below_left[at], &w.below_right[at], &w.sigma[at], &w.f[at]);
    }
  }
  ASKEW_WIDE_VECTORS
  static void slope(const double* factor, const double* below_left, const double* below_right, const double* sigma,
                    double* to) {
    for (std::size_t r = 0; r < kRows; ++r)
      to[r] = factor[r] * (below_right[r] * (1 - sigma[r]) - below_left[r] * sigma[r]);
  }

  void classes(std::size_t start, std::size_t rows, const std::vector<double>& log_share, Work& w,
               SoftGradient& to) const {
    const std::size_t leaves = shape_.n_leaves;
    double most[kRows], total[kRows] = {}, likelihood[kRows], factor[kRows];
    std::size_t label[kRows];
    for (std::size_t r = 0; r < kRows; ++r) {
      label[r] = static_cast<std::size_t>(data_.label[start + std::min(r, rows - 1)]);
      most[r] = -std::numeric_limits<double>::infinity();
    }
    for (std::size_t l = 0; l < leaves; ++l) {
      for (std::size_t r = 0; r < kRows; ++r) factor[r] = log_share[l * k_ + label[r]];
      add_and_raise(factor, &w.leaf[l * kRows], most);
    }
    for (std::size_t l = 0; l < leaves; ++l) exponentials(&w.leaf[l * kRows], most, total);
    logarithms(most, total, likelihood);
    for (std::size_t r = 0; r < rows; ++r) to.loss -= w.weight[r] * likelihood[r];
    for (std::size_t l = 0; l < leaves; ++l) divide(total, &w.leaf[l * kRows]);
    for (std::size_t r = 0; r < kRows; ++r)  // leaves inside: sums that do not wait for each other
      for (std::size_t l = 0; l < leaves; ++l) to.leaves[l * k_ + label[r]] -= w.weight[r] * w.leaf[l * kRows + r];
    gather(w);
    for (std::size_t r = 0; r < kRows; ++r) factor[r] = -w.weight[r];
    slopes(w, factor);
  }
  ASKEW_WIDE_VECTORS
  static void add_and_raise(const double* more, double* a, double* most) {
    for (std::size_t r = 0; r < kRows; ++r) {
      a[r] += more[r];
      most[r] = most[r] < a[r] ? a[r] : most[r];
    }
  }
  ASKEW_WIDE_VECTORS
  static void logarithms(const double* most, const double* total, double* to) {
    for (std::size_t r = 0; r < kRows; ++r) to[r] = most[r] + portable_log(total[r]);
  }
  ASKEW_WIDE_VECTORS
  static void divide(const double* total, double* share) {
    for (std::size_t r = 0; r < kRows; ++r) share[r] /= total[r];
  }

  void numbers(std::size_t start, std::size_t rows, const double* value, Work& w, SoftGradient& to) const {
    const std::size_t leaves = shape_.n_leaves;
    double none[kRows] = {}, total[kRows] = {}, mean[kRows] = {}, factor[kRows] = {};
    for (std::size_t l = 0; l < leaves; ++l) {
      double* p = &w.leaf[l * kRows];
      exponentials(p, none, total);
      for (std::size_t r = 0; r < kRows; ++r) mean[r] += p[r] * value[l];
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const double away = mean[r] - data_.y[start + r];
      to.loss += w.weight[r] * away * away;
      factor[r] = 2 * w.weight[r] * away;
    }
    for (std::size_t l = 0; l < leaves; ++l)
      for (std::size_t r = 0; r < kRows; ++r) {
        double& p = w.leaf[l * kRows + r];
        to.leaves[l] += factor[r] * p;
        p *= value[l];
      }
    gather(w);
    slopes(w, factor);
  }

  // a becomes exp(a - most), and is added to the total.
  ASKEW_WIDE_VECTORS
  static void exponentials(double* a, const double* most, double* total) {
    for (std::size_t r = 0; r < kRows; ++r) {
      a[r] = portable_exp(a[r] - most[r]);
      total[r] += a[r];
    }
  }

  // to[plane][feature] += sharpness sum over the rows of g[plane][row] x[feature][row]; the constant's feature is 1.
  ASKEW_WIDE_VECTORS
  static void outer_sums(const double* g, std::size_t p, const double* x, std::size_t d, double sharpness, double* to) {
    constexpr std::size_t kTile = 8;
    const auto total = [](const double* s) {
      return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    };
    for (std::size_t i = 0; i < p; ++i) {
      const double* own = g + i * kRows;
      double* sums = to + i * (d + 1);
      std::size_t j = 0;
      for (; j + 4 <= d; j += 4) {
        double s0[kTile] = {}, s1[kTile] = {}, s2[kTile] = {}, s3[kTile] = {};
        for (std::size_t r = 0; r < kRows; r += kTile)
          for (std::size_t l = 0; l < kTile; ++l) {
            const double a = own[r + l];
            s0[l] += a * x[j * kRows + r + l];
            s1[l] += a * x[(j + 1) * kRows + r + l];
            s2[l] += a * x[(j + 2) * kRows + r + l];
            s3[l] += a * x[(j + 3) * kRows + r + l];
          }
        sums[j] += sharpness * total(s0), sums[j + 1] += sharpness * total(s1);
        sums[j + 2] += sharpness * total(s2), sums[j + 3] += sharpness * total(s3);
      }
      for (; j < d; ++j) {
        double s[kTile] = {};
        for (std::size_t r = 0; r < kRows; r += kTile)
          for (std::size_t l = 0; l < kTile; ++l) s[l] += own[r + l] * x[j * kRows + r + l];
        sums[j] += sharpness * total(s);
      }
      double s[kTile] = {};
      for (std::size_t r = 0; r < kRows; r += kTile)
        for (std::size_t l = 0; l < kTile; ++l) s[l] += own[r + l];
      sums[d] += sharpness * total(s);
    }
  }

  SoftShape shape_;
  SoftData data_;
  std::size_t k_;
};

}  // namespace askew::linear
