// The command line of stallscope-collect count.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "count/options.hpp"

namespace stallscope::collect {

struct parsed_count_command_line {
  count::count_options options;
  bool die_with_parent = false;
};

// Parses the program's whole command line, including "count". Returns nullopt if help was printed.
// Throws failure (usage).
std::optional<parsed_count_command_line> parse_count_command_line(
    const std::vector<std::string>& words);

}  // namespace stallscope::collect
