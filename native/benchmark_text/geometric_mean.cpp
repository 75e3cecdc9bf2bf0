#include "benchmark_text/geometric_mean.hpp"

#include <limits>

#include "benchmark_text/go_functions.hpp"

namespace stallscope::benchmark_text {

double geometric_mean(std::span<const double> values) {
  if (values.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  double mean = 0;
  double count = 0;
  for (const double value : values) {
    if (value <= 0) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    count += 1;
    mean += (go_log(value) - mean) / count;
  }
  return go_exp(mean);
}

}  // namespace stallscope::benchmark_text
