// CART-ELC: the best of all planes through r samples in r features, by turning a plane about r-1 of them.
//
// Fixed samples and features make lines through the origin of two dimensions out of the planes (see Frame). A
// sample at y goes to the half-plane y1 > 0 by its sign s; sorted by angle, samples of one direction form a group,
// and each group is one candidate:
//
//        \   |   / group 3          A = strictly on the side of the normal (-u2, u1) of the direction u:
//    -----\--+--/------             samples with s = +1 in later groups and s = -1 in earlier ones
//         /  |  \ group 1           O = on the plane: the group itself, and all samples with y = 0
//
// Every sample passes from A to the other side, or back, once in a sweep: n log n for n candidates. Samples that lack
// one of the features stay in the right child throughout.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "elc/candidate.hpp"
#include "elc/directions.hpp"
#include "elc/side_tally.hpp"
#include "numeric/sort.hpp"

namespace askew::elc {

using namespace numeric;
using namespace score;

template <class Tally>
class AngularSweep {
 public:
  AngularSweep(const ExactTable& table, const Tally& tally, const ExhaustiveRules& rules)
      : table_(table), tally_(tally), rules_(rules), directions_(table, std::max<std::size_t>(rules.r, 2)) {}

  // Looks at all planes through the fixed points and one more, which must come behind `after`.
  void look(const Combination& fixed, std::uint64_t turn, const Combination& features, std::uint32_t after) {
    if (table_.any_lacks(fixed, features) || !directions_.set(fixed, features)) return;
    now_.turn = turn, now_.features = features, now_.fixed = fixed, after_ = after;
    if (table_.complete) read([](std::uint32_t) { return false; });
    else read([&](std::uint32_t u) { return table_.lacks(u, features); });
    sort_entries(entries_, spare_);
    sweep();
    if constexpr (Tally::batched) settle();
  }

  // r = 1: the planes x_f = v through single samples; right of v, and v itself, is the left child.
  void look_along(std::uint32_t feature) {
    const auto& value = table_.columns[feature].raw;
    entries_.clear(), always_on_.clear(), lost_.clear();
    for (std::uint32_t u = 0; u < table_.n; ++u)
      if (table_.columns[feature].lacks(u)) lost_.push_back(u);
      else entries_.push_back(u);
    sort_by_value(entries_, spare_, [&](std::uint32_t u) { return -value[u]; });
    tally_.reset();
    on_here_ = true;
    now_ = {}, now_.features = {feature}, after_ = kNoPoint;
    for (std::size_t i = 0, end; i < entries_.size(); i = end) {
      end = i + 1;
      while (end < entries_.size() && value[item_of(entries_[end])] == value[item_of(entries_[i])]) ++end;
      const auto partner = [&] {
        std::uint32_t first = kNoPoint;
        for (std::size_t j = i; j < end; ++j) first = std::min(first, item_of(entries_[j]));
        return first;
      };
      n_evaluated_ += 1 + rules_.both;
      if (rules_.both) {
        put_on_here(false);
        offer(false, true, partner);
        put_on_here(true);
      }
      for (std::size_t j = i; j < end; ++j) tally_.add(item_of(entries_[j]), 1);
      offer(true, false, partner);
    }
    if constexpr (Tally::batched) settle();
  }

  const Candidate& best() const { return best_; }
  std::size_t n_evaluated() const { return n_evaluated_; }

 private:
  static constexpr std::uint32_t kDoubt = Directions::kDoubt;

  // --- the sweep

  template <class Lacks>
  void read(Lacks lacks) {
    entries_.resize(table_.n), always_on_.clear(), lost_.clear();
    std::size_t m = 0;
    for (std::uint32_t u = 0; u < table_.n; ++u) {
      if (lacks(u)) {
        lost_.push_back(u);
        continue;
      }
      const double y1 = directions_.y1(u), y2 = directions_.y2(u);
      const auto there = static_cast<std::uint32_t>((y1 < 0) | ((y1 == 0) & (y2 < 0)));
      entries_[m] = keyed(directions_.key(u), u << 1 | there);
      if ((y1 == 0) & (y2 == 0)) [[unlikely]]
        always_on_.push_back(u);
      else ++m;
    }
    entries_.resize(m);
    tally_.fill(entries_.data(), m);
  }

  void sweep() {
    on_here_ = false;
    seen_upright_ = false;
    for (const auto u : lost_) tally_.add(u, 1);
    const std::size_t n = entries_.size();
    for (std::size_t i = 0; i < n;) {
      if constexpr (Tally::runs) {
        if (const std::size_t end = run(i); end > i) {
          i = end;
          continue;
        }
      }
      if (i + 1 == n || key_of(entries_[i + 1]) - key_of(entries_[i]) > kDoubt) {
        visit(i, i + 1);
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      while (end < n && key_of(entries_[end]) - key_of(entries_[end - 1]) <= kDoubt) ++end;
      order_run(i, end);
      while (i < end) {
        std::size_t next = i + 1;
        while (next < end && same_direction(entries_[i], entries_[next])) ++next;
        visit(i, next);
        i = next;
      }
    }
    if (rules_.eigen && !seen_upright_) visit(n, n);
  }

  // Entries that are groups by themselves and lie on one side of the turning direction: most of them.
  std::size_t run(std::size_t i) {
    const std::uint32_t key = key_of(entries_[i]);
    const std::uint32_t turning = directions_.turning_key();
    const bool earlier = key + std::uint64_t{kDoubt} < turning;
    if (rules_.both || rules_.eigen || (!earlier && key <= turning + std::uint64_t{kDoubt})) return i;
    const std::uint64_t limit = earlier ? turning - kDoubt : ~std::uint64_t{0};
    const std::size_t n = entries_.size();
    std::size_t end = i;
    while (end < n && key_of(entries_[end]) < limit &&
           (end + 1 == n || key_of(entries_[end + 1]) - key_of(entries_[end]) > kDoubt))
      ++end;
    if (end == i) return i;
    n_evaluated_ += end - i;
    const bool is_plus = directions_.plus(entries_[i]);
    put_on_here(is_plus);
    while ((i = tally_.run(entries_.data(), i, end, is_plus)) < end) {
      offer(is_plus, false, [&] { return partner(i, i + 1, false); });
      tally_.add(point_of(entries_[i]), static_cast<double>(starts_there(entries_[i])) - is_plus);
      ++i;
    }
    return end;
  }

  void order_run(std::size_t begin, std::size_t end) {
    bool equal = true;
    for (std::size_t i = begin + 1; i < end && equal; ++i) equal = same_direction(entries_[begin], entries_[i]);
    if (equal) return;
    std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(begin),
              entries_.begin() + static_cast<std::ptrdiff_t>(end),
              [&](Keyed a, Keyed b) { return directions_.cross(a, b) > 0; });
  }
  bool same_direction(Keyed a, Keyed b) const { return directions_.cross(a, b) == 0; }

  // One candidate: the plane through the group [begin, end); none in it is the plane x_f = p_f.
  void visit(std::size_t begin, std::size_t end) {
    n_evaluated_ += 1 + rules_.both;
    const bool upright = begin == end || directions_.y1(point_of(entries_[begin])) == 0;
    seen_upright_ = seen_upright_ || upright;
    const bool is_plus = begin < end ? directions_.plus(entries_[begin]) : false;
    const auto last = [&] { return partner(begin, end, upright); };
    if (rules_.both) return visit_both(begin, end, is_plus, last);
    put_on_here(is_plus);
    // With the normal (-u2, u1) the points on the plane belong to A, otherwise to the rest.
    move(begin, end, is_plus ? 0.0 : -1.0);
    offer(is_plus, false, last);
    move(begin, end, is_plus ? -1.0 : 0.0);
  }
  template <class Last>
  void visit_both(std::size_t begin, std::size_t end, bool is_plus, Last last) {
    put_on_here(true);
    move(begin, end, 0.0);
    offer(true, !is_plus, last);
    put_on_here(false);
    for (std::size_t i = begin; i < end; ++i) tally_.add(point_of(entries_[i]), -1);
    offer(false, is_plus, last);
    for (std::size_t i = begin; i < end; ++i) tally_.add(point_of(entries_[i]), item_of(entries_[i]) & 1);
  }
  void move(std::size_t begin, std::size_t end, double base) {
    for (std::size_t i = begin; i < end; ++i)
      tally_.add(point_of(entries_[i]), static_cast<double>(item_of(entries_[i]) & 1) + base);
  }
  // Points on every plane belong to the left child, points with a missing value to the right one.
  void put_on_here(bool here) {
    if (here == on_here_) return;
    for (const auto u : always_on_) tally_.add(u, here ? 1.0 : -1.0);
    for (const auto u : lost_) tally_.add(u, here ? -1.0 : 1.0);
    on_here_ = here;
  }

  // The first point of the group that may be the last sample.
  std::uint32_t partner(std::size_t begin, std::size_t end, bool upright) {
    std::uint32_t found = kNoPoint;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t u = point_of(entries_[i]);
      if (after_ == kNoPoint || u > after_) found = std::min(found, u);
    }
    now_.last = found == kNoPoint ? kNoPoint : table_.members[found][0];
    if (rules_.eigen && upright) {
      const std::uint32_t pivot = now_.fixed[0];
      std::uint32_t twin = table_.members[pivot].size() > 1 ? table_.members[pivot][1] : kNoPoint;
      for (const auto u : always_on_)
        if (u > pivot) twin = std::min(twin, table_.members[u][0]);
      if (twin < now_.last) now_.last = twin, found = kAxisPlane;
    }
    return found;
  }

  template <class Last>
  void offer(bool left, bool flipped, Last last) {
    const double score = tally_.offer(left, rules_.leaf);
    if (!(score <= best_.score) || score == kWorse) return;
    now_.partner = last();
    if (now_.fixed.empty() && now_.partner != kNoPoint) now_.last = table_.members[now_.partner][0];
    now_.score = score, now_.flipped = flipped;
    if constexpr (Tally::batched) {
      pending_.push_back(now_);
    } else {
      if (now_.partner == kNoPoint || !now_.before(best_)) return;
      best_ = now_;
      tally_.accepted();
    }
  }
  void settle() {
    const auto scores = tally_.scores();
    for (std::size_t i = 0; i < scores.size(); ++i) {
      pending_[i].score = scores[i];
      if (pending_[i].partner != kNoPoint && scores[i] < kInfinity && pending_[i].before(best_)) best_ = pending_[i];
    }
    pending_.clear();
  }

  const ExactTable& table_;
  Tally tally_;
  ExhaustiveRules rules_;
  Directions directions_;
  std::vector<std::uint32_t> always_on_, lost_;
  std::vector<Keyed> entries_, spare_;
  std::uint32_t after_ = kNoPoint;
  bool on_here_ = false, seen_upright_ = false;
  Candidate now_, best_;
  std::vector<Candidate> pending_;
  std::size_t n_evaluated_ = 0;
};

}  // namespace askew::elc
