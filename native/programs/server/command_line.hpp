// The command line of the server.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "offline.hpp"
#include "server/shards/server_options.hpp"

namespace stallscope::server {

// An invalid command line; the message contains the remedy.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct parsed_command_line {
  server_options options;
  offline_work offline;  // work to do instead of serving
  bool die_with_parent = false;
};

// Returns nothing after printing help or the version. Throws usage_error.
std::optional<parsed_command_line> parse_command_line(int argc, const char* const* argv);

}  // namespace stallscope::server
