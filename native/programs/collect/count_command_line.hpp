// The command line of stallscope-collect count.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "count/options.hpp"

namespace stallscope::collect {

// Parses the program's whole command line, including "count". Returns nullopt if help was printed.
// Throws failure (usage).
std::optional<count::count_options> parse_count_command_line(const std::vector<std::string>& words);

}  // namespace stallscope::collect
