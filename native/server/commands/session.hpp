// The state of a client that its commands see, and their view of the server.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "resp/reply_writer.hpp"

namespace stallscope::server {

// Belongs to the thread of the connection; commands on other shards do not see it.
struct session {
  std::uint64_t id = 0;
  resp::protocol version = resp::protocol::resp2;
  bool authenticated = true;  // cleared if a password is required
  bool closing = false;       // close the connection after the replies so far
  std::string name;           // CLIENT SETNAME
  std::string library_name;   // CLIENT SETINFO
  std::string library_version;
};

// Server functions for commands, called on the thread of the connection.
class server_view {
 public:
  server_view() = default;
  server_view(const server_view&) = delete;
  server_view& operator=(const server_view&) = delete;
  server_view(server_view&&) = delete;
  server_view& operator=(server_view&&) = delete;
  virtual ~server_view() = default;

  // Empty if no password is required.
  virtual std::string_view password() const = 0;
  // The text of INFO; an empty list means the default sections.
  virtual std::string info(std::span<const std::string_view> sections) = 0;
  // Lines of CLIENT LIST.
  virtual std::string client_line(const session& client) = 0;
  virtual std::string client_lines() = 0;
  // Names and values for CONFIG GET.
  virtual std::vector<std::pair<std::string, std::string>> settings() = 0;
};

}  // namespace stallscope::server
