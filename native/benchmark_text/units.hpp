// Units of benchmark values in base units: ns becomes sec and MB becomes B, in the numerator only.
#pragma once

#include <string>
#include <string_view>

namespace stallscope::benchmark_text {

struct base_unit {
  std::string unit;
  double factor;  // value in the base unit / value in the original unit
};

// "ns/op" is {"sec/op", 1e-9}, "op/ns" stays.
base_unit to_base_unit(std::string_view unit);

}  // namespace stallscope::benchmark_text
