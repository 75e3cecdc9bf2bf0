// stallscope-load: loads a RESP server in a closed or an open loop and reports latency from the due
// time, service time and send lag.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/failure.hpp"
#include "command_line.hpp"
#include "load/load_run.hpp"

namespace {

using stallscope::exit_code;
using stallscope::failure;

int report_error(const char* message, const char* remedy, exit_code code) {
  std::fprintf(stderr, "stallscope-load: error: %s\n  remedy: %s\n", message, remedy);
  return static_cast<int>(code);
}

// Signals that end a run are read from a signalfd; threads inherit the mask.
void block_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

// Requests SIGTERM at the death of the parent; returns false if the parent is already dead.
bool follow_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGTERM), 0UL, 0UL, 0UL);
  return ::getppid() == parent;
}

}  // namespace

int main(int argc, char** argv) {
  const pid_t parent = ::getppid();
  try {
    const auto command = stallscope::load::parse_command_line(argc, argv);
    if (!command) return static_cast<int>(exit_code::done);
    if (command->die_with_parent && !follow_parent(parent))
      return static_cast<int>(exit_code::done);
    block_signals();
    stallscope::load::load_run(command->settings).run();
    return static_cast<int>(exit_code::done);
  } catch (const failure& problem) {
    return report_error(problem.what(), problem.remedy().c_str(), problem.code());
  } catch (const std::exception& error) {
    return report_error(error.what(), "run stallscope doctor to see what this machine supports",
                        exit_code::unable);
  }
}
