// stallscope-kernels: programs with a known bottleneck, to check profilers.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "base/command_line.hpp"
#include "base/program.hpp"
#include "kernels/kernel_command.hpp"
#include "kernels/mix.hpp"
#include "kernels/mix_output.hpp"

namespace {

namespace cli = stallscope::cli;
namespace kernels = stallscope::kernels;

using stallscope::exit_code;
using stallscope::failure;

struct command_line {
  double duration_s = 20;
  double interval_ms = 100;
  unsigned threads = 4;
  double working_set_mib = 64;
  kernels::kernel_command kernel;
  bool list = false;
  bool list_json = false;
};

void add_mix(cli::command& app, command_line& options) {
  cli::command mix = app.add_subcommand(
      "mix", "Run threads with known shares of CPU time: arithmetic, pointers, branches, sleeper");
  mix.add_option("--duration", options.duration_s,
                 "Duration in seconds; 0: until SIGINT or SIGTERM")
      .check(cli::range(0.0, 1e6))
      .capture_default_str();
  mix.add_option("--interval-ms", options.interval_ms,
                 "Interval between lines of output, in milliseconds")
      .check(cli::range(1.0, 1e6))
      .capture_default_str();
  mix.add_option("--threads", options.threads, "Number of threads; the four roles repeat")
      .check(cli::range(1U, 32U))
      .capture_default_str();
  mix.add_option("--working-set-mib", options.working_set_mib,
                 "Working set of chase_pointers, in MiB")
      .check(cli::range(0.01, 65536.0))
      .capture_default_str();
  mix.footer(
      "Prints a JSON line with the CPU time of every function so far, or a table on a terminal.\n"
      "Example: stallscope-kernels mix --duration 20 & stallscope profile -p $! --duration 10");
}

kernels::mix_options options_of(const command_line& options) {
  return {
      .duration = std::chrono::nanoseconds(static_cast<std::int64_t>(options.duration_s * 1e9)),
      .interval = std::chrono::nanoseconds(static_cast<std::int64_t>(options.interval_ms * 1e6)),
      .threads = options.threads,
      .working_set_bytes = static_cast<std::uint64_t>(options.working_set_mib * 1024 * 1024)};
}

exit_code run_mix(const command_line& options) {
  std::signal(SIGPIPE, SIG_IGN);
  const long pid = getpid();
  const bool to_terminal = isatty(STDOUT_FILENO) != 0;
  if (to_terminal) kernels::write_line(stdout, "running, pid " + std::to_string(pid));
  kernels::mix_snapshot latest;
  bool written = true;
  kernels::run_mix(options_of(options), [&](const kernels::mix_snapshot& snapshot) {
    latest = snapshot;
    if (!to_terminal) written = kernels::write_line(stdout, kernels::json_line(snapshot, pid));
    return written;
  });
  if (to_terminal) std::cout << kernels::share_table(latest) << std::flush;
  if (!written) {
    std::cerr << "stallscope-kernels: cannot write to standard output: " << std::strerror(errno)
              << "\n";
    return exit_code::unwritable;
  }
  return exit_code::done;
}

void add_list(cli::command& app, command_line& options) {
  const cli::option list =
      app.add_flag("--list", options.list, "List the kernels with their expected diagnosis");
  app.add_flag("--json", options.list_json, "Print the list as JSON").needs(list);
  app.footer(
      "A kernel has one known bottleneck; mix runs several functions in known shares.\n"
      "Example: stallscope-kernels pointer-chase-dram --duration 2 --json");
}

exit_code run_selected(const command_line& options) {
  if (options.list) {
    kernels::write_list(options.list_json);
  } else if (options.kernel.entry == nullptr) {
    return run_mix(options);
  } else {
    try {
      kernels::run_command(options.kernel);
    } catch (const std::invalid_argument& error) {
      throw failure(
          exit_code::usage, error.what(),
          std::string("see stallscope-kernels ") + options.kernel.entry->name + " --help");
    }
  }
  return exit_code::done;
}

exit_code run(int argc, char** argv) {
  cli::parser app("Run programs with a known bottleneck, to check a profiler",
                  "stallscope-kernels");
  app.set_version_flag("--version", "stallscope-kernels " STALLSCOPE_VERSION);
  app.require_subcommand(0, 1);
  command_line options;
  add_list(app, options);
  add_mix(app, options);
  kernels::add_kernels(app, options.kernel);
  if (!stallscope::parse_arguments(app, argc, argv)) return exit_code::done;
  if (!options.list && !app.has_subcommand()) {
    throw failure(exit_code::usage, "name a kernel, or mix; --list shows the kernels",
                  "see stallscope-kernels --help");
  }
  return run_selected(options);
}

}  // namespace

int main(int argc, char** argv) {
  const stallscope::program program("stallscope-kernels", "");
  return program.run([&] { return run(argc, argv); });
}
