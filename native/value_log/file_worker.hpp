// A thread beside the loop for calls on files that may take milliseconds: making them, and giving
// back the room of those that were removed. What is posted runs in order, one after another.
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
  ~file_worker();  // what was posted is still done

  void post(std::function<void()> job);
  void finish();  // waits until all that was posted is done

 private:
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any posted_;
  std::condition_variable_any idle_;
  std::deque<std::function<void()>> jobs_;
  bool working_ = false;
  std::jthread thread_;  // last: the others outlive it
};

}  // namespace stallscope::value_log
