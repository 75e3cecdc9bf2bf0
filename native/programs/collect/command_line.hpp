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
  int runtimes_of = 0;  // a process whose runtimes are examined; 0: none
  bool die_with_parent = false;
};

// Parses and validates the whole command line. Returns nullopt if help or the version was printed.
// Throws failure (usage).
std::optional<parsed_command_line> parse_command_line(const std::vector<std::string>& words);

}  // namespace stallscope::collect
