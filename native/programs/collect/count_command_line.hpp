// The command line of stallscope-collect count.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "count/options.hpp"

namespace stallscope::collect {

// Nothing where help was printed. The words are those of the program, "count" among them. Throws
// failure (usage) where they make no sense.
std::optional<count::count_options> parse_count_command_line(const std::vector<std::string>& words);

}  // namespace stallscope::collect
