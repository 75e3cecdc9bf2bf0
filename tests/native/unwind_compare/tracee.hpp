// A process under ptrace, of which one thread at a time is stopped, looked at and stepped while the
// others run. A stop costs what the scheduler wants, a step some microseconds. One thread.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace stallscope::unwind_compare {

class tracee {
 public:
  // Throws std::system_error where tracing is refused.
  static tracee attach(pid_t process);
  // `input` is the file that the command reads.
  static tracee spawn(const std::vector<std::string>& command, const std::string& input);
  tracee(const tracee&) = delete;
  tracee& operator=(const tracee&) = delete;
  tracee(tracee&& other) noexcept;
  tracee& operator=(tracee&&) = delete;
  // Lets an attached process run on; ends a spawned one.
  ~tracee();

  [[nodiscard]] pid_t process() const noexcept { return process_; }
  // Lets all threads run for that long, passing their signals on.
  void run_for(std::chrono::microseconds time);
  // Stops a thread, rather one that runs than one that waits; false where the process has ended.
  bool stop_some_thread(std::mt19937_64& random);
  // Of the stopped thread; nullopt where it is gone.
  [[nodiscard]] std::optional<user_regs_struct> registers() const;
  // One instruction of the stopped thread; a signal that came meanwhile is delivered with it. False
  // where the thread is gone.
  bool step();
  // Lets the stopped thread run again.
  void resume();
  // Whether the next step or resume begins in a handler.
  [[nodiscard]] bool has_signal() const noexcept { return signal_ != 0; }
  [[nodiscard]] pid_t stopped_thread() const noexcept { return stopped_; }

 private:
  tracee(pid_t process, bool ours) : process_{process}, ours_{ours} {}
  void seize_new_threads();
  void pass_on_stops();
  bool note_stop(int status);
  bool wait_for_stop(pid_t thread);
  [[nodiscard]] std::vector<pid_t> candidates() const;

  pid_t process_;
  bool ours_;
  std::vector<pid_t> threads_;
  pid_t stopped_ = 0;
  int signal_ = 0;  // to be delivered to the stopped thread
};

}  // namespace stallscope::unwind_compare
