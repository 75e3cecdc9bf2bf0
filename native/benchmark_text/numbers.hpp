// Numbers in the syntax of the Go language, as the benchmark format has them.
#pragma once

#include <optional>
#include <string_view>

namespace stallscope::benchmark_text {

enum class number_error { none, syntax, range };

struct measurement {
  double value;
  number_error error;
};

// A decimal or hexadecimal floating-point number, Inf or NaN; about 10 ns for a usual one.
measurement parse_measurement(std::string_view text);

// Checks a decimal integer of 64 bits with an optional sign.
number_error check_count(std::string_view text);

// "invalid syntax" or "value out of range".
std::string_view description(number_error error);

}  // namespace stallscope::benchmark_text
