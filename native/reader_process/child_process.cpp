#include "reader_process/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>

#include "base/clock.hpp"
#include "base/procfs.hpp"

namespace stallscope::reader_process {
namespace {

constexpr std::chrono::milliseconds last_wait{100};
constexpr std::chrono::milliseconds between_checks{2};

void close_all_except(int excepted) {
  const auto close_range = [](unsigned first, unsigned last) {
    if (first > last || ::syscall(SYS_close_range, first, last, 0) == 0) return;
    const long limit = ::sysconf(_SC_OPEN_MAX);  // a kernel before 5.9
    for (unsigned fd = first; fd <= last && static_cast<long>(fd) < limit; ++fd)
      ::close(static_cast<int>(fd));
  };
  if (excepted < 0) return close_range(0, ~0U);
  if (excepted > 0) close_range(0, static_cast<unsigned>(excepted) - 1);
  close_range(static_cast<unsigned>(excepted) + 1, ~0U);
}

void limit_memory(std::uint64_t more_bytes) {
  const auto pages = std::strtoull(read_text("/proc/self/statm", 64).c_str(), nullptr, 10);
  const auto bytes = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + more_bytes;
  const rlimit memory{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &memory);
}

[[noreturn]] void run_child(const child_options& options, pid_t parent,
                            const std::function<void()>& body) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  close_all_except(options.kept_descriptor);
  ::prctl(PR_SET_NAME, options.name.c_str());
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (::chdir("/") != 0) ::_exit(1);
  if (::getpriority(PRIO_PROCESS, 0) < 0) ::setpriority(PRIO_PROCESS, 0, 0);
  try {
    limit_memory(options.memory_bytes);
    body();
  } catch (const std::exception&) {
    ::_exit(1);  // the parent sees the end
  }
  ::_exit(0);
}

}  // namespace

child_process::child_process(const child_options& options, const std::function<void()>& body) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) run_child(options, parent, body);
  pid_ = child;
}

child_process::~child_process() { end(last_wait); }

bool child_process::running() noexcept {
  if (pid_ != 0 && ::waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = 0;
  return pid_ != 0;
}

bool child_process::wait(std::chrono::milliseconds limit) noexcept {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (running()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(between_checks);
  }
  return true;
}

bool child_process::end(std::chrono::milliseconds limit) noexcept {
  if (pid_ != 0) ::kill(pid_, SIGKILL);
  return wait(limit);
}

char child_process::state() const {
  try {
    const auto status = procfs{}.status(pid_);
    return status ? status->state : 'X';
  } catch (const std::system_error&) {
    return '?';
  }
}

}  // namespace stallscope::reader_process
