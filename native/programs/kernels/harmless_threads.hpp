// Threads that look busy or blocked and cost the kernel beside them nothing: a diagnosis must not
// blame them. "idle-pool": 16 threads that wait for work in a futex. "poller": a thread that wakes
// 2,000 times per second and finds nothing. They end in the destructor.
//
//   const harmless_threads beside("idle-pool");
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace stallscope::kernels {

class harmless_threads {
 public:
  // Starts no thread if `kind` is empty. Throws std::system_error.
  explicit harmless_threads(const std::string& kind);
  ~harmless_threads();
  harmless_threads(const harmless_threads&) = delete;
  harmless_threads& operator=(const harmless_threads&) = delete;
  harmless_threads(harmless_threads&&) = delete;
  harmless_threads& operator=(harmless_threads&&) = delete;

 private:
  void wait_for_work();
  void poll();

  std::mutex mutex_;
  std::condition_variable work_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace stallscope::kernels
