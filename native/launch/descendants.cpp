#include "launch/descendants.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <set>
#include <system_error>
#include <thread>

#include "base/clock.hpp"
#include "base/procfs.hpp"

namespace stallscope::launch {
namespace {

constexpr std::chrono::nanoseconds kill_limit = std::chrono::seconds(2);
constexpr std::chrono::microseconds poll_period{500};

// Sends a signal to the children that have not got one; returns the number of new children.
unsigned signal_children(int signal, std::set<pid_t>& signalled) {
  unsigned count = 0;
  for (const pid_t child : procfs().children(::getpid())) {
    if (!signalled.insert(child).second) continue;
    if (::kill(child, signal) == 0) ++count;
  }
  return count;
}

// Signals all descendants until none is left or the time is over; returns the number signalled.
// The children of an ended child become children of this process and get the signal as well.
unsigned signal_until(int signal, std::chrono::nanoseconds limit) {
  unsigned count = 0;
  std::set<pid_t> signalled;
  const std::uint64_t end_ns = monotonic_ns() + static_cast<std::uint64_t>(limit.count());
  while (has_descendants()) {
    count += signal_children(signal, signalled);
    if (monotonic_ns() >= end_ns) break;
    std::this_thread::sleep_for(poll_period);
  }
  return count;
}

}  // namespace

void adopt_descendants() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) != 0) {
    throw std::system_error(errno, std::generic_category(), "prctl(PR_SET_CHILD_SUBREAPER)");
  }
}

bool has_descendants() noexcept {
  while (true) {
    const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended == 0) return true;
    if (ended < 0 && errno != EINTR) return false;
  }
}

void reap_orphans(pid_t except) noexcept {
  siginfo_t ended{};
  while (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0 &&
         ended.si_pid != except) {
    ::waitpid(ended.si_pid, nullptr, WNOHANG);
    ended = {};
  }
}

unsigned end_descendants(std::chrono::nanoseconds grace) {
  unsigned count = 0;
  if (grace.count() > 0) count = signal_until(SIGTERM, grace);
  const unsigned killed = signal_until(SIGKILL, kill_limit);
  return grace.count() > 0 ? std::max(count, killed) : killed;
}

}  // namespace stallscope::launch
