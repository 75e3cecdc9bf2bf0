// The offline functions of stallscope-server: generating request files and replaying them.
#pragma once

#include <cstdint>
#include <string>

#include "base/command_line.hpp"
#include "server/shards/server_options.hpp"

namespace stallscope::server {

struct offline_work {
  std::uint64_t requests = 0;  // number of requests to generate; 0: none
  std::uint64_t seed = 1;
  std::string output;   // output file of --make-requests
  std::string replay;   // request file to replay; empty: none
  std::string batches;  // file of --log-batches; empty: batches of --max-batch

  [[nodiscard]] bool requested() const { return requests != 0 || !replay.empty(); }
};

void add_offline_options(cli::command& app, offline_work& work);

// Does the work and prints one JSON line. Throws std::system_error and std::runtime_error with the
// file name.
void run_offline(const offline_work& work, const server_options& options);

}  // namespace stallscope::server
