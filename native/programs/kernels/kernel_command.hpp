// The subcommands of the kernels: `stallscope-kernels NAME ...`, and `stallscope-kernels --list`.
// Main thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/command_line.hpp"
#include "kernels/table.hpp"

namespace stallscope::kernels {

struct kernel_command {
  const kernel_entry* entry = nullptr;  // null if no kernel was named
  double duration_s = 5;
  std::optional<std::uint64_t> iterations;
  std::optional<unsigned> threads;
  std::string cpus;
  bool json = false;
  bool look_alike = false;
  bool cured = false;
  bool padded = false;
  std::string beside;  // symptom beside the kernel; empty: none
  std::string path;
  double rate_per_s = 0;  // 0: the default of the kernel
};

// Adds every kernel of the table as a subcommand, which fills `command` if it is named. `command`
// must outlive the parsing.
void add_kernels(cli::command& app, kernel_command& command);

// Runs the kernel until its end, SIGINT or SIGTERM, and writes its report: text to a terminal,
// otherwise JSON. Throws std::invalid_argument if an option is invalid for the kernel, and
// std::system_error.
void run_command(const kernel_command& command);

// Writes the list of kernels.
void write_list(bool json);

}  // namespace stallscope::kernels
