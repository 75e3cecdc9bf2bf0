// A background thread for file operations that may take milliseconds: creating segments and freeing
// the space of removed ones. Jobs run in order, one at a time.
//
//     worker.post([file = std::move(file)] { /* closes the file */ });
//
// Thread: post() and finish() may be called from any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace stallscope::value_log {

class file_worker {
 public:
  file_worker();
  file_worker(const file_worker&) = delete;
  file_worker& operator=(const file_worker&) = delete;
  file_worker(file_worker&&) = delete;
  file_worker& operator=(file_worker&&) = delete;
  ~file_worker();  // runs the remaining jobs

  void post(std::function<void()> job);
  void finish();  // waits until all posted jobs are done

 private:
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any posted_;
  std::condition_variable_any idle_;
  std::deque<std::function<void()>> jobs_;
  bool working_ = false;
  std::jthread thread_;  // last member: destroyed first
};

}  // namespace stallscope::value_log
