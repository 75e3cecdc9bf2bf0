#include "value_log/file_worker.hpp"

#include <pthread.h>

#include <csignal>
#include <system_error>

namespace stallscope::value_log {

// This thread inherits a mask that blocks all signals; they are for threads that wait for them.
file_worker::file_worker() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  } catch (const std::system_error& error) {
    throw std::system_error(error.code(), "cannot start a thread for the files of the log");
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

file_worker::~file_worker() = default;

void file_worker::post(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  posted_.notify_one();
}

void file_worker::finish() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return jobs_.empty() && !working_; });
}

void file_worker::work(const std::stop_token& stop) {
  for (;;) {
    std::function<void()> next;
    {
      std::unique_lock lock(mutex_);
      posted_.wait(lock, stop, [this] { return !jobs_.empty(); });
      if (jobs_.empty()) return;
      next = std::move(jobs_.front());
      jobs_.pop_front();
      working_ = true;
    }
    next();
    next = nullptr;  // its captures may be a file whose space is freed here
    const std::lock_guard lock(mutex_);
    working_ = false;
    if (jobs_.empty()) idle_.notify_all();
  }
}

}  // namespace stallscope::value_log
