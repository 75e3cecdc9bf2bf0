// A helper process that reads owners of locks. Reading the memory of a process may block for any
// time, even beyond SIGKILL, so the collector only exchanges waits and readings with the helper,
// and abandons a helper that does not answer; its process is then excluded. Costs a fork, and two
// context switches per wait. note() and wake() are for the thread that follows the rings, the rest
// for the drain's thread.
//
//   owner_helper helper{proc};
//   helper.note(wait);  helper.wake();
//   helper.supervise(now_ns);
//   while (const auto reading = helper.take()) ...
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/failure.hpp"
#include "base/procfs.hpp"
#include "collect/lock_owner.hpp"
#include "collect/process_exclusions.hpp"
#include "reader_process/child_process.hpp"
#include "reader_process/read_activity.hpp"
#include "reader_process/shared_memory.hpp"
#include "reader_process/shared_queue.hpp"

namespace stallscope::collect {

struct owner_reading {
  futex_wait wait;
  std::uint64_t read_ns = 0;
  lock_owner owner;
};

// Waits and readings in memory that collector and helper share.
struct owner_channel {
  static constexpr std::size_t max_waits = 1024;
  reader_process::shared_queue<futex_wait, max_waits> waits;
  reader_process::shared_queue<owner_reading, 4 * max_waits> readings;
  std::atomic<std::uint32_t> asleep = 0;  // a futex: 1 while the helper waits
  std::atomic<std::uint64_t> late = 0;    // waits that were too old when the helper saw them
  reader_process::read_activity activity;
};

class owner_helper {
 public:
  // Throws std::system_error.
  explicit owner_helper(const procfs& proc);

  // Passes a wait on. Drops it if the helper is behind or the process is excluded.
  void note(const futex_wait& wait);
  void wake();

  // Replaces a helper that is blocked or has ended.
  void supervise(std::uint64_t now_ns);
  std::optional<owner_reading> take();
  // Waits that were dropped because they were read too late.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_ + channel_->late; }

  // Ends the helper.
  void finish();
  [[nodiscard]] const std::vector<warning>& warnings() const { return warnings_; }

 private:
  void start();
  void replace(pid_t process);

  procfs proc_;
  process_exclusions exclusions_;
  std::mutex mutex_;  // guards the channel and the helper
  std::unique_ptr<reader_process::shared_memory<owner_channel>> memory_;
  owner_channel* channel_ = nullptr;
  reader_process::child_process child_;
  bool has_notices_ = false;
  std::size_t replaced_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::vector<reader_process::child_process> ending_;
  std::vector<warning> warnings_;
};

// Serves the channel until it is stopped or the parent ends: the body of the helper.
void serve_owners(const procfs& proc, owner_channel& channel);

}  // namespace stallscope::collect
