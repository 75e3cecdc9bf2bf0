#include "wake/answerers.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <memory>
#include <system_error>

namespace stallscope::wake {
namespace {

[[noreturn]] void kernel_refused(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

[[noreturn]] void serve(channel& from, channel* next, int cpu) {
  try {
    run_on(cpu);
    while (true) {
      from.await_request();
      if (next != nullptr) next->round_trip();
      from.reply();
    }
  } catch (const std::exception&) {  // the other end is closed, or the CPU is offline
    ::_exit(1);
  }
}

}  // namespace

void run_on(int cpu) {
  if (cpu < 0) return;
  // Allocated by size: a cpu_set_t ends at CPU 1,023.
  const std::size_t size = CPU_ALLOC_SIZE(cpu + 1);
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
      CPU_ALLOC(cpu + 1), [](cpu_set_t* made) { CPU_FREE(made); });
  CPU_ZERO_S(size, set.get());
  CPU_SET_S(cpu, size, set.get());
  if (::sched_setaffinity(0, size, set.get()) != 0) kernel_refused("sched_setaffinity");
}

answerers::~answerers() {
  if (watcher_.joinable()) {
    ::eventfd_write(stop_.get(), 1);
    watcher_.join();
  }
  for (const pid_t pid : pids_) ::kill(pid, SIGKILL);
  for (const pid_t pid : pids_) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

pid_t answerers::start(channel& from, channel* next, int cpu) {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) kernel_refused("fork");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL), 0UL, 0UL, 0UL);
    if (::getppid() != parent) ::_exit(0);
    serve(from, next, cpu);
  }
  pids_.push_back(pid);
  ends_.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!ends_.back()) kernel_refused("pidfd_open");
  return pid;
}

void answerers::watch(channel& first, std::optional<std::chrono::milliseconds> most) {
  stop_.reset(::eventfd(0, EFD_CLOEXEC));
  if (!stop_) kernel_refused("eventfd");
  const int patience_ms = most ? static_cast<int>(most->count()) : -1;
  watcher_ = std::thread([this, &first, patience_ms] {
    std::vector<pollfd> watched{{stop_.get(), POLLIN, 0}};
    for (const descriptor& end : ends_) watched.push_back({end.get(), POLLIN, 0});
    int ready = -1;
    do {
      ready = ::poll(watched.data(), watched.size(), patience_ms);
    } while (ready < 0 && errno == EINTR);
    if (watched.front().revents != 0) return;
    why_ = ready == 0 ? "no reply came in time" : "a process that answers ended early";
    try {
      first.cancel();
    } catch (const std::exception&) {  // the other end is closed, which ends the wait as well
    }
  });
}

}  // namespace stallscope::wake
