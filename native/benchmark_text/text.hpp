// Fields and keys of the benchmark format, in UTF-8; invalid bytes are characters of one byte.
#pragma once

#include <string_view>

namespace stallscope::benchmark_text {

// Removes the first field and the space after it from the text, and returns the field.
std::string_view take_field(std::string_view& text);

struct configuration_line {
  std::string_view key;  // empty if the line is no configuration
  std::string_view value;
};

// "key: value": the key starts with a lower-case letter and has no space or capital.
configuration_line parse_configuration(std::string_view line);

}  // namespace stallscope::benchmark_text
