// Enables the events of windows in random windows, on its own thread, and collects the times of the
// windows. Costs about 60 us per window besides the records. The functions may be called on any
// one thread.
//
//   window_thread windows{events, window_schedule{share, seed}};
//   for (const auto& window : windows.take()) log.append_window(window);
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "collect/cpu_wide_events.hpp"
#include "collect/window_schedule.hpp"

namespace stallscope::collect {

struct record_window {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

class window_thread {
 public:
  // The events must outlive the thread. They are disabled outside windows and afterwards. Throws
  // std::system_error if no thread can be started.
  window_thread(const cpu_wide_events& events, const window_schedule& schedule);
  window_thread(const window_thread&) = delete;
  window_thread& operator=(const window_thread&) = delete;
  window_thread(window_thread&&) = delete;
  window_thread& operator=(window_thread&&) = delete;
  ~window_thread() { stop(); }

  // Ends the thread after the present window, which is at most a few milliseconds long.
  void stop();
  // Returns the windows that have ended since the last call.
  std::vector<record_window> take();

 private:
  void run() noexcept;
  // Waits; returns false if the thread shall end.
  bool wait(std::uint64_t ns);

  const cpu_wide_events* events_;
  window_schedule schedule_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::vector<record_window> windows_;  // never grows beyond its reserved memory
  std::thread thread_;
};

}  // namespace stallscope::collect
