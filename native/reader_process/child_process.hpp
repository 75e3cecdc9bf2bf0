// A forked process for reads of untrusted files and memory, which may block for any time, even
// beyond SIGKILL. The child closes all descriptors but one, leaves the working directory, has a
// limit of memory, and is killed when the thread that started it ends. So a child that does not end
// can be abandoned: it holds no file, ring or lock of its parent. Costs a fork, about 0.3 ms, and
// the memory that the child writes. Belongs to a single thread.
//
//   child_process child{{.name = "stallscope-read"}, [&] { serve(*channel); }};
//   if (!child.end(200ms)) report(child.pid());
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace stallscope::reader_process {

struct child_options {
  std::string name;                                        // as ps shows it, at most 15 bytes
  int kept_descriptor = -1;                                // the only descriptor that stays open
  std::uint64_t memory_bytes = std::uint64_t{512} << 20U;  // in addition to the parent's
};

class child_process {
 public:
  child_process() noexcept = default;
  // Runs `body` in a child, which ends with it. Throws std::system_error if there is no process.
  // `body` must use no lock that another thread of the parent may hold, except malloc's.
  child_process(const child_options& options, const std::function<void()>& body);
  child_process(child_process&& other) noexcept : pid_{std::exchange(other.pid_, 0)} {}
  child_process& operator=(child_process&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  // Kills the child, and waits for its end for a tenth of a second.
  ~child_process();

  // The id of the child; 0 after its end.
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  // Whether the child exists.
  [[nodiscard]] bool running() noexcept;
  // Waits for the end of the child. Returns false if it has not ended in time.
  bool wait(std::chrono::milliseconds limit) noexcept;
  // Kills the child and waits. Returns false if it has not ended in time.
  bool end(std::chrono::milliseconds limit) noexcept;
  // The state of the child in /proc: R if it runs or waits for a CPU, S or D if it waits;
  // '?' if it cannot be read.
  [[nodiscard]] char state() const;

 private:
  pid_t pid_ = 0;
};

}  // namespace stallscope::reader_process
