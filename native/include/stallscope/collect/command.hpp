// A command to be observed: forked at once and held before its exec, so that events can be opened
// first. Signal masks and dispositions are the caller's own; descriptors close on exec. One thread.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/perf_events/descriptor.hpp"

namespace stallscope {

struct exit_status {
  bool signalled = false;
  int number = 0;  // the exit code or the signal
};

class held_command {
 public:
  // Forks; the child restores the signal mask given and waits.
  held_command(const std::vector<std::string>& arguments, const sigset_t& child_mask);
  held_command(const held_command&) = delete;
  held_command& operator=(const held_command&) = delete;
  held_command(held_command&&) = delete;
  held_command& operator=(held_command&&) = delete;
  // A command still held is given up; one that runs is left alone.
  ~held_command();

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Lets it exec; throws failure where the command cannot be executed.
  void release();
  // Its status once it has ended; does not wait.
  std::optional<exit_status> poll_status();
  void send(int signal_number) const;

 private:
  [[noreturn]] void child(const std::vector<std::string>& arguments, const sigset_t& mask);
  pid_t pid_ = -1;
  bool released_ = false;
  std::string name_;
  descriptor go_;       // our end: a byte lets the child go on
  descriptor verdict_;  // our end: the errno of a failed exec, or its end
  descriptor child_go_;
  descriptor child_verdict_;
  std::optional<exit_status> status_;
};

}  // namespace stallscope
