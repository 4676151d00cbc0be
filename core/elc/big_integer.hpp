// Integers of any size, for the sides of planes that floating point leaves open in CART-ELC.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace askew::elc {

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;
#endif

// A number as fraction * 2^exponent: may lie far outside the range of a double.
struct Scaled {
  double fraction = 0;
  int exponent = 0;
  double times_power_of_two(int more) const { return std::ldexp(fraction, exponent + more); }
};

class BigInteger {
 public:
  BigInteger() = default;
  // mantissa * 2^shift
  BigInteger(std::int64_t mantissa, int shift) : negative_(mantissa < 0) {
    auto size = mantissa < 0 ? 0 - static_cast<std::uint64_t>(mantissa) : static_cast<std::uint64_t>(mantissa);
    if (size == 0) return;
    limbs_.assign(static_cast<std::size_t>(shift / 32), 0);
    const int bits = shift % 32;
    limbs_.push_back(static_cast<std::uint32_t>(size << bits));
    size = size >> (32 - bits);
    for (; size > 0; size >>= 32) limbs_.push_back(static_cast<std::uint32_t>(size));
    trim();
  }

  int sign() const { return limbs_.empty() ? 0 : negative_ ? -1 : 1; }

  Scaled scaled() const {
    double fraction = 0;  // the three upper limbs hold at least 65 bits
    const std::size_t n = limbs_.size(), low = n > 3 ? n - 3 : 0;
    for (std::size_t i = n; i-- > low;) fraction = fraction * 4294967296.0 + limbs_[i];
    return {negative_ ? -fraction : fraction, static_cast<int>(32 * low)};
  }

  BigInteger operator-() const {
    BigInteger result = *this;
    result.negative_ = !negative_;
    return result;
  }
  friend BigInteger operator+(const BigInteger& a, const BigInteger& b) {
    if (a.negative_ == b.negative_) return BigInteger(add(a.limbs_, b.limbs_), a.negative_);
    const int order = compare(a.limbs_, b.limbs_);
    if (order == 0) return {};
    return order > 0 ? BigInteger(subtract(a.limbs_, b.limbs_), a.negative_)
                     : BigInteger(subtract(b.limbs_, a.limbs_), b.negative_);
  }
  friend BigInteger operator-(const BigInteger& a, const BigInteger& b) { return a + -b; }
  friend BigInteger operator*(const BigInteger& a, const BigInteger& b) {
    Limbs product(a.limbs_.size() + b.limbs_.size(), 0);
    for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < b.limbs_.size(); ++j) {
        carry += static_cast<std::uint64_t>(a.limbs_[i]) * b.limbs_[j] + product[i + j];
        product[i + j] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
      product[i + b.limbs_.size()] = static_cast<std::uint32_t>(carry);
    }
    return BigInteger(std::move(product), a.negative_ != b.negative_);
  }

 private:
  using Limbs = std::vector<std::uint32_t>;  // lowest first, none for zero

  BigInteger(Limbs&& limbs, bool negative) : limbs_(std::move(limbs)), negative_(negative) { trim(); }
  void trim() {
    while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  }
  static int compare(const Limbs& a, const Limbs& b) {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    for (std::size_t i = a.size(); i-- > 0;)
      if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
  }
  static Limbs add(const Limbs& a, const Limbs& b) {
    Limbs sum(std::max(a.size(), b.size()) + 1);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      carry += (i < a.size() ? a[i] : 0ull) + (i < b.size() ? b[i] : 0ull);
      sum[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return sum;
  }
  static Limbs subtract(const Limbs& a, const Limbs& b) {  // a > b
    Limbs rest(a.size());
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      borrow += static_cast<std::int64_t>(a[i]) - (i < b.size() ? static_cast<std::int64_t>(b[i]) : 0);
      rest[i] = static_cast<std::uint32_t>(borrow);
      borrow >>= 32;
    }
    return rest;
  }

  Limbs limbs_;
  bool negative_ = false;
};

// The same face for numbers of 128 bits and without a limit.
inline int sign_of(const BigInteger& value) { return value.sign(); }
inline Scaled scaled(const BigInteger& value) { return value.scaled(); }
inline void assign(BigInteger& to, std::int64_t mantissa, int shift) { to = BigInteger(mantissa, shift); }

#ifdef __SIZEOF_INT128__
inline int sign_of(Int128 value) { return value < 0 ? -1 : value > 0; }
// The nearest double, as a cast gives it: for that Clang calls a function which it does not link on Windows.
inline double to_double(Int128 value) {
  const UInt128 size = value < 0 ? 0 - static_cast<UInt128>(value) : static_cast<UInt128>(value);
  const int above = std::bit_width(static_cast<std::uint64_t>(size >> 64));  // bits that 64 do not hold
  const std::uint64_t below = above > 0 && (size << (128 - above)) != 0;     // whether they cut off more than zeros
  const double rounded = static_cast<double>(static_cast<std::uint64_t>(size >> above) | below);
  return std::ldexp(value < 0 ? -rounded : rounded, above);
}
inline Scaled scaled(Int128 value) { return {to_double(value), 0}; }
inline void assign(Int128& to, std::int64_t mantissa, int shift) {
  to = static_cast<Int128>(mantissa) * (static_cast<Int128>(1) << shift);
}
#endif

}  // namespace askew::elc
