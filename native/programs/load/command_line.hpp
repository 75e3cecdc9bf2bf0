// The loader's command line.
#pragma once

#include <optional>

#include "load/options.hpp"

namespace stallscope::load {

struct command_line {
  options asked;
  bool die_with_parent = false;
};

// Nothing where only help or the version was asked for. Throws failure (usage).
std::optional<command_line> parse_command_line(int argc, char** argv);

}  // namespace stallscope::load
