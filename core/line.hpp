// The one-dimensional problem of OC1 and CART-LC: move a hyperplane along a line, and cut best.
//
// Row j lies at V_j(t) = V_j + t s_j. It is above the plane (V > 0) for t > t_j = -V_j / s_j if s_j > 0, for
// t < t_j if s_j < 0, and stays where it is if s_j = 0. Going from t = -inf to +inf, each row changes its side
// once, at t_j; rows with equal t_j move together:
//
//   t          t_3        t_0  = t_5        t_1
//   ------------|-------------|--------------|------------>
//    candidate     candidate      candidate     candidate      one in each open interval
//
// Left is below the plane (V <= 0), as the tree's test has it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sort.hpp"
#include "sweep.hpp"
#include "tally.hpp"

namespace askew {

struct Move {
  double t = 0;
  double score = kInfinity;  // infinite: there is no candidate
};

template <class Sides>
class LineSearch {
 public:
  LineSearch(const Sides& sides, const Target& target, std::size_t n, double min_samples_leaf)
      : sides_(sides), target_(target), n_(n), min_samples_leaf_(min_samples_leaf), keys_(n), notes_(n) {
    for (std::size_t j = 0; j < n; ++j) n_samples_ += target.samples_of(static_cast<std::uint32_t>(j));
    tallied_ = Tallies<Sides>::exist && target.classification() && !target.weight && min_samples_leaf <= 1 &&
               n < kMaxRows && target.k <= kMaxClasses;
    for (std::size_t j = 0; j < n; ++j)
      notes_[j] = static_cast<std::uint32_t>(j << kRowShift) | (tallied_ ? static_cast<std::uint32_t>(target.label[j]) << 1 : 0);
    if (n >= kMaxRows) throw std::length_error("a node of an oblique search holds at most 16,777,215 rows");
  }

  // The best of all candidates; of equals the lowest t.
  Move best(const double* V, const double* s) {
    V_ = V, s_ = s;
    if constexpr (Tallies<Sides>::exist) {
      if (tallied_ && target_.k == 2) return search(typename Tallies<Sides>::Two(sides_.criterion(), sides_.all()));
      if (tallied_) return search(typename Tallies<Sides>::Many(sides_.criterion(), sides_.all()));
    }
    return search(EveryScore(*this));
  }

  // The score of the plane itself, from the sides that rows are on.
  double score(const double* V) {
    divide(V);
    return sides_.score();
  }

  // The weighted impurity of both sides, in the units that the tree records.
  double impurity(const double* V) {
    divide(V);
    return sides_.impurity();
  }

 private:
  // An entry is a key, by which it is sorted, and a note: row (24 bits) | class (7 bits) | goes down (1 bit).
  static constexpr int kRowShift = 8, kMaxClasses = 128;
  static constexpr std::size_t kMaxRows = std::size_t{1} << 24;
  static std::size_t row_of(Keyed e) { return item_of(e) >> kRowShift; }
  double crossing(std::size_t row) const { return -V_[row] / s_[row]; }

  // Scores every candidate: for criteria and weights that no tally serves.
  struct EveryScore {
    explicit EveryScore(LineSearch& l) : line(l), samples(l.n_samples_) { line.sides_.all_left(); }
    void start(std::uint32_t note, bool right) {
      if (right) move(note & ~1u);
    }
    void started() {}
    void move(std::uint32_t note) {
      const std::uint32_t row = note >> kRowShift;
      const bool to_left = note & 1;
      if (to_left) line.sides_.to_left(row);
      else line.sides_.to_right(row);
      samples += to_left ? line.target_.samples_of(row) : -line.target_.samples_of(row);
    }
    // Whether the candidate behind `crossed` entries is the best so far.
    bool wins(std::size_t crossed) {
      if (samples < line.min_samples_leaf_ || line.n_samples_ - samples < line.min_samples_leaf_) return false;
      if constexpr (Sides::batched) {
        lefts.insert(lefts.end(), line.sides_.left().begin(), line.sides_.left().end());
        rights.insert(rights.end(), line.sides_.right().begin(), line.sides_.right().end());
        places.push_back(crossed);
        return false;
      } else {
        const double now = line.sides_.score();
        return now < score ? (score = now, true) : false;
      }
    }
    // A criterion that scores all candidates at once has its say at the end.
    std::size_t settle(std::size_t place) {
      if constexpr (Sides::batched) {
        std::vector<double> scores(places.size());
        if (!scores.empty())
          line.sides_.criterion().function(lefts.data(), rights.data(), scores.size(), line.target_.k, scores.data());
        for (std::size_t i = 0; i < scores.size(); ++i)
          if (scores[i] < score) score = scores[i], place = places[i];
      }
      return place;
    }
    LineSearch& line;
    double samples, score = kInfinity;
    std::vector<double> lefts, rights;
    std::vector<std::size_t> places;
  };

  template <class Tally>
  Move search(Tally tally) {
    spread();
    read(tally);
    sort_entries(entries_, spare_);
    std::size_t place = tally.wins(0) ? 0 : kNone;  // entries crossed at the best candidate
    const std::size_t n = entries_.size();
    const auto cross = [&](std::size_t i) { tally.move(item_of(entries_[i])); };
    for (std::size_t i = 0; i < n;) {
      if (i + 1 == n || key_of(entries_[i + 1]) - key_of(entries_[i]) > doubt_) {
        cross(i++);
        if (tally.wins(i)) place = i;
        continue;
      }
      for (const std::size_t end = order_run(i); i < end;) {  // one group of equal crossings, or several
        const double t = crossing(row_of(entries_[i]));
        do cross(i++);
        while (i < end && crossing(row_of(entries_[i])) == t);
        if (tally.wins(i)) place = i;
      }
    }
    place = tally.settle(place);
    const double t = t_behind(place);
    return std::isfinite(t) ? Move{t, tally.score} : Move{};
  }

  // Keys are x / (c + |x|) in 32 bits, x = t - m, which rises with t and is spread evenly if m is in the middle of
  // the crossings and c is how far they spread: a sample of them tells.
  void spread() {
    constexpr std::size_t kSample = 33;
    double sample[kSample];
    std::size_t size = 0;
    for (std::size_t i = 0; i < kSample; ++i) {
      const std::size_t j = i * n_ / kSample;
      if (const double t = crossing(j); std::isfinite(t)) sample[size++] = t;
    }
    const auto median = [&] {
      std::nth_element(sample, sample + size / 2, sample + size);
      return sample[size / 2];
    };
    middle_ = size ? median() : 0;
    for (std::size_t i = 0; i < size; ++i) sample[i] = std::abs(sample[i] - middle_);
    width_ = size ? median() : 1;
    if (!(width_ > 1e-5 * std::abs(middle_)) || !std::isfinite(width_)) middle_ = 0, width_ = 1;
    // Keys are rounded, by little more than one part in 2^32 as long as c is not lost beside m.
    doubt_ = 2 + static_cast<std::uint32_t>(4e-6 * std::abs(middle_) / width_);
  }

  // Makes an entry for every row that moves, and tells the tally which rows are on the right at t = -inf. Plain
  // loops, without a branch that could be mispredicted: half of the rows go up and half go down.
  template <class Tally>
  void read(Tally& tally) {
    const double m = middle_, c = width_;
    for (std::size_t j = 0; j < n_; ++j) {
      // x = -(V + m s) / s; one division makes x / (c + |x|) of it.
      const double away = V_[j] + m * s_[j];
      const double key = std::copysign(away, -away * s_[j]) / (c * std::abs(s_[j]) + std::abs(away));
      keys_[j] = static_cast<std::uint32_t>(static_cast<std::int32_t>(key * 2147483520.0)) ^ 0x80000000u;
    }
    entries_.resize(n_);
    std::size_t n = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      const auto goes_down = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(s_[j]) >> 63);
      const std::uint32_t note = notes_[j] | goes_down;
      entries_[n] = keyed(keys_[j], note);
      if (s_[j] != 0) [[likely]] {
        tally.start(note, goes_down);
        ++n;
      } else {
        tally.start(note, V_[j] > 0);
      }
    }
    entries_.resize(n);
    tally.started();
  }

  // Keys that are too close to tell: puts the run of them that begins at `begin` in the order of the exact
  // crossings, and returns where it ends.
  std::size_t order_run(std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < entries_.size() && key_of(entries_[end]) - key_of(entries_[end - 1]) <= doubt_) ++end;
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(end);
    const auto earlier = [&](Keyed a, Keyed b) { return crossing(row_of(a)) < crossing(row_of(b)); };
    if (!std::is_sorted(first, last, earlier)) std::stable_sort(first, last, earlier);
    return end;
  }

  double t_behind(std::size_t crossed) const {
    if (crossed == kNone || entries_.empty()) return 0;
    const auto at = [&](std::size_t i) { return crossing(row_of(entries_[i])); };
    if (crossed == 0) return at(0) - 1;
    if (crossed == entries_.size()) return at(crossed - 1) + 1;
    return midpoint(at(crossed - 1), at(crossed));
  }

  void divide(const double* V) {
    if constexpr (Tallies<Sides>::exist) {
      if (tallied_) {
        right_.assign(static_cast<std::size_t>(target_.k), 0);
        for (std::size_t j = 0; j < n_; ++j) right_[static_cast<std::size_t>(target_.label[j])] += V[j] > 0;
        sides_.set_right(right_);
        return;
      }
    }
    sides_.all_left();
    for (std::size_t j = 0; j < n_; ++j)
      if (V[j] > 0) sides_.to_right(static_cast<std::uint32_t>(j));
  }

  Sides sides_;
  Target target_;
  std::size_t n_;
  double min_samples_leaf_, n_samples_ = 0;
  bool tallied_ = false;
  const double* V_ = nullptr;
  const double* s_ = nullptr;
  double middle_ = 0, width_ = 1;
  std::uint32_t doubt_ = 0;
  std::vector<std::uint32_t> keys_, notes_;
  std::vector<std::uint32_t> right_;
  std::vector<Keyed> entries_, spare_;
};

}  // namespace askew
