// stallscope-kernels: programs with a known bottleneck, for profilers to be checked against.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "kernels/mix.hpp"
#include "kernels/mix_output.hpp"

namespace {

namespace kernels = stallscope::kernels;

constexpr int exit_done = 0;
constexpr int exit_usage = 2;
constexpr int exit_unable = 3;

struct CommandLine {
  double duration_s = 20;
  double interval_ms = 100;
  unsigned threads = 4;
  double working_set_mib = 64;
};

void add_mix(CLI::App& app, CommandLine& line) {
  CLI::App* mix = app.add_subcommand(
      "mix", "Threads of known true shares: arithmetic, pointers, branches, sleeper");
  mix->add_option("--duration", line.duration_s, "Seconds to run; 0: until SIGINT or SIGTERM")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  mix->add_option("--interval-ms", line.interval_ms, "Milliseconds between two lines of output")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  mix->add_option("--threads", line.threads, "Threads; from the fifth on, the four kinds again")
      ->check(CLI::Range(1U, 32U))
      ->capture_default_str();
  mix->add_option("--working-set-mib", line.working_set_mib,
                  "Memory that chase_pointers walks through, in MiB")
      ->check(CLI::Range(0.01, 65536.0))
      ->capture_default_str();
  mix->footer(
      "Writes a JSON line with every function's CPU time so far, or words to a terminal.\n"
      "Example: stallscope-kernels mix --duration 20 & stallscope profile -p $! --duration 10");
}

kernels::MixOptions options_of(const CommandLine& line) {
  return {.duration = std::chrono::nanoseconds(static_cast<std::int64_t>(line.duration_s * 1e9)),
          .interval = std::chrono::nanoseconds(static_cast<std::int64_t>(line.interval_ms * 1e6)),
          .threads = line.threads,
          .working_set_bytes = static_cast<std::uint64_t>(line.working_set_mib * 1024 * 1024)};
}

int run_mix(const CommandLine& line) {
  std::signal(SIGPIPE, SIG_IGN);
  const long pid = getpid();
  const bool to_person = isatty(STDOUT_FILENO) != 0;
  if (to_person) kernels::write_line(stdout, "running, pid " + std::to_string(pid));
  kernels::MixSnapshot last;
  bool written = true;
  kernels::run_mix(options_of(line), [&](const kernels::MixSnapshot& snapshot) {
    last = snapshot;
    if (!to_person) written = kernels::write_line(stdout, kernels::json_line(snapshot, pid));
    return written;
  });
  if (to_person) std::cout << kernels::share_table(last) << std::flush;
  if (!written) {
    std::cerr << "stallscope-kernels: cannot write to standard output: " << std::strerror(errno)
              << "\n";
    return exit_unable;
  }
  return exit_done;
}

int run(int argc, char** argv) {
  CLI::App app("Programs with a known bottleneck, to check a profiler against",
               "stallscope-kernels");
  app.set_version_flag("--version", "stallscope-kernels " STALLSCOPE_VERSION);
  app.require_subcommand(1);
  CommandLine line;
  add_mix(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const bool named = !app.get_subcommands().empty();
    std::cerr << "stallscope-kernels: error: " << (named ? error.what() : "name the program: mix")
              << "\n  remedy: see stallscope-kernels " << (named ? "mix " : "") << "--help\n";
    return exit_usage;
  }
  return run_mix(line);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stallscope-kernels: error: %s\n", error.what());
    return exit_unable;
  }
}
