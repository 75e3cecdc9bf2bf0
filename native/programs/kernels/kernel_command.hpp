// The commands of single kernels: `stallscope-kernels NAME ...` and `stallscope-kernels --list`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "kernels/table.hpp"

namespace stallscope::kernels {

struct kernel_command {
  const kernel_entry* entry = nullptr;  // the one named
  double duration_s = 5;
  std::optional<std::uint64_t> iterations;
  std::optional<unsigned> threads;
  std::string cpus;
  bool json = false;
  bool padded = false;
};

// Adds each kernel of the table as a subcommand, which fills the command when it is named. The
// command must outlive the parsing.
void add_kernels(CLI::App& app, kernel_command& command);

// Runs the kernel until its end, SIGINT or SIGTERM, and writes its report: JSON where standard
// output is no terminal. Throws std::invalid_argument where an option does not fit the kernel, and
// std::system_error.
void run_command(const kernel_command& command);

// Writes the table.
void write_list(bool json);

}  // namespace stallscope::kernels
