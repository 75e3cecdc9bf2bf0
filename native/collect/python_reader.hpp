// Has the Python frames read of what one CPU's ring tells of. Where threads may be used, one of
// them waits on that CPU for each sample: it takes the place of the thread just sampled, so that
// what is read is what was sampled. Otherwise look() is called before each pass of the drain, and
// what is read is a little later than the sample.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "perf_events/ring_view.hpp"
#include "python_frames/process_watch.hpp"

namespace stallscope::collect {

class python_reader {
 public:
  // Only samples that keep() lets pass are looked at; told() hears of processes that became another
  // program or ended.
  struct hooks {
    std::function<bool(const perf_events::record_view&)> keep;
    std::function<void(pid_t)> gone;
  };
  python_reader(python_frames::process_watch watch, const perf_events::ring_view& ring, hooks use);

  // Reads what new samples ask for. One thread, always the same.
  void look();
  // Any thread may call what follows.
  void forget(pid_t pid);
  [[nodiscard]] std::string take_text();
  [[nodiscard]] python_frames::read_counts counts();
  [[nodiscard]] bool reading();

 private:
  void observe(const perf_events::record_view& record);
  void forget_gone();

  python_frames::process_watch watch_;
  perf_events::ring_view ring_;
  hooks hooks_;
  std::uint64_t seen_ = 0;
  std::string fresh_;
  std::mutex mutex_;  // of what follows
  std::string text_;
  std::vector<pid_t> gone_;
  python_frames::read_counts counts_;
  bool reading_ = false;
};

}  // namespace stallscope::collect
