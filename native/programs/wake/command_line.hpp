// The command line of stallscope-wake.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wake/measurement.hpp"

namespace stallscope::wake {

struct command_line {
  wake::plan plan;
  std::string kind;               // as on the command line
  std::string log;                // file for the histogram; empty: none
  std::uint16_t server_port = 0;  // not 0: serve as a front end of the server on this port
  bool die_with_parent = false;
};

// Empty if --help or --version was printed. Throws failure (usage).
std::optional<command_line> parse_command_line(int argc, char** argv);

}  // namespace stallscope::wake
