#include "kernels/waiting/child_process.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>

#include "base/clock.hpp"

namespace stallscope::kernels {

child_process::child_process(const char* name, const std::function<void()>& work) {
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ > 0) return;
  std::signal(SIGINT, SIG_IGN);  // the parent ends it, after its report
  std::signal(SIGTERM, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, name);
  if (getppid() != parent) _exit(0);
  try {
    work();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

child_process::~child_process() {
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::uint64_t child_process::cpu_ns() const noexcept {
  clockid_t clock{};
  return clock_getcpuclockid(pid_, &clock) == 0 ? clock_ns(clock) : 0;
}

}  // namespace stallscope::kernels
