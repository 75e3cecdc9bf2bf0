// stallscope-ioqueue: what disks can do, and the I/O queue under load.
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/failure.hpp"
#include "disk/plan.hpp"
#include "overhead.hpp"
#include "points.hpp"
#include "storm.hpp"

namespace {

using stallscope::exit_code;
using stallscope::failure;

// In JSON for the program that asked, in words for a person.
int told(const std::string& message, const std::string& remedy, exit_code code) {
  const nlohmann::ordered_json line{{"kind", "error"},
                                    {"message", message},
                                    {"remedy", remedy},
                                    {"exit_code", static_cast<int>(code)}};
  if (::isatty(STDOUT_FILENO) == 0) {
    std::puts(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  } else {
    std::fprintf(stderr, "stallscope-ioqueue: error: %s\n  remedy: %s\n", message.c_str(),
                 remedy.c_str());
  }
  return static_cast<int>(code);
}

CLI::App* add_overhead(CLI::App& app, stallscope::ioqueue::overhead_choice& chosen) {
  CLI::App* added = app.add_subcommand(
      "overhead", "Tell what the I/O queue itself costs, on a device of no time");
  added->add_option("--way", chosen.way, "Through the queue, or without it")
      ->check(CLI::IsMember({"queue", "bare"}))
      ->capture_default_str();
  added->add_option("--depth", chosen.depth, "Requests at a time")
      ->check(CLI::Range(1U, stallscope::disk::most_depth))
      ->capture_default_str();
  added->add_option("--requests", chosen.requests, "How many are timed")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U))
      ->capture_default_str();
  return added;
}

int run(int argc, char** argv) {
  CLI::App app("Measures disks, and the I/O queue under load", "stallscope-ioqueue");
  app.set_version_flag("--version", "stallscope-ioqueue " STALLSCOPE_VERSION);
  app.require_subcommand(1);
  bool die_with_parent = false;
  app.add_flag("--die-with-parent", die_with_parent, "End when the process that began it does");
  CLI::App* points =
      app.add_subcommand("points", "Measure the points of a plan, which is JSON on standard input");
  CLI::App* storm = app.add_subcommand(
      "storm",
      "Run a reader beside a storm of writes through the I/O queue; the plan is JSON, too");
  stallscope::ioqueue::overhead_choice chosen;
  CLI::App* overhead = add_overhead(app, chosen);
  const pid_t parent = ::getppid();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    throw failure(exit_code::usage, error.what(), "see stallscope-ioqueue --help");
  }
  if (die_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGTERM), 0UL, 0UL, 0UL);
    if (::getppid() != parent) return static_cast<int>(exit_code::done);
  }
  std::signal(SIGPIPE, SIG_IGN);
  if (points->parsed()) return stallscope::ioqueue::points();
  if (storm->parsed()) return stallscope::ioqueue::storm();
  if (overhead->parsed()) return stallscope::ioqueue::overhead(chosen);
  return static_cast<int>(exit_code::usage);
}

int run_or_tell(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const failure& problem) {
    return told(problem.what(), problem.remedy(), problem.code());
  } catch (const std::exception& error) {
    return told(error.what(), "see stallscope doctor for what this machine allows",
                exit_code::unable);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_or_tell(argc, argv);
  } catch (...) {  // there is no memory to say it in JSON
    std::fputs("stallscope-ioqueue: error: out of memory\n", stderr);
    return static_cast<int>(exit_code::unable);
  }
}
