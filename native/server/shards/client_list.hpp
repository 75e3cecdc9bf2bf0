// The clients of all shards, for CLIENT LIST. Any thread; a mutex, taken when a client connects,
// disconnects or changes its name.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "server/commands/session.hpp"

namespace stallscope::server {

class client_list {
 public:
  void add(const session& client, std::string address);
  void update(const session& client);
  void remove(std::uint64_t id);

  [[nodiscard]] std::string line(std::uint64_t id) const;
  [[nodiscard]] std::string lines() const;

 private:
  struct known_client {
    std::string address;
    std::chrono::steady_clock::time_point since;
    session last_seen;
  };
  static std::string line_of(const known_client& client);

  mutable std::mutex mutex_;
  std::map<std::uint64_t, known_client> clients_;
};

}  // namespace stallscope::server
