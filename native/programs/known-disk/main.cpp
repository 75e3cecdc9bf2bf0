// stallscope-known-disk: a file whose response curve is known, for tests of what measures disks.
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "base/failure.hpp"
#include "command_line.hpp"
#include "fuse_mount.hpp"
#include "fuse_server.hpp"

namespace {

using stallscope::exit_code;
using stallscope::failure;

int told(const char* message, const char* remedy, exit_code code) {
  std::fprintf(stderr, "stallscope-known-disk: error: %s\n  remedy: %s\n", message, remedy);
  return static_cast<int>(code);
}

// Above what measures us, which may have a real-time class as well: a disk waits for nobody.
bool become_real_time() {
  sched_param priority{};
  priority.sched_priority = 50;
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  ::mlockall(MCL_CURRENT | MCL_FUTURE);
  return ::sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const pid_t parent = ::getppid();
  try {
    const auto line = stallscope::known_disk::parse_command_line(argc, argv);
    if (!line) return static_cast<int>(exit_code::done);
    ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL), 0UL, 0UL, 0UL);
    if (::getppid() != parent) return static_cast<int>(exit_code::done);
    const auto mount = stallscope::known_disk::mount_fuse();
    stallscope::known_disk::fuse_server server(mount.channel, line->disk, line->plan);
    const bool real_time = become_real_time();
    std::printf("{\"event\":\"ready\",\"path\":\"/proc/%d/fd/%d/disk\",\"real_time\":%s}\n",
                ::getpid(), mount.root.get(), real_time ? "true" : "false");
    std::fflush(stdout);
    server.run();
    return static_cast<int>(exit_code::done);
  } catch (const failure& problem) {
    return told(problem.what(), problem.remedy().c_str(), problem.code());
  } catch (const std::exception& error) {
    return told(error.what(), "see the kernel's log for what FUSE says", exit_code::unable);
  }
}
