// A command to be observed: forked at once and held before its exec, so that events can be opened
// first. Its signal mask and its limit of descriptors are the collector's own as it was started,
// SIGPIPE acts by default; descriptors close on exec. One thread.
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

// What the collector changes for itself, as the command is to have it.
struct inherited_state {
  sigset_t mask{};
  rlimit descriptors{};
};

class held_command {
 public:
  // Forks; the child restores the state given and waits.
  held_command(const std::vector<std::string>& arguments, const inherited_state& state);
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
  [[noreturn]] void child(const std::vector<std::string>& arguments, const inherited_state& state);
  pid_t pid_ = -1;
  bool released_ = false;
  std::string name_;
  descriptor go_;       // our end: a byte lets the child go on
  descriptor verdict_;  // our end: the errno of a failed exec, or its end
  descriptor child_go_;
  descriptor child_verdict_;
  std::optional<exit_status> status_;
};

}  // namespace stallscope::collect
