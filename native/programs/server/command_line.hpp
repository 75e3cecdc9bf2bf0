// The server's command line.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "offline.hpp"
#include "server/shards/server_options.hpp"

namespace stallscope::server {

// What was asked for cannot be; the message says the remedy.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct parsed_command_line {
  server_options options;
  offline_work offline;  // what to do instead of serving
  bool die_with_parent = false;
};

// Nothing where help or the version was asked for, and was printed. Throws usage_error.
std::optional<parsed_command_line> parse_command_line(int argc, const char* const* argv);

}  // namespace stallscope::server
