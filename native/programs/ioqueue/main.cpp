// stallscope-ioqueue: measures disks, and the I/O queue under load.
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/command_line.hpp"
#include "base/json.hpp"
#include "base/program.hpp"
#include "disk/plan.hpp"
#include "overhead.hpp"
#include "points.hpp"
#include "storm.hpp"

namespace {

namespace cli = stallscope::cli;

using stallscope::exit_code;
using stallscope::failure;
using stallscope::json;

// Prints JSON on standard output, from which the calling program reads results.
void print_error(const failure& error) {
  const json line{{"kind", "error"},
                  {"message", error.what()},
                  {"remedy", error.remedy()},
                  {"exit_code", static_cast<int>(error.code())}};
  std::puts(line.dump().c_str());
}

cli::command add_overhead(cli::command& app, stallscope::ioqueue::overhead_options& options) {
  cli::command command = app.add_subcommand(
      "overhead", "Measure the CPU time of the I/O queue on a device that takes no time");
  command.add_option("--way", options.mode, "With the queue, or without it (bare)")
      .check(cli::one_of({"queue", "bare"}))
      .capture_default_str();
  command.add_option("--depth", options.depth, "Requests in flight")
      .check(cli::range(1U, stallscope::disk::max_depth))
      .capture_default_str();
  command.add_option("--requests", options.requests, "Number of timed requests")
      .check(cli::range(std::uint64_t{1}, std::uint64_t{1} << 40U))
      .capture_default_str();
  return command;
}

exit_code run(const stallscope::program& program, int argc, char** argv) {
  cli::parser app("Measures disks, and the I/O queue under load", "stallscope-ioqueue");
  app.set_version_flag("--version", "stallscope-ioqueue " STALLSCOPE_VERSION);
  app.require_subcommand(1, 1);
  bool die_with_parent = false;
  stallscope::add_die_with_parent(app, die_with_parent);
  cli::command points =
      app.add_subcommand("points", "Measure the points of a JSON plan on standard input");
  cli::command storm = app.add_subcommand(
      "storm",
      "Run a reader beside a storm of writes through the I/O queue; JSON plan on standard input");
  int phases_fd = -1;
  stallscope::add_phases(storm, phases_fd);
  stallscope::ioqueue::overhead_options options;
  cli::command overhead = add_overhead(app, options);
  if (!stallscope::parse_arguments(app, argc, argv)) return exit_code::done;
  if (die_with_parent && !program.follow_parent()) return exit_code::done;
  std::signal(SIGPIPE, SIG_IGN);
  int status = 0;
  if (points.parsed()) status = stallscope::ioqueue::points();
  if (storm.parsed()) status = stallscope::ioqueue::storm(phases_fd);
  if (overhead.parsed()) status = stallscope::ioqueue::overhead(options);
  return static_cast<exit_code>(status);
}

}  // namespace

int main(int argc, char** argv) {
  static constexpr const char* remedy = "see stallscope doctor for what this machine allows";
  const stallscope::program program("stallscope-ioqueue", remedy);
  return program.run([&] {
    if (::isatty(STDOUT_FILENO) != 0) return run(program, argc, argv);
    try {
      return run(program, argc, argv);
    } catch (const failure& error) {
      print_error(error);
      return error.code();
    } catch (const std::bad_alloc&) {
      throw;  // not enough memory to build the JSON line
    } catch (const std::exception& error) {
      print_error(failure(exit_code::unable, error.what(), remedy));
      return exit_code::unable;
    }
  });
}
