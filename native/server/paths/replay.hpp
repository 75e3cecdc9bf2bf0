// Runs a file of requests through a path without sockets, for simulators that count what a request
// executes: at once, or in the batches that a server's stages ran (batch_log.hpp). A slowed server
// under a native client would always run full batches; this runs those of the server at its speed.
// One thread.
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
  std::uint64_t checksum = 0;  // FNV-1a of all replies: the same however they were run
  double seconds = 0.0;        // of running alone
};

// A path and what answers the requests that are not its own; null: kv, commands alone.
class replayed_path {
 public:
  explicit replayed_path(std::unique_ptr<path> own);
  ~replayed_path();
  replayed_path(const replayed_path&) = delete;
  replayed_path& operator=(const replayed_path&) = delete;
  replayed_path(replayed_path&&) = delete;
  replayed_path& operator=(replayed_path&&) = delete;

  // The path's, and "execute", as the server has them.
  [[nodiscard]] std::span<const step> steps() const;

  // Runs all requests, each through all steps at once. Throws std::runtime_error where the bytes
  // are not requests.
  replay_report run_at_once(std::string requests);

  // Runs all requests in batches: those of the file, again from its beginning where it is too
  // short. Throws std::runtime_error also where the batches are of other stages than the path's.
  replay_report run_in_batches(std::string requests, const stages::batch_file& batches);

  // For want of a server's: every stage always runs so many calls.
  [[nodiscard]] stages::batch_file even_batches(std::uint32_t calls) const;

 private:
  std::unique_ptr<path> own_;
  std::unique_ptr<replay_commands> commands_;
  std::vector<step> steps_;
};

}  // namespace stallscope::server
