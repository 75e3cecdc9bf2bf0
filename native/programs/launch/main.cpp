// stallscope-launch: runs commands one after another and measures each. It reads requests from
// standard input and writes replies to standard output (launch/requests.hpp). When its input ends,
// also because the process at the other end was killed, it ends the running command with all
// descendants.
#include <unistd.h>

#include <csignal>
#include <system_error>

#include "base/command_line.hpp"
#include "base/program.hpp"
#include "launch/command.hpp"
#include "launch/descendants.hpp"
#include "launch/requests.hpp"

namespace {

using stallscope::exit_code;

exit_code serve() {
  namespace launch = stallscope::launch;
  launch::adopt_descendants();
  while (const auto requested = launch::read_request(STDIN_FILENO)) {
    try {
      const launch::completed_run run = launch::run_command(*requested, STDIN_FILENO);
      launch::write_reply(STDOUT_FILENO, run);
    } catch (const std::system_error& error) {
      launch::write_start_error(STDOUT_FILENO, error.code().value());
    }
  }
  return exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  const stallscope::program program("stallscope-launch", "use stallscope bench run");
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_IGN);
  return program.run([&] {
    stallscope::cli::parser app("Runs and measures commands for stallscope bench",
                                "stallscope-launch");
    app.set_version_flag("--version", "stallscope-launch " STALLSCOPE_VERSION);
    app.footer("Reads binary requests from standard input until its end.");
    if (!stallscope::parse_arguments(app, argc, argv)) return exit_code::done;
    return serve();
  });
}
