// What the command lines of sampling and of counting have in common: how words are divided and
// parsed, and the checks of what both ask for. All throw failure (usage).
#pragma once

#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace stallscope::collect {

[[noreturn]] void usage(const std::string& message,
                        const std::string& remedy = "see stallscope-collect --help");

struct divided_words {
  std::vector<std::string> own;      // without the program's name
  std::vector<std::string> command;  // after "--"
};

divided_words divide(const std::vector<std::string>& words);

// False where help or the version was asked for, and printed.
bool parse_words(CLI::App& app, std::vector<std::string> own);

void check_protocol(int protocol);
void check_duration(double seconds);
// Closes the descriptor on exec: a command is not to hold the caller's.
void check_descriptor(const char* flag, int fd);
// Ascending, each once.
std::vector<pid_t> checked_pids(std::vector<pid_t> pids);
std::vector<int> checked_cpus(const std::string& list);

}  // namespace stallscope::collect
