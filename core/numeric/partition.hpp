// The stable partition of a node's rows by its split: for trees that grow in one go.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace askew::numeric {

// Puts the items with left(i), i the place of the item, first, in their order, without a branch that could be
// mispredicted. Returns how many they are.
template <class T, class Left>
std::size_t partition(T* items, std::size_t n, std::vector<T>& spare, Left left) {
  if (spare.size() < n) spare.resize(n);
  std::size_t n_left = 0, n_right = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T item = items[i];
    const bool l = left(i);
    items[n_left] = item;
    spare[n_right] = item;
    n_left += l;
    n_right += !l;
  }
  std::copy(spare.begin(), spare.begin() + static_cast<std::ptrdiff_t>(n_right), items + n_left);
  return n_left;
}

}  // namespace askew::numeric
