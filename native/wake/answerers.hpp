// The processes that answer requests, and a thread that watches them. The measuring thread starts
// the processes and sends requests. If a process ends, the watching thread, which sleeps otherwise,
// ends the measuring thread's wait for a reply. The destructor kills and reaps all processes.
//
//   answerers processes;
//   processes.start(*channel, nullptr, cpu);
//   processes.watch(*channel, 30s);
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

  // Starts a process on a CPU (-1: any) that replies to the requests of `from`. If `next` is not
  // null, it sends a request there first and waits for the reply. Returns the process id; throws
  // std::system_error.
  pid_t start(channel& from, channel* next, int cpu);

  // Calls first.cancel() when a process ends, or after `most`. Call it after the last start(): a
  // forked process does not have the watching thread. `first` outlives this object.
  void watch(channel& first, std::optional<std::chrono::milliseconds> most);

  // Why the wait was ended; null if it was not.
  [[nodiscard]] const char* why_ended() const noexcept { return why_.load(); }

 private:
  std::vector<pid_t> pids_;
  std::vector<descriptor> ends_;  // pidfds
  descriptor stop_;               // of the thread
  std::atomic<const char*> why_{nullptr};
  std::thread watcher_;
};

// Pins this thread to a CPU; -1: no change. Throws std::system_error.
void run_on(int cpu);

}  // namespace stallscope::wake
