// stallscope-known-disk: a file with a known response curve, for tests of disk measurements.
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/program.hpp"
#include "command_line.hpp"
#include "fuse_mount.hpp"
#include "fuse_server.hpp"

namespace {

using stallscope::exit_code;

// Above the measuring program, which may be real-time as well: a disk does not wait for a CPU.
bool become_real_time() {
  sched_param priority{};
  priority.sched_priority = 50;
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  ::mlockall(MCL_CURRENT | MCL_FUTURE);
  return ::sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const stallscope::program program("stallscope-known-disk", "see FUSE messages in the kernel log");
  return program.run([&] {
    const auto options = stallscope::known_disk::parse_command_line(argc, argv);
    if (!options || !program.follow_parent(SIGKILL)) return exit_code::done;
    const auto mount = stallscope::known_disk::mount_fuse();
    stallscope::known_disk::fuse_server server(mount.channel, options->disk, options->plan);
    const bool real_time = become_real_time();
    std::printf("{\"event\":\"ready\",\"path\":\"/proc/%d/fd/%d/disk\",\"real_time\":%s}\n",
                ::getpid(), mount.root.get(), real_time ? "true" : "false");
    std::fflush(stdout);
    server.run();
    return exit_code::done;
  });
}
