// The geometric mean as benchstat computes it, equal in each bit.
#pragma once

#include <span>

namespace stallscope::benchmark_text {

// NaN without values, or if a value is not positive. benchstat's CSV prints all digits, so
// logarithm and exponential follow Go's assembly for x86-64 with FMA instead of the C library's.
double geometric_mean(std::span<const double> values);

}  // namespace stallscope::benchmark_text
