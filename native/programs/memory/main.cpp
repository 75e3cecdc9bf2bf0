// stallscope-memory: measures the latency of loads along rings of cache lines in random order. A
// plan describes the rings. Writes a JSON line per point as soon as the point is measured. A signal
// ends the program at once; the lines written before are complete.
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <system_error>

#include "base/command_line.hpp"
#include "base/failure.hpp"
#include "base/program.hpp"
#include "kernels/mix_output.hpp"
#include "plan.hpp"

namespace {

namespace cli = stallscope::cli;
namespace memory = stallscope::memory;

using stallscope::exit_code;

constexpr std::size_t max_plan_bytes = std::size_t{16} << 20U;
constexpr std::uint64_t first_settle_ns =
    100'000'000;  // gives the frequency governor time to raise the clock

std::string read_plan(const std::string& path) {
  std::ifstream file;
  if (path != "-") file.open(path);
  std::istream& input = path == "-" ? std::cin : file;
  std::string text(max_plan_bytes + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (text.empty()) throw memory::plan_error("the file is empty or cannot be read");
  if (text.size() > max_plan_bytes) throw memory::plan_error("the file is larger than 16 MiB");
  return text;
}

void print_line(const std::string& line) {
  if (!stallscope::kernels::write_line(stdout, line)) {
    throw stallscope::output_error(errno, "cannot write to standard output");
  }
}

void measure_all(const memory::measurement_plan& plan) {
  print_line(memory::hello_line(plan.points.size()));
  memory::measurement_pace pace = plan.pace;
  pace.settle_ns = first_settle_ns;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    std::string line;
    try {
      line = memory::point_line(i, memory::measure(plan.points[i], pace, plan.events));
    } catch (const std::system_error& error) {
      line = memory::skipped_line(i, error.what());
    }
    print_line(line);
    pace.settle_ns = plan.pace.settle_ns;
  }
}

exit_code run(int argc, char** argv) {
  cli::parser app("Measure the load latency of every cache level and of memory",
                  "stallscope-memory");
  app.set_version_flag("--version", "stallscope-memory " STALLSCOPE_VERSION);
  std::string path = "-";
  app.add_option("--plan", path,
                 "Plan, a JSON document of schema stallscope.memory-plan/1; -: standard input")
      .capture_default_str();
  app.footer("`stallscope lab memory` creates the plan and analyzes the results.");
  if (!stallscope::parse_arguments(app, argc, argv)) return exit_code::done;
  try {
    measure_all(memory::parse_plan(read_plan(path)));
  } catch (const memory::plan_error& error) {
    throw stallscope::failure(exit_code::usage, "invalid plan " + path + ": " + error.what(),
                              "create the plan with stallscope lab memory");
  }
  return exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  const stallscope::program program("stallscope-memory", "");
  return program.run([&] { return run(argc, argv); });
}
