// stallscope-load: loads a RESP server in a closed or an open loop, and tells latency from when
// each request was due, service time and send lag.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/failure.hpp"
#include "command_line.hpp"
#include "load/session.hpp"

namespace {

using stallscope::exit_code;
using stallscope::failure;

int told(const char* message, const char* remedy, exit_code code) {
  std::fprintf(stderr, "stallscope-load: error: %s\n  remedy: %s\n", message, remedy);
  return static_cast<int>(code);
}

// Signals that end a run are read where it is convenient; threads inherit the mask.
void block_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

// Asks for SIGTERM at the parent's death; false where it is dead already.
bool follow_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGTERM), 0UL, 0UL, 0UL);
  return ::getppid() == parent;
}

}  // namespace

int main(int argc, char** argv) {
  const pid_t parent = ::getppid();
  try {
    const auto line = stallscope::load::parse_command_line(argc, argv);
    if (!line) return static_cast<int>(exit_code::done);
    if (line->die_with_parent && !follow_parent(parent)) return static_cast<int>(exit_code::done);
    block_signals();
    stallscope::load::session(line->asked).run();
    return static_cast<int>(exit_code::done);
  } catch (const failure& problem) {
    return told(problem.what(), problem.remedy().c_str(), problem.code());
  } catch (const std::exception& error) {
    return told(error.what(), "see stallscope doctor for what this machine allows",
                exit_code::unable);
  }
}
