// The command line of the loader.
#pragma once

#include <optional>

#include "load/options.hpp"

namespace stallscope::load {

struct command_line {
  options settings;
  bool die_with_parent = false;
};

// Returns nothing after printing help or the version. Throws failure (usage).
std::optional<command_line> parse_command_line(int argc, char** argv);

}  // namespace stallscope::load
