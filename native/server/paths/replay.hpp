// Runs a file of requests through a path without sockets, for simulators that count instructions:
// at once, or in the batches that the stages of a server ran (batch_log.hpp). Under a simulator, a
// slow server with a native client would always run full batches; this replays those of the server
// at normal speed. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/paths/path.hpp"
#include "stages/batch_log.hpp"

namespace stallscope::server {

class replay_commands;

struct replay_report {
  std::uint64_t requests = 0;
  std::uint64_t error_replies = 0;
  std::uint64_t reply_bytes = 0;
  std::uint64_t checksum = 0;  // FNV-1a of all replies; independent of the batches
  double seconds = 0.0;        // without preparation
  double cpu_seconds = 0.0;    // of the thread, in the same time
};

// A path and the command table for its other requests. A null path means kv: commands only.
class replayed_path {
 public:
  explicit replayed_path(std::unique_ptr<path> own);
  ~replayed_path();
  replayed_path(const replayed_path&) = delete;
  replayed_path& operator=(const replayed_path&) = delete;
  replayed_path(replayed_path&&) = delete;
  replayed_path& operator=(replayed_path&&) = delete;

  // The steps of the path and "execute", as in the server.
  [[nodiscard]] std::span<const step> steps() const;

  // Runs each request through all steps at once. Throws std::runtime_error if the bytes are not
  // requests.
  replay_report run_at_once(std::string requests);

  // Runs the requests in the batches of the file, which repeats if it is too short. Throws
  // std::runtime_error also if the batches belong to other stages.
  replay_report run_in_batches(std::string requests, const stages::batch_file& batches);

  // Synthetic batches: every stage always runs this number of calls.
  [[nodiscard]] stages::batch_file even_batches(std::uint32_t calls) const;

 private:
  std::unique_ptr<path> own_;
  std::unique_ptr<replay_commands> commands_;
  std::vector<step> steps_;
};

}  // namespace stallscope::server
