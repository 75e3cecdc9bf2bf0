// The command line of stallscope-collect.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collect/options.hpp"

namespace stallscope::collect {

struct parsed_command_line {
  collect_options options;
  bool probe = false;
  std::optional<int> exit_status;  // help or version was printed
};

// Parses and validates the whole command line. Throws failure (usage).
parsed_command_line parse_command_line(const std::vector<std::string>& words);

}  // namespace stallscope::collect
