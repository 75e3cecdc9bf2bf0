// The processes that answer requests, and who watches that they do. One thread starts them and asks
// them; a thread of ours, which sleeps all the while, ends that one's wait where an answer can no
// longer come. At the end each process is killed and waited for, whatever it does.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"
#include "wake/channel.hpp"

namespace stallscope::wake {

class answerers {
 public:
  answerers() = default;
  answerers(const answerers&) = delete;
  answerers& operator=(const answerers&) = delete;
  answerers(answerers&&) = delete;
  answerers& operator=(answerers&&) = delete;
  ~answerers();

  // Starts one on a CPU, -1 for any, that serves `from`, asking `next` first where there is one.
  // Returns its process id; std::system_error where the kernel refuses.
  pid_t start(channel& from, channel* next, int cpu);

  // Abandons `first` when one of them ends, or after `most`; once all were started, as what is
  // forked has no such thread. `first` lives until the end of this.
  void watch(channel& first, std::optional<std::chrono::milliseconds> most);

  // Why the wait was ended; nullptr while it was not.
  [[nodiscard]] const char* why_ended() const noexcept { return why_.load(); }

 private:
  std::vector<pid_t> pids_;
  std::vector<descriptor> ends_;  // pidfds
  descriptor stop_;               // of the thread
  std::atomic<const char*> why_{nullptr};
  std::thread watcher_;
};

// Lets this thread run on one CPU only; -1: as before. std::system_error where it cannot.
void run_on(int cpu);

}  // namespace stallscope::wake
