// Options of a server. Validated by the command line and never changed afterwards, so any thread
// may read them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/shards/disk_options.hpp"
#include "stages/stage.hpp"
#include "store/eviction.hpp"

namespace stallscope::server {

enum class path_kind : std::uint8_t { kv, query, codec, disk };
enum class write_policy : std::uint8_t { deferred, eager };

struct client_limits {
  std::size_t clients = 10'000;
  std::size_t request_bytes = std::size_t{64} << 20U;
  std::size_t output_bytes = std::size_t{64} << 20U;  // unsent replies of one client
  std::size_t pipeline = 1024;                        // requests in flight of one client
  // Unanswered input and unsent output of all clients of one thread.
  std::size_t buffered_bytes = std::size_t{256} << 20U;
  // A client that accepts no reply bytes for this long is closed.
  std::chrono::seconds stalled{60};
};

struct server_options {
  std::string bind = "127.0.0.1";
  std::uint16_t port = 7379;  // 0: any free port
  bool tcp = true;
  std::string unix_path;            // empty: none
  std::optional<int> metrics_port;  // on loopback; 0: any
  std::vector<int> cpus;            // one pinned thread per entry
  path_kind path = path_kind::kv;
  bool stages = true;
  stages::stage_settings stage;
  std::chrono::nanoseconds task_quota = std::chrono::microseconds{500};
  write_policy write = write_policy::deferred;
  store::memory_limit memory;  // of all shards together
  std::string password;        // empty: not required
  client_limits limits;
  disk_options disk;
  std::size_t footprint_kb = 416;  // generated code of the codec path
  std::size_t stage_kb = 13;
  std::string log_batches;  // a file; empty: none
};

}  // namespace stallscope::server
