// A counting whose counters are open: the target is watched, and counted from now on (a command
// from its exec on), or with phases from start_phase() on. Costs a descriptor and 3 KB of kernel
// memory per event and thread or CPU. One thread; the opened counting must outlive it. The
// destructor closes the counters.
//
//   attached_counting attached{opened, watch};
//   counting{attached, watch, report}.run();
#pragma once

#include "collect/end_watch.hpp"
#include "count/attachment.hpp"
#include "count/opened_counting.hpp"

namespace stallscope::count {

class attached_counting {
 public:
  // Throws failure if the kernel refuses the target, std::system_error if a write fails.
  attached_counting(opened_counting& opened, collect::end_watch& watch);

  [[nodiscard]] opened_counting& opened() { return *opened_; }
  // Reads all counters into the log as one window.
  void read_window();
  // Starts or stops counting at a mark; a phase that was stopped has been read. Returns the time of
  // the change.
  std::uint64_t start_phase(std::uint64_t marked_ns);
  std::uint64_t stop_phase(std::uint64_t marked_ns);
  // Adds the results of the checks at the end to the document.
  void judge_groups();

 private:
  void watch_target(collect::end_watch& watch) const;
  [[nodiscard]] attached_target target() const;
  void choose_window();
  void begin_log(std::uint64_t start_ns);
  void take_warnings();

  opened_counting* opened_;
  attachment attachment_;
  bool log_begun_ = false;
};

}  // namespace stallscope::count
