// The commands without a server: the keys of one shard and an authenticated client, as the last
// step of a replayed path. One thread.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "server/commands/command.hpp"
#include "server/paths/path.hpp"

namespace stallscope::server {

class replay_commands final : private server_view {
 public:
  // `context` points to a replay_commands.
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
