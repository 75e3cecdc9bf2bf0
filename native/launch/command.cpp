#include "launch/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "launch/descendants.hpp"

namespace stallscope::launch {
namespace {

[[noreturn]] void fail_call(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

void check(int error, const char* what) {
  if (error != 0) fail_call(error, what);
}

// The descriptors, the directory and the signals of the command.
class spawn_settings {
 public:
  spawn_settings() {
    check(::posix_spawn_file_actions_init(&actions_), "posix_spawn_file_actions_init");
    check(::posix_spawnattr_init(&attributes_), "posix_spawnattr_init");
    sigset_t none;
    sigset_t restored;
    sigemptyset(&none);
    sigemptyset(&restored);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      sigaddset(&restored, signal);
    }
    check(::posix_spawnattr_setsigmask(&attributes_, &none), "posix_spawnattr_setsigmask");
    check(::posix_spawnattr_setsigdefault(&attributes_, &restored),
          "posix_spawnattr_setsigdefault");
    check(::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF),
          "posix_spawnattr_setflags");
  }
  spawn_settings(const spawn_settings&) = delete;
  spawn_settings& operator=(const spawn_settings&) = delete;
  spawn_settings(spawn_settings&&) = delete;
  spawn_settings& operator=(spawn_settings&&) = delete;
  ~spawn_settings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  void use_directory(const std::string& directory) {
    check(::posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str()), "chdir");
  }
  void duplicate(int from, int to) {
    check(::posix_spawn_file_actions_adddup2(&actions_, from, to), "dup2");
  }

  [[nodiscard]] pid_t spawn(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& environment) const {
    std::vector<char*> argv = pointers_to(arguments);
    std::vector<char*> envp = pointers_to(environment);
    pid_t pid = -1;
    const int error = ::posix_spawn(&pid, arguments.front().c_str(), &actions_, &attributes_,
                                    argv.data(), envp.data());
    if (error != 0) fail_call(error, arguments.front());
    return pid;
  }

 private:
  // posix_spawn takes pointers to characters that it does not change.
  static std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (const std::string& text : texts) {
      pointers.push_back(
          const_cast<char*>(text.c_str()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    }
    pointers.push_back(nullptr);
    return pointers;
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Reads what is in the pipe; keeps the first `limit` bytes.
void drain(int fd, std::size_t limit, completed_run& run) {
  std::array<char, 65'536> chunk;
  while (true) {
    const ssize_t size = ::read(fd, chunk.data(), chunk.size());
    if (size <= 0) return;
    const auto room = std::min(limit - run.output.size(), static_cast<std::size_t>(size));
    run.output.append(chunk.data(), room);
    run.output_cut = run.output_cut || room < static_cast<std::size_t>(size);
    if (size < static_cast<ssize_t>(chunk.size())) return;
  }
}

constexpr int reap_period_ms = 1000;

// Returns the rest of a time limit for poll, in milliseconds rounded up; -1 without a limit.
int remaining_ms(std::chrono::nanoseconds limit, std::uint64_t begin_ns) {
  if (limit.count() <= 0) return -1;
  const auto limit_ns = static_cast<std::uint64_t>(limit.count());
  const std::uint64_t elapsed_ns = monotonic_ns() - begin_ns;
  if (elapsed_ns >= limit_ns) return 0;
  return static_cast<int>(
      std::min<std::uint64_t>((limit_ns - elapsed_ns) / 1'000'000U + 1, 1U << 30U));
}

// Waits until the process has ended or must be ended; keeps its output.
void wait_for_end(const command& started, pid_t pid, int process, int output, int stop_fd,
                  completed_run& run) {
  std::array<pollfd, 3> polled{pollfd{process, POLLIN, 0}, pollfd{stop_fd, POLLIN, 0},
                               pollfd{output, POLLIN, 0}};
  while (true) {
    const int left_ms = remaining_ms(started.time_limit, run.begin_ns);
    const int wait_ms = left_ms < 0 ? reap_period_ms : std::min(left_ms, reap_period_ms);
    const int ready = ::poll(polled.data(), polled.size(), wait_ms);
    if (ready < 0 && errno == EINTR) continue;
    reap_orphans(pid);
    if (polled[2].revents != 0) {
      drain(output, started.output_limit, run);
      if ((polled[2].revents & POLLIN) == 0) polled[2].fd = -1;  // all writers have closed it
    }
    if (polled[0].revents != 0) return;
    run.stopped = polled[1].revents != 0;
    run.timed_out = remaining_ms(started.time_limit, run.begin_ns) == 0;
    if (run.stopped || run.timed_out) return;
  }
}

// Waits for the stop and reads what the descendants of a server print; false if none is left.
bool wait_for_stop(int stop_fd, int output, std::size_t output_limit, completed_run& run) {
  std::array<pollfd, 2> polled{pollfd{stop_fd, POLLIN, 0}, pollfd{output, POLLIN, 0}};
  while (has_descendants()) {
    if (::poll(polled.data(), polled.size(), 100) <= 0) continue;
    if (polled[1].revents != 0) {
      drain(output, output_limit, run);
      if ((polled[1].revents & POLLIN) == 0) polled[1].fd = -1;  // all writers have closed it
    }
    if (polled[0].revents != 0) return true;
  }
  return false;
}

// SIGTERM, and SIGKILL after the grace. What the process prints as it ends is read.
void end_process(const command& started, pid_t pid, int process, int output, completed_run& run) {
  if (started.grace.count() > 0) {
    ::kill(pid, SIGTERM);
    std::array<pollfd, 2> polled{pollfd{process, POLLIN, 0}, pollfd{output, POLLIN, 0}};
    const std::uint64_t begin_ns = monotonic_ns();
    while (const int left_ms = remaining_ms(started.grace, begin_ns)) {
      if (::poll(polled.data(), polled.size(), left_ms) <= 0) continue;
      if (polled[1].revents != 0) {
        drain(output, started.output_limit, run);
        if ((polled[1].revents & POLLIN) == 0) polled[1].fd = -1;  // all writers have closed it
      }
      if (polled[0].revents != 0) return;
    }
  }
  ::kill(pid, SIGKILL);
}

}  // namespace

completed_run run_command(const command& started, int stop_fd) {
  const descriptor null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  if (!null) fail_call(errno, "/dev/null");
  descriptor output;
  descriptor input_of_pipe;
  if (started.output_limit > 0) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_call(errno, "pipe2");
    output.reset(ends[0]);
    input_of_pipe.reset(ends[1]);
    ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  }
  const int sink = input_of_pipe ? input_of_pipe.get() : null.get();
  spawn_settings settings;
  settings.duplicate(null.get(), STDIN_FILENO);
  settings.duplicate(sink, STDOUT_FILENO);
  settings.duplicate(sink, STDERR_FILENO);
  if (!started.directory.empty()) settings.use_directory(started.directory);

  completed_run run;
  run.begin_ns = monotonic_ns();
  const pid_t pid = settings.spawn(started.arguments, started.environment);
  const descriptor process{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U))};
  if (!process) {  // without it, neither the end nor the time limit could be waited for
    const int error = errno;
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (has_descendants()) end_descendants({});
    fail_call(error, "pidfd_open");
  }
  input_of_pipe.reset();
  wait_for_end(started, pid, process.get(), output.get(), stop_fd, run);
  if (run.stopped || run.timed_out) {
    end_process(started, pid, process.get(), output.get(), run);
  }
  while (::wait4(pid, &run.status, 0, &run.usage) < 0 && errno == EINTR) {
  }
  run.wall_ns = monotonic_ns() - run.begin_ns;
  if (output) drain(output.get(), started.output_limit, run);
  if (started.is_server && !run.stopped && has_descendants()) {
    run.stopped = wait_for_stop(stop_fd, output.get(), started.output_limit, run);
  }
  if (has_descendants()) run.leftovers = end_descendants(started.grace);
  return run;
}

}  // namespace stallscope::launch
