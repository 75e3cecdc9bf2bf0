// Opens random windows on its own thread, and collects their times. Costs per window and CPU,
// besides the records, 90 us if the events stay open between windows, else 460 us. The functions
// may be called on any one thread.
//
//   window_thread windows{events, window_schedule{share, period_ns, seed}};
//   for (const auto& window : windows.take()) log.append_window(window);
#pragma once

#include <atomic>
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

// Records a window on the calling thread, which sleeps meanwhile. Returns nothing if the kernel
// refuses the events now.
std::vector<record_window> record_one_window(cpu_wide_events& events, double length_ns);

class window_thread {
 public:
  // The events must outlive the thread. They are disabled outside windows and afterwards. Throws
  // std::system_error if no thread can be started.
  window_thread(cpu_wide_events& events, const window_schedule& schedule);
  window_thread(const window_thread&) = delete;
  window_thread& operator=(const window_thread&) = delete;
  window_thread(window_thread&&) = delete;
  window_thread& operator=(window_thread&&) = delete;
  ~window_thread() { stop(); }

  // Ends the thread after the present window, which is at most 50 ms long.
  void stop();
  // Multiplies the gaps between windows from the next one on.
  void set_pace(double factor) { pace_.store(factor, std::memory_order_relaxed); }
  // Returns the windows that have ended since the last call.
  std::vector<record_window> take();

 private:
  void run() noexcept;
  bool open_window() noexcept;
  // Waits until a time; returns false if the thread shall end.
  bool wait_until(std::uint64_t time_ns);

  cpu_wide_events* events_;
  window_schedule schedule_;
  std::atomic<double> pace_ = 1;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::vector<record_window> windows_;  // never grows beyond its reserved memory
  std::thread thread_;
};

}  // namespace stallscope::collect
