#include "collect/command.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>

#include "base/failure.hpp"
#include "collect/refusal.hpp"

namespace stallscope::collect {
namespace {

constexpr std::chrono::milliseconds last_wait{1000};
constexpr std::chrono::milliseconds between_checks{10};

void make_pipe(descriptor& read_end, descriptor& write_end) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
}

ssize_t read_fully(int fd, void* into, std::size_t size) {
  ssize_t got = 0;
  do {
    got = ::read(fd, into, size);
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

held_command::held_command(const std::vector<std::string>& arguments, const inherited_state& state)
    : name_{arguments.front()} {
  make_pipe(child_go_, go_);
  make_pipe(exec_error_, child_exec_error_);
  // Memory is allocated before the fork, because other threads may hold the allocator's locks.
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) child(words, state);
  child_go_.reset();
  child_exec_error_.reset();
}

void held_command::child(const std::vector<char*>& words, const inherited_state& state) {
  go_.reset();
  exec_error_.reset();
  ::signal(SIGPIPE, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &state.mask, nullptr);
  ::setrlimit(RLIMIT_NOFILE, &state.descriptors);
  char go = 0;
  if (read_fully(child_go_.get(), &go, 1) != 1) ::_exit(127);  // the collector has ended
  ::execvp(words.front(), words.data());
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(child_exec_error_.get(), &error, sizeof error);
  ::_exit(127);
}

// After an error, the command may still run, and nothing else would end it.
held_command::~held_command() {
  if (!released_ && pid_ > 0) {
    go_.reset();
    ::waitpid(pid_, nullptr, 0);
    return;
  }
  for (const int number : {SIGTERM, SIGKILL}) {
    if (poll_status()) return;
    send(number);
    for (auto left = last_wait; !poll_status() && left.count() > 0; left -= between_checks)
      std::this_thread::sleep_for(between_checks);
  }
}

void held_command::release() {
  // Without this byte the command never starts, and the next read would wait forever.
  const char go = 1;
  while (::write(go_.get(), &go, 1) != 1) {
    if (errno == EINTR) continue;
    throw std::system_error(errno, std::generic_category(),
                            "the command '" + name_ + "' cannot be started");
  }
  int error = 0;
  if (read_fully(exec_error_.get(), &error, sizeof error) == sizeof error) {
    throw failure{exit_code::target_failed,
                  "the command '" + name_ + "' cannot be executed: " + error_text(error),
                  "check its name, path and permissions"};
  }
  released_ = true;
}

std::optional<exit_status> held_command::poll_status() {
  int status = 0;
  if (status_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return status_;
  status_ = WIFSIGNALED(status) ? exit_status{true, WTERMSIG(status)}
                                : exit_status{false, WEXITSTATUS(status)};
  return status_;
}

void held_command::send(int signal_number) const {
  if (released_ && !status_) ::kill(pid_, signal_number);
}

}  // namespace stallscope::collect
