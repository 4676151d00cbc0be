// CE-DT: counts the rows above each of many hyperplanes, by a matrix product that is consumed tile by tile.
//
//   rows, by class   planes ->  panel 0   panel 1  ...
//   a a a b          tile 0     96 x 16   96 x 16        a tile's values stay in the cache; only their signs
//   b b b c          tile 1     96 x 16   96 x 16        are counted, class by class
//
// The product is in float32. A row has unit length there, so that one bound holds for every value: a value
// within it is computed again in float64, in a fixed order. The counts are therefore those of float64,
// whether a value was computed as a product or with tables (lookup_tables.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cedt/lookup_tables.hpp"
#include "cedt/median_score.hpp"
#include "cedt/points.hpp"
#include "cedt/side_sums.hpp"
#include "cedt/simd_kernels.hpp"
#include "numeric/parallel.hpp"

namespace askew::cedt {

using namespace numeric;
using namespace score;

class PlaneCounter {
 public:
  static constexpr std::size_t kStep = 6;  // a multiple of every kernel's

  // What is counted besides the rows.
  struct What {
    double centre = 0;        // moments are taken about it
    bool samples = true;      // whether samples are counted apart from rows
    bool medians = false;     // regression: the absolute deviation from the medians of both sides, and no moments
    double least_weight = 0;  // sides with less have no medians
    MomentGrid grid = {};     // what moments are rounded to
  };

  PlaneCounter(const Target& target, const Points& points, const std::uint32_t* rows, std::size_t n, const What& what,
               int threads, const Kernels& lanes)
      : target_(target), points_(points), what_(what), order_(sorted(target, rows, n, what.medians)),
        amounts_(target, order_, !target.classification() && !what.medians, what.centre, what.samples, what.grid),
        packed_(packed(points, order_)),
        lookup_(points, packed_.empty() ? std::vector<std::uint32_t>() : order_, packed_), threads_(threads),
        lanes_(lanes) {
    const auto p = static_cast<float>(points.width());
    near_ = (p + 8) * 0x1.2p-24f;  // |error| <= (p + 4) 2^-24 for unit vectors, and some room
  }

  // Counts what is above n planes of unit length. If they are known to lie in a cone, rows that are on one side of
  // every plane in it are counted once.
  void count(const Panels& planes, std::size_t n, const Cone* cone, Interrupt& interrupt) {
    const std::size_t panels = panels_for(n);
    settle(cone);
    upper_.upper.assign(panels * amounts_.slots * kPanel, 0.0);
    upper_.present.assign(panels * amounts_.segments * kPanel, 0.0);
    upper_.medians.assign(what_.medians ? panels * kPanel : 0, 0.0);
    find_runs();
    constexpr double kProductCost = 0.05;  // of one value with one coefficient
    const auto threads =
        static_cast<std::size_t>(threads_for(threads_, kProductCost, active_.size(), points_.width() * n));
    // Each task has some panels and all the rows in order, so that sums do not depend on the threads.
    const std::size_t group = what_.medians ? 1 : std::max<std::size_t>(1, panels / (threads == 1 ? 1 : 4 * threads));
    scratch_.resize(threads);
    const bool by_table = lookup_.worth(active_.size());
    parallel_for((panels + group - 1) / group, static_cast<int>(threads), interrupt,
                 [&](std::size_t task, std::size_t t) {
                   const std::size_t first = task * group, last = std::min(panels, first + group);
                   (by_table ? run_by_table(planes, n, first, last, scratch_[t], interrupt)
                             : run(planes, n, first, last, scratch_[t], interrupt));
                 });
  }

  const UpperSides& upper() const { return upper_; }
  const Amounts& amounts() const { return amounts_; }

 private:
  struct Scratch {
    LineFloats tile, values = LineFloats(kTileValues);
    std::vector<double> spare, amounts;
    std::vector<const float*> pointers = std::vector<const float*>(kTileRows);
    std::vector<const std::uint16_t*> codes;
    std::vector<float> scale;
    Lookup::Tables tables;
    std::vector<std::uint16_t> sides;
  };

  // Rows sorted by class, or by y for medians.
  static std::vector<std::uint32_t> sorted(const Target& target, const std::uint32_t* rows, std::size_t n,
                                           bool medians) {
    std::vector<std::uint32_t> order(rows, rows + n);
    if (target.classification())
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return target.label[a] < target.label[b]; });
    else if (medians)
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return target.y[a] < target.y[b]; });
    return order;
  }

  // All rows in float32; none of a larger node, whose rows are packed tile by tile, each time.
  static std::vector<float> packed(const Points& points, const std::vector<std::uint32_t>& rows) {
    constexpr std::size_t kKept = std::size_t{8} << 20;  // bytes
    std::vector<float> all;
    if (rows.size() * points.width() * sizeof(float) > kKept) return all;
    all.resize(rows.size() * points.width());
    std::vector<double> spare;
    for (std::size_t i = 0; i < rows.size(); ++i) points.pack(rows[i], &all[i * points.width()], spare);
    return all;
  }

  // Finds the rows on which the planes may differ, and counts the others.
  //
  // A plane at an angle t to the mean plane leaves a row of unit length on its side if its value there is
  // larger than sin t.
  void settle(const Cone* cone) {
    const std::size_t p = points_.width();
    upper_.settled.assign(amounts_.slots, 0.0);
    upper_.settled_rows.assign(amounts_.segments, 0.0);
    active_.clear();
    if (what_.medians) sides_.assign(order_.size(), 0);
    constexpr double kDrawn = 1e-5;  // more than what a direction is off in float32
    const bool narrow = cone && cone->deficit < 0.5;
    const double sine = narrow ? std::sqrt(cone->deficit * (2 - cone->deficit)) + 2.0 * near_ + kDrawn : 2;
    if (sine >= 1) {
      active_.resize(order_.size());
      std::iota(active_.begin(), active_.end(), 0u);
      return;
    }
    std::vector<float> row(p);
    std::vector<float> centre(cone->mean, cone->mean + p);
    std::vector<double> spare;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const float* x = packed_.empty() ? row.data() : &packed_[i * p];
      if (packed_.empty()) points_.pack(order_[i], row.data(), spare);
      const double value = dot(x, centre.data(), p);
      if (std::abs(value) <= sine) {
        active_.push_back(static_cast<std::uint32_t>(i));
      } else if (value > 0) {
        upper_.settled_rows[amounts_.segment_of(order_[i])] += 1;
        amounts_.add(order_[i], upper_.settled.data());
        if (what_.medians) sides_[i] = 0xffff;
      }
    }
  }

  // Where the runs of active rows of the same segment end.
  void find_runs() {
    run_ends_.clear();
    for (std::size_t i = 1; i <= active_.size(); ++i)
      if (i == active_.size() || amounts_.segment_of(order_[active_[i]]) != amounts_.segment_of(order_[active_[i - 1]]))
        run_ends_.push_back(i);
  }
  static float dot(const float* x, const float* y, std::size_t p) {
    float sums[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= p; j += 8)
      for (std::size_t l = 0; l < 8; ++l) sums[l] += x[j + l] * y[j + l];
    float sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; j < p; ++j) sum += x[j] * y[j];
    return sum;
  }

  // The panels [first, last) on all active rows, tile by tile.
  void run(const Panels& planes, std::size_t n, std::size_t first, std::size_t last, Scratch& s, Interrupt& interrupt) {
    const std::size_t p = points_.width();
    if (what_.medians) s.sides = sides_;
    if (packed_.empty()) s.tile.resize(kTileRows * p);
    s.pointers.resize(kTileRows);
    for (std::size_t begin = 0; begin < active_.size(); begin += kTileRows) {
      interrupt.check();
      const std::size_t rows = std::min(kTileRows, active_.size() - begin);
      const std::uint32_t* active = active_.data() + begin;
      for (std::size_t i = 0; i < rows; ++i) {
        if (packed_.empty()) points_.pack(order_[active[i]], &s.tile[i * p], s.spare);
        s.pointers[i] = packed_.empty() ? &s.tile[i * p] : &packed_[active[i] * p];
      }
      take_amounts(active, rows, s);
      const std::size_t steps = padded(rows, s.pointers);
      for (std::size_t panel = first; panel < last; ++panel) {
        lanes_.product(s.pointers.data(), steps, planes.panel(panel), p, s.values.data());
        consume(planes, n, panel, begin, rows, s.amounts.data(), s);
      }
    }
    if (what_.medians) take_medians(first, s);
  }

  // The same by table. A panel's tables serve all rows.
  void run_by_table(const Panels& planes, std::size_t n, std::size_t first, std::size_t last, Scratch& s,
                    Interrupt& interrupt) {
    if (what_.medians) s.sides = sides_;
    const std::size_t n_active = active_.size();
    s.pointers.resize(n_active + kStep);
    s.codes.resize(n_active + kStep);
    s.scale.resize(n_active + kStep);
    for (std::size_t i = 0; i < n_active; ++i) {
      s.pointers[i] = lookup_.rest_of(active_[i]);
      s.codes[i] = lookup_.codes_of(active_[i]);
      s.scale[i] = lookup_.scale_of(active_[i]);
    }
    padded(n_active, s.pointers);
    padded(n_active, s.codes);
    take_amounts(active_.data(), n_active, s);
    for (std::size_t panel = first; panel < last; ++panel) {
      interrupt.check();
      lookup_.fill(planes.panel(panel), lanes_, s.tables);
      for (std::size_t begin = 0; begin < n_active; begin += kTileRows) {
        const std::size_t rows = std::min(kTileRows, n_active - begin), steps = (rows + kStep - 1) / kStep * kStep;
        const bool rest = lookup_.rest_width() > 0;
        if (rest)
          lanes_.product(&s.pointers[begin], steps, s.tables.rest.data(), lookup_.rest_width(), s.values.data());
        lanes_.sum_entries(&s.codes[begin], steps, lookup_.n_groups(), s.tables.sums.data(), &s.scale[begin], rest,
                           s.values.data());
        consume(planes, n, panel, begin, rows, s.amounts.data() + begin * amounts_.each, s);
      }
    }
    if (what_.medians) take_medians(first, s);
  }

  void take_amounts(const std::uint32_t* active, std::size_t rows, Scratch& s) const {
    s.amounts.resize(rows * amounts_.each);
    for (std::size_t i = 0; amounts_.each > 0 && i < rows; ++i)
      amounts_.of(order_[active[i]], &s.amounts[i * amounts_.each]);
  }
  // Rows are multiplied a few at a time: repeats the last row until there are enough.
  template <class T>
  static std::size_t padded(std::size_t rows, std::vector<T>& of) {
    std::size_t n = rows;
    for (; n % kStep != 0; ++n) of[n] = of[rows - 1];
    return n;
  }
  void take_medians(std::size_t panel, const Scratch& s) {
    for (std::size_t c = 0; c < kPanel; ++c)
      upper_.medians[panel * kPanel + c] = median_score(target_, order_, s.sides, c, what_.least_weight);
  }

  // Counts the signs of a tile, one run of rows of the same segment after the other.
  void consume(const Panels& planes, std::size_t n, std::size_t panel, std::size_t first, std::size_t rows,
               const double* amounts, Scratch& s) {
    const std::uint32_t* active = active_.data() + first;
    for (std::size_t begin = 0; begin < rows;) {
      const std::size_t segment = amounts_.segment_of(order_[active[begin]]);
      const std::size_t end =
          std::min(rows, *std::upper_bound(run_ends_.begin(), run_ends_.end(), first + begin) - first);
      float* values = s.values.data() + begin * kPanel;
      std::int32_t count[kPanel] = {};
      if (lanes_.count_upper(values, end - begin, near_, count)) {
        recompute(planes, n, panel, active + begin, end - begin, values);
        std::fill(count, count + kPanel, 0);
        lanes_.count_upper(values, end - begin, near_, count);
      }
      double* present = &upper_.present[(panel * amounts_.segments + segment) * kPanel];
      for (std::size_t c = 0; c < kPanel; ++c) present[c] += count[c];
      for (std::size_t a = 0; a < amounts_.each; ++a)
        lanes_.sum_upper(values, end - begin, &amounts[begin * amounts_.each + a], amounts_.each,
                         &upper_.upper[(panel * amounts_.slots + amounts_.slot(segment, a)) * kPanel]);
      if (what_.medians)
        for (std::size_t i = begin; i < end; ++i) {
          unsigned bits = 0;
          for (std::size_t c = 0; c < kPanel; ++c) bits |= static_cast<unsigned>(s.values[i * kPanel + c] >= 0) << c;
          s.sides[active[i]] = static_cast<std::uint16_t>(bits);
        }
      begin = end;
    }
  }

  // Replaces each value near 0 by the sign of its float64 value.
  void recompute(const Panels& planes, std::size_t n, std::size_t panel, const std::uint32_t* active, std::size_t rows,
                 float* values) const {
    const std::size_t planes_here = std::min(kPanel, n - panel * kPanel);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t c = 0; c < planes_here; ++c) {
        float& value = values[i * kPanel + c];
        if (std::abs(value) > near_) continue;
        const double exact = points_.value(order_[active[i]], planes.panel(panel) + c, kPanel);
        value = exact >= 0 ? 1.0f : -1.0f;
      }
  }

  Target target_;
  Points points_;
  What what_;
  std::vector<std::uint32_t> order_, active_;  // rows by class (or by y); places in `order_`
  std::vector<std::size_t> run_ends_;          // places in `active_`
  Amounts amounts_;
  std::vector<float> packed_;
  Lookup lookup_;
  int threads_;
  const Kernels& lanes_;
  float near_ = 0;
  UpperSides upper_;
  std::vector<std::uint16_t> sides_;
  std::vector<Scratch> scratch_;
};

}  // namespace askew::cedt
