// stallscope-memory: measures what a load takes, through rings of lines in random order, as a plan
// asks; writes a JSON line for each point as soon as it is measured. A signal ends it at once: what
// was written is whole.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

#include "kernels/mix_output.hpp"
#include "plan.hpp"

namespace {

namespace memory = stallscope::memory;

constexpr int exit_done = 0;
constexpr int exit_usage = 2;
constexpr int exit_unable = 3;
constexpr std::size_t largest_plan_bytes = std::size_t{16} << 20U;
constexpr std::uint64_t first_settle_ns = 100'000'000;  // a governor may take that long

std::string read_plan(const std::string& path) {
  std::ifstream file;
  if (path != "-") file.open(path);
  std::istream& from = path == "-" ? std::cin : file;
  std::string text(largest_plan_bytes + 1, '\0');
  from.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(from.gcount()));
  if (text.empty()) throw memory::BadPlan("it is empty or cannot be read");
  if (text.size() > largest_plan_bytes) throw memory::BadPlan("it is larger than 16 MiB");
  return text;
}

void write_out(const std::string& line) {
  if (!stallscope::kernels::write_line(stdout, line)) {
    throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
  }
}

void measure_all(const memory::Plan& plan) {
  write_out(memory::hello_line(plan.points.size()));
  memory::Pace pace = plan.pace;
  pace.settle_ns = first_settle_ns;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    std::string line;
    try {
      line = memory::point_line(i, memory::measure(plan.points[i], pace));
    } catch (const std::system_error& error) {
      line = memory::skipped_line(i, error.what());
    }
    write_out(line);
    pace.settle_ns = plan.pace.settle_ns;
  }
}

int run(int argc, char** argv) {
  CLI::App app("Measures what a load from each level of the memory takes", "stallscope-memory");
  app.set_version_flag("--version", "stallscope-memory " STALLSCOPE_VERSION);
  std::string path = "-";
  app.add_option("--plan", path, "A stallscope.memory-plan/1 document; -: standard input")
      ->capture_default_str();
  app.footer("`stallscope lab memory` makes the plan and reads what is found.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "stallscope-memory: error: " << error.what()
              << "\n  remedy: see stallscope-memory --help\n";
    return exit_usage;
  }
  try {
    measure_all(memory::parse_plan(read_plan(path)));
  } catch (const memory::BadPlan& error) {
    std::cerr << "stallscope-memory: error: the plan " << path << ": " << error.what()
              << "\n  remedy: let stallscope lab memory make it\n";
    return exit_usage;
  }
  return exit_done;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stallscope-memory: error: %s\n", error.what());
    return exit_unable;
  }
}
