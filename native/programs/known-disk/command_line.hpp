// The command line of stallscope-known-disk.
#pragma once

#include <optional>

#include "fuse_server.hpp"

namespace stallscope::known_disk {

struct command_line {
  disk_options disk;
  service_plan plan;
};

// Nothing where only help or the version was asked for. Throws failure (usage).
std::optional<command_line> parse_command_line(int argc, char** argv);

}  // namespace stallscope::known_disk
