// The command line of stallscope-known-disk.
#pragma once

#include <optional>

#include "fuse_server.hpp"

namespace stallscope::known_disk {

struct command_line {
  disk_options disk;
  service_plan plan;
};

// Empty if --help or --version was printed. Throws failure (usage).
std::optional<command_line> parse_command_line(int argc, char** argv);

}  // namespace stallscope::known_disk
