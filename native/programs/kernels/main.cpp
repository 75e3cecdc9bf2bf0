// stallscope-kernels: programs with a known bottleneck, for profilers to be checked against.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include "kernels/kernel_command.hpp"
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
  kernels::KernelCommand kernel;
  bool list = false;
  bool list_json = false;
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

int report_usage(const std::string& what, const std::string& help_of) {
  std::cerr << "stallscope-kernels: error: " << what << "\n  remedy: see stallscope-kernels "
            << help_of << "--help\n";
  return exit_usage;
}

void add_list(CLI::App& app, CommandLine& line) {
  CLI::Option* list =
      app.add_flag("--list", line.list, "Name the kernels and the answer that each calls for");
  app.add_flag("--json", line.list_json, "The list as JSON")->needs(list);
  app.footer(
      "Each kernel has one bottleneck, known in advance; mix has several, in known shares.\n"
      "Example: stallscope-kernels pointer-chase-dram --duration 2 --json");
}

int run_named(const CommandLine& line) {
  if (line.list) {
    kernels::write_list(line.list_json);
  } else if (line.kernel.entry == nullptr) {
    return run_mix(line);
  } else {
    try {
      kernels::run_command(line.kernel);
    } catch (const std::invalid_argument& error) {
      return report_usage(error.what(), line.kernel.entry->name + std::string(" "));
    }
  }
  return exit_done;
}

int run(int argc, char** argv) {
  CLI::App app("Programs with a known bottleneck, to check a profiler against",
               "stallscope-kernels");
  app.set_version_flag("--version", "stallscope-kernels " STALLSCOPE_VERSION);
  app.require_subcommand(0, 1);
  CommandLine line;
  add_list(app, line);
  add_mix(app, line);
  kernels::add_kernels(app, line.kernel);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const auto named = app.get_subcommands();
    return report_usage(error.what(), named.empty() ? "" : named.front()->get_name() + " ");
  }
  if (!line.list && app.get_subcommands().empty()) {
    return report_usage("name a kernel, or mix; --list shows the kernels", "");
  }
  return run_named(line);
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
