// Shared parts of the command lines of sampling and of counting: splitting of
// arguments and checks of option values. All functions throw failure (usage).
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace stallscope::collect {

[[noreturn]] void usage(const std::string& message,
                        const std::string& remedy = "see stallscope-collect --help");

struct program_arguments {
  std::vector<std::string> options;  // without the program's name
  std::vector<std::string> command;  // after "--"
};

program_arguments split_arguments(const std::vector<std::string>& words);

void check_protocol(int protocol);
void check_duration(double seconds);
// Also sets close-on-exec, so that the command does not inherit the caller's descriptor.
void check_descriptor(const char* flag, int fd);
// Returns the pids in ascending order without duplicates.
std::vector<pid_t> checked_pids(std::vector<pid_t> pids);
std::vector<int> checked_cpus(const std::string& list);

}  // namespace stallscope::collect
