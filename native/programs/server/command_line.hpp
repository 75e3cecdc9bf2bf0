// The command line of the server.
#pragma once

#include <optional>

#include "offline.hpp"
#include "server/shards/server_options.hpp"

namespace stallscope::server {

struct parsed_command_line {
  server_options options;
  offline_work offline;  // work to do instead of serving
  bool die_with_parent = false;
};

// Returns nothing after printing help or the version. Throws failure (usage).
std::optional<parsed_command_line> parse_command_line(int argc, char** argv);

}  // namespace stallscope::server
