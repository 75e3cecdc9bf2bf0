// Threads by pid and tid, and their processes. A look-up costs a hash probe. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "capture/capture.hpp"
#include "capture/hash_index.hpp"

namespace stallscope::capture {

class thread_table {
 public:
  explicit thread_table(memory_budget& budget)
      : budget_(budget), index_(budget), process_index_(budget), process_pids_(budget) {}

  std::uint32_t intern(std::int32_t pid, std::int32_t tid);
  // Returns the number of a process; an unknown process gets a new number.
  std::uint32_t process(std::int32_t pid);
  [[nodiscard]] std::uint32_t process_of(std::uint32_t thread) const { return processes_[thread]; }
  [[nodiscard]] std::size_t process_count() const { return process_pids_.size(); }
  [[nodiscard]] std::span<const thread> threads() const { return threads_; }
  void rename(std::uint32_t thread, std::string_view name);
  // A new thread has its parent's name until it is renamed.
  void inherit_name(std::uint32_t child, std::uint32_t parent);
  // Returns the threads with the names of their processes.
  std::vector<thread> finish();

 private:
  [[nodiscard]] std::uint32_t find(std::int32_t pid, std::int32_t tid) const;

  memory_budget& budget_;
  hash_index index_;
  hash_index process_index_;
  column<std::int32_t> process_pids_;
  std::vector<thread> threads_;
  std::vector<std::uint32_t> processes_;
};

}  // namespace stallscope::capture
