// Records the marks of requests of the target's processes: a thread searches for rings, listens to
// them and copies new marks into requests.bin. Costs a search per process and second (in the first
// second every 50 ms), and 50 wake-ups per second while a process has a ring. The constructor and
// the other functions belong to one thread. If only the last seconds are kept, marks stay in memory
// until write_kept().
//
//   request_session requests{opened};
//   requests.finish();  // adds the file and the warnings to the facts
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/eventfd.hpp"
#include "collect/flight_blocks.hpp"
#include "collect/namespace_threads.hpp"
#include "collect/opened_recording.hpp"
#include "collect/request_latencies.hpp"
#include "requests/mapped_ring.hpp"
#include "requests/request_file.hpp"

namespace stallscope::collect {

class request_session {
 public:
  // Creates requests.bin and starts the thread. Throws std::system_error.
  explicit request_session(opened_recording& opened);
  request_session(const request_session&) = delete;
  request_session& operator=(const request_session&) = delete;
  request_session(request_session&&) = delete;
  request_session& operator=(request_session&&) = delete;
  ~request_session();

  void finish();

  // Of requests that ended so far; see request_latencies.
  [[nodiscard]] std::vector<std::uint64_t> latency_counts();
  // Of marks in memory.
  [[nodiscard]] std::uint64_t kept_bytes();
  // Drops marks that were read before that time.
  void drop_before(std::uint64_t ns);
  // Writes the marks in memory, and returns the file.
  file_entry write_kept();

 private:
  struct listened_ring {
    pid_t pid;
    requests::mapped_ring ring;
    requests::ring_reader reader;
    namespace_threads threads;
    bool process_ended = false;
  };
  void run() noexcept;
  void pass();
  void search(std::uint64_t now_ns);
  void search_process(pid_t pid);
  void read_rings(std::uint64_t now_ns);
  void forget_ended();
  [[nodiscard]] std::vector<pid_t> target_processes() const;
  void add_warnings();

  opened_recording* opened_;
  const procfs proc_;
  std::vector<pid_t> roots_;
  std::uint64_t start_ns_;
  sample_file file_;
  std::mutex kept_mutex_;              // guards the next two
  std::optional<flight_blocks> kept_;  // of the last seconds
  request_latencies latencies_;
  std::vector<listened_ring> rings_;
  std::set<std::uint64_t> forgotten_;  // inodes of read rings; forked children still hold them
  std::uint64_t next_search_ns_ = 0;
  std::uint64_t marks_ = 0;
  std::uint64_t dropped_ = 0;  // beyond the file's limit
  std::uint64_t lost_ = 0;     // of processes that have ended
  std::uint64_t invalid_ = 0;
  bool refused_ring_ = false;
  bool too_many_rings_ = false;
  int search_error_ = 0;
  std::string failure_;  // of the thread
  wake_event stop_;
  std::thread thread_;
};

}  // namespace stallscope::collect
