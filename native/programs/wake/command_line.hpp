// The command line of stallscope-wake.
#pragma once

#include <optional>
#include <string>

#include "wake/measurement.hpp"

namespace stallscope::wake {

struct command_line {
  plan asked;
  std::string kind;  // as it was given
  std::string log;   // file of the histogram; empty: none
  bool die_with_parent = false;
};

// Nothing where only help or the version was asked for. Throws failure (usage).
std::optional<command_line> parse_command_line(int argc, char** argv);

}  // namespace stallscope::wake
