#include "kernels/harmless_threads.hpp"

#include <pthread.h>

#include <chrono>

namespace stallscope::kernels {
namespace {

constexpr unsigned pool_threads = 16;
constexpr std::chrono::microseconds poll_interval{500};

}  // namespace

harmless_threads::harmless_threads(const std::string& kind) {
  if (kind == "idle-pool") {
    for (unsigned i = 0; i < pool_threads; ++i) threads_.emplace_back([this] { wait_for_work(); });
  } else if (kind == "poller") {
    threads_.emplace_back([this] { poll(); });
  }
}

harmless_threads::~harmless_threads() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void harmless_threads::wait_for_work() {
  pthread_setname_np(pthread_self(), "idle-pool");
  std::unique_lock lock(mutex_);
  work_.wait(lock, [this] { return ended_; });
}

void harmless_threads::poll() {
  pthread_setname_np(pthread_self(), "poller");
  for (;;) {
    {
      const std::scoped_lock lock(mutex_);
      if (ended_) return;
    }
    std::this_thread::sleep_for(poll_interval);
  }
}

}  // namespace stallscope::kernels
