#include "benchmark_text/go_functions.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace stallscope::benchmark_text {
namespace {

constexpr int max_exact_n = 20;

// The logarithm of (x - 1)! for an integer x of at least 1.
double log_gamma(int integer) {
  if (integer <= 2) {
    return 0;
  }
  const double x = integer;
  if (integer < 8) {
    double factorial = 1;
    for (int factor = integer - 1; factor >= 2; --factor) {
      factorial *= factor;
    }
    return go_log(factorial);
  }
  const double z = 1 / x;
  const double y = z * z;
  const double w =
      4.18938533204672725052e-01 +
      z * (8.33333333333329678849e-02 +
           y * (-2.77777777728775536470e-03 +
                y * (7.93650558643019558500e-04 +
                     y * (-5.95187557450339963135e-04 +
                          y * (8.36339918996282139126e-04 + y * -1.63092934096575273989e-03)))));
  return (x - 0.5) * (go_log(x) - 1) + w;
}

}  // namespace

// fdlibm's logarithm (Sun Microsystems, 1993), as in Go.
double go_log(double x) {
  if (!std::isfinite(x)) {
    return x;
  }
  // Taken from the bits; Go does not normalize subnormal numbers here.
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1022;
  double fraction = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFULL) | (1022ULL << 52));
  if (fraction < 7.07106781186547524401e-01) {
    fraction *= 2;
    --exponent;
  }
  const double f = fraction - 1;
  const double k = exponent;
  const double s = f / (2 + f);
  const double s2 = s * s;
  const double s4 = s2 * s2;
  const double odd = s2 * (6.666666666666735130e-01 +
                           s4 * (2.857142874366239149e-01 +
                                 s4 * (1.818357216161805012e-01 + s4 * 1.479819860511658591e-01)));
  const double even = s4 * (3.999999999940941908e-01 +
                            s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01));
  const double half_square = 0.5 * f * f;
  const double correction = s * (half_square + (odd + even)) + k * 1.90821492927058770002e-10;
  return k * 6.93147180369123816490e-01 - ((half_square - correction) - f);
}

double go_exp(double x) {
  if (std::isnan(x)) {
    return x;
  }
  if (x > 7.09782712893384e+02) {
    return std::numeric_limits<double>::infinity();
  }
  if (x < -746) {
    return 0;
  }
  const double exponent = std::nearbyint(1.4426950408889634073599246810018920 * x);
  double r = std::fma(-exponent, 0.69314718055966295651160180568695068359375, x);
  r = std::fma(-exponent, 0.28235290563031577122588448175013436025525412068e-12, r);
  r *= 0.0625;
  double series = 2.4801587301587301587e-5;
  for (const double term :
       {1.9841269841269841270e-4, 1.3888888888888888889e-3, 8.3333333333333333333e-3,
        4.1666666666666666667e-2, 1.6666666666666666667e-1, 0.5, 1.0}) {
    series = std::fma(series, r, term);
  }
  r *= series;  // exp(r) - 1, which is squared four times
  for (int squaring = 0; squaring < 3; ++squaring) {
    r *= r + 2;
  }
  return std::ldexp(std::fma(r + 2, r, 1.0), static_cast<int>(exponent));
}

double go_binomial(int n, int k) {
  if (k == 0 || k == n) {
    return 1;
  }
  if (k < 0 || k > n) {
    return 0;
  }
  if (n > max_exact_n) {
    return go_exp(log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1));
  }
  std::int64_t choices = 1;
  for (int taken = 1; taken <= k; ++taken) {
    choices = choices * (n - taken + 1) / taken;
  }
  return static_cast<double>(choices);
}

}  // namespace stallscope::benchmark_text
