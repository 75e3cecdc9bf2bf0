// What commands know of the connection that sent them, and of the server around it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "resp/reply_writer.hpp"

namespace stallscope::server {

// Belongs to the thread of its connection; commands that run on another shard do not see it.
struct session {
  std::uint64_t id = 0;
  resp::protocol version = resp::protocol::resp2;
  bool authenticated = true;  // the server clears it where a password is asked for
  bool closing = false;       // to be closed once the replies so far are sent
  std::string name;           // CLIENT SETNAME
  std::string library_name;   // CLIENT SETINFO
  std::string library_version;
};

// What commands ask of the server that runs them. Called on the thread of the asking connection.
class server_view {
 public:
  server_view() = default;
  server_view(const server_view&) = delete;
  server_view& operator=(const server_view&) = delete;
  server_view(server_view&&) = delete;
  server_view& operator=(server_view&&) = delete;
  virtual ~server_view() = default;

  // Empty where none is asked for.
  virtual std::string_view password() const = 0;
  // INFO's text; no sections means the usual ones.
  virtual std::string info(std::span<const std::string_view> sections) = 0;
  // One line each, as CLIENT LIST has them.
  virtual std::string client_line(const session& client) = 0;
  virtual std::string client_lines() = 0;
  // For CONFIG GET: names and values.
  virtual std::vector<std::pair<std::string, std::string>> settings() = 0;
};

}  // namespace stallscope::server
