// stallscope-load: loads a RESP server in a closed or an open loop and reports latency from the due
// time, service time and send lag.
#include <csignal>

#include "base/program.hpp"
#include "command_line.hpp"
#include "load/load_run.hpp"

namespace {

using stallscope::exit_code;

// Signals that end a run are read from a signalfd; threads inherit the mask.
void block_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  const stallscope::program program("stallscope-load",
                                    "run stallscope doctor to see what this machine supports");
  return program.run([&] {
    const auto command = stallscope::load::parse_command_line(argc, argv);
    if (!command || (command->die_with_parent && !program.follow_parent())) return exit_code::done;
    block_signals();
    stallscope::load::load_run(command->settings).run();
    return exit_code::done;
  });
}
