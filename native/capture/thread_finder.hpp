// Finds the thread that had an id at a time; wake-ups name threads by their id alone, which the
// kernel may use again. Costs 24 bytes per thread to set up, and a binary search per look-up.
// One thread.
//
//   thread_finder finder{threads, content, budget};
//   const std::uint32_t wakee = finder.find(tid, time_ns, name);
#pragma once

#include <cstdint>
#include <string_view>

#include "capture/capture.hpp"
#include "capture/thread_table.hpp"

namespace stallscope::capture {

class thread_finder {
 public:
  // The rows of `content` are sorted by time. Both must outlive the finder.
  thread_finder(thread_table& threads, const capture_content& content, memory_budget& budget);

  // Returns the thread with this id that was seen last before the time, otherwise the first one
  // after it. Adds a thread of an unknown process if there is none; `name` is the name of a thread
  // without one.
  std::uint32_t find(std::int32_t tid, std::uint64_t time_ns, std::string_view name);

 private:
  struct appearance {
    std::int32_t tid;
    std::uint32_t thread;
    std::uint64_t first_ns;
  };

  thread_table& threads_;
  column<appearance> appearances_;  // by id, then time
  std::int32_t last_tid_ = -1;
  std::size_t first_ = 0;  // appearances of last_tid_
  std::size_t end_ = 0;
};

}  // namespace stallscope::capture
