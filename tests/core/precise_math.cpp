// The errors of core/numeric/precise_math.hpp beside the C library's functions in more digits than a double has, in
// units in the last place; `tests/core/test_precise_math.py` compiles it and reads what it prints: name, largest error,
// and the share of arguments for which the library's function in double gives the same bits.
#include "numeric/precise_math.hpp"

#include <cfloat>
#include <cmath>
#include <cstdio>

#include "numeric/rng.hpp"

namespace {

using namespace askew::numeric;

template <class Draw, class Mine, class Library, class Reference>
void measure(const char* name, Draw draw, Mine mine, Library library, Reference reference) {
  constexpr int kArguments = 200'000;
  Rng rng(1);
  long double largest = 0;
  int same = 0;
  for (int i = 0; i < kArguments; ++i) {
    const double x = draw(rng), found = mine(x);
    const long double right = reference(static_cast<long double>(x));
    const long double unit = std::ldexp(1.0L, std::ilogb(static_cast<double>(right)) - 52);
    largest = std::fmax(largest, std::fabs(found - right) / unit);
    same += found == library(x);
  }
  std::printf("%s %.6Lf %.6f\n", name, largest, static_cast<double>(same) / kArguments);
}

}  // namespace

int main() {
  static_assert(LDBL_MANT_DIG > DBL_MANT_DIG);
  const auto between = [](double low, double high) { return [=](Rng& rng) { return rng.between(low, high); }; };
  const auto scaled = [](Rng& rng) { return std::ldexp(1 + rng.uniform(), static_cast<int>(rng.below(200)) - 100); };
  const auto e = [](double x) { return precise_exp(x); };
  const auto e_of = [](double x) { return std::exp(x); };
  const auto e_long = [](long double x) { return std::exp(x); };
  measure("exp", between(-700, 700), e, e_of, e_long);
  measure("exp-small", between(-1, 1), e, e_of, e_long);
  const auto m = [](double x) { return precise_expm1(x); };
  const auto m_of = [](double x) { return std::expm1(x); };
  const auto m_long = [](long double x) { return std::expm1(x); };
  measure("expm1", between(-40, 40), m, m_of, m_long);
  measure(
      "expm1-small", [](Rng& rng) { return -std::ldexp(1 + rng.uniform(), -static_cast<int>(rng.below(70))); }, m, m_of,
      m_long);
  const auto l = [](double x) { return precise_log2(x); };
  const auto l_of = [](double x) { return std::log2(x); };
  const auto l_long = [](long double x) { return std::log2(x); };
  measure("log2", scaled, l, l_of, l_long);
  measure("log2-share", [](Rng& rng) { return (1 + rng.uniform() * 100) / 101; }, l, l_of, l_long);
  measure("log2-whole", [](Rng& rng) { return 2.0 + static_cast<double>(rng.below(1'000'000)); }, l, l_of, l_long);
  measure(
      "pow", between(-1, 1), [](double y) { return precise_pow(0.01 / 0.3, y); },
      [](double y) { return std::pow(0.01 / 0.3, y); },
      [](long double y) { return std::pow(static_cast<long double>(0.01 / 0.3), y); });
  measure(
      "pow-large", between(-200, 200), [](double y) { return precise_pow(7.3, y); },
      [](double y) { return std::pow(7.3, y); },
      [](long double y) { return std::pow(static_cast<long double>(7.3), y); });
}
