// The command that is observed. The constructor forks, and the child waits before its exec, so that
// events can be opened first. The child gets the signal mask and the descriptor limit that the
// collector was started with, and the default action for SIGPIPE. Descriptors close on exec. One
// thread.
//
//   held_command command{{"make", "-j4"}, state};
//   open_events(command.pid());
//   command.release();
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace stallscope::collect {

struct exit_status {
  bool signalled = false;
  int number = 0;  // the exit code or the signal
};

// State that the collector changes for itself and restores for the command.
struct inherited_state {
  sigset_t mask{};
  rlimit descriptors{};
};

class held_command {
 public:
  // Forks. The child restores the state and waits for release().
  held_command(const std::vector<std::string>& arguments, const inherited_state& state);
  held_command(const held_command&) = delete;
  held_command& operator=(const held_command&) = delete;
  held_command(held_command&&) = delete;
  held_command& operator=(held_command&&) = delete;
  // Ends a command that was not released. A running command keeps running.
  ~held_command();

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Lets the child exec. Throws failure if the command cannot be executed.
  void release();
  // Returns the exit status if the command has ended. Does not wait.
  std::optional<exit_status> poll_status();
  void send(int signal_number) const;

 private:
  [[noreturn]] void child(const std::vector<char*>& words, const inherited_state& state);
  pid_t pid_ = -1;
  bool released_ = false;
  std::string name_;
  descriptor go_;          // parent's end: one byte releases the child
  descriptor exec_error_;  // parent's end: the errno of a failed exec, or end of file
  descriptor child_go_;
  descriptor child_exec_error_;
  std::optional<exit_status> status_;
};

}  // namespace stallscope::collect
