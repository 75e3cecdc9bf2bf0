// Shared parts of the command lines of sampling and of counting: splitting of arguments, common
// options and checks of option values. All functions throw failure (usage).
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/command_line.hpp"
#include "collect/reporter.hpp"

namespace stallscope::collect {

[[noreturn]] void usage(const std::string& message,
                        const std::string& remedy = "see stallscope-collect --help");

struct program_arguments {
  std::vector<std::string> options;  // without the program's name
  std::vector<std::string> command;  // after "--"
};

program_arguments split_arguments(const std::vector<std::string>& words);

// Values of the common options, before they are validated together.
struct raw_common_options {
  std::vector<pid_t> pids;
  bool all_cpus = false;
  std::string cpus;
  int protocol = protocol_version;
};

// `Options` is collect_options or count_options.
template <typename Options>
void add_target_options(cli::command& app, raw_common_options& raw, Options& options) {
  app.add_option("-p,--pid", raw.pids, "Processes, with their threads and later children")
      .delimiter(',');
  app.add_flag("-a,--all-cpus", raw.all_cpus, "All CPUs");
  app.add_option("-C,--cpu", raw.cpus, "CPUs, as a list such as 0-3,8");
  app.add_option("-G,--cgroup", options.cgroup,
                 "Cgroup: its full path, or its path below the hierarchy");
}

template <typename Options>
void add_output_options(cli::command& app, raw_common_options& raw, Options& options) {
  app.add_option("-o,--output", options.directory, "Directory of the recording, new or empty");
  app.add_flag("--force", options.force, "Replace an existing recording in the directory");
  app.add_option("--control-fd", options.control_fd,
                 "Descriptor to read \"enable\" and \"stop\" lines from; end of file also stops");
  app.add_option("--progress-fd", options.progress_fd,
                 "Descriptor to write progress to, as JSON lines");
  app.add_flag("--start-disabled", options.start_disabled,
               "Wait for \"enable\" on the control descriptor before attaching");
  app.add_option("--protocol", raw.protocol,
                 "Version of the progress protocol that the caller uses");
}

void check_protocol(int protocol);
void check_duration(double seconds);
// Also sets close-on-exec, so that the command does not inherit the caller's descriptor.
void check_descriptor(const char* flag, int fd);
// Returns the pids in ascending order without duplicates.
std::vector<pid_t> checked_pids(std::vector<pid_t> pids);
std::vector<int> checked_cpus(const std::string& list);

// Checks the options of add_output_options() that the command line has.
template <typename Options>
void check_output_options(const cli::command& app, const Options& options, const char* help) {
  if (options.directory.empty()) usage("no output directory was named", "give one with -o DIR");
  if (options.start_disabled && options.control_fd < 0)
    usage("--start-disabled needs --control-fd for the \"enable\" line", help);
  check_duration(options.duration_s);
  if (app.count("--progress-fd") != 0) check_descriptor("--progress-fd", options.progress_fd);
  if (app.count("--control-fd") != 0) check_descriptor("--control-fd", options.control_fd);
}

}  // namespace stallscope::collect
