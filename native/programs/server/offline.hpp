// What stallscope-server does besides serving: files of requests, and replaying them.
#pragma once

#include <cstdint>
#include <string>

#include "server/shards/server_options.hpp"

namespace CLI {
class App;
}

namespace stallscope::server {

struct offline_work {
  std::uint64_t requests = 0;  // to make; 0: none
  std::uint64_t seed = 1;
  std::string output;   // of the requests made
  std::string replay;   // a file of requests; empty: none
  std::string batches;  // of a server's --log-batches; empty: even ones, of --max-batch

  [[nodiscard]] bool wanted() const { return requests != 0 || !replay.empty(); }
};

void add_offline_options(CLI::App& app, offline_work& work);

// Does it, and says what it did in a line of JSON. Throws std::system_error and std::runtime_error,
// with the file's name.
void run_offline(const offline_work& work, const server_options& options);

}  // namespace stallscope::server
