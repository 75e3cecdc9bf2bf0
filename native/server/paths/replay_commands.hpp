// The server's commands without a server: one shard's keys, a client that has said its password. As
// the last step of a replayed path.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "server/commands/command.hpp"
#include "server/paths/path.hpp"

namespace stallscope::server {

class replay_commands final : private server_view {
 public:
  // `context` is a replay_commands.
  static void run_step(void* context, request_call& call);

 private:
  [[nodiscard]] std::string_view password() const override { return {}; }
  std::string info(std::span<const std::string_view> /*sections*/) override { return {}; }
  std::string client_line(const session& /*client*/) override { return {}; }
  std::string client_lines() override { return {}; }
  std::vector<std::pair<std::string, std::string>> settings() override { return {}; }

  store::keyspace keys_{{1, 2}};
  session client_;
};

}  // namespace stallscope::server
