// Reads the Python frames for the samples of one CPU's ring. With reading threads, a thread waits
// on that CPU for each sample and preempts the sampled thread, so that it reads the sampled state.
// Without them, look() is called before each pass of the drain and reads a slightly later state.
// Costs some 15 us per sample of a CPython process.
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
  // keep() selects the samples. gone() is called for processes that ended or started another
  // program.
  struct hooks {
    std::function<bool(const perf_events::record_view&)> keep;
    std::function<void(pid_t)> gone;
  };
  python_reader(python_frames::process_watch watch, const perf_events::ring_view& ring,
                hooks callbacks);

  // Reads the frames for new samples. Always on the same thread.
  void look();
  // Any thread may call the functions below.
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
  std::string new_text_;
  std::mutex mutex_;  // guards the members below
  std::string text_;
  std::vector<pid_t> gone_;
  python_frames::read_counts counts_;
  bool reading_ = false;
};

}  // namespace stallscope::collect
