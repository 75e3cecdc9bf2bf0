// Parsing with CLI11, the same in every program: a wrong command line is a failure with the exit
// code for usage and a remedy that names the help.
//
//   CLI::App app{"Measures wake-ups", "stallscope-wake"};
//   if (!parse_command_line(app, argc, argv)) return exit_code::done;
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "base/failure.hpp"

namespace stallscope {

// `words` are the arguments without the program's name. Returns false if --help or --version was
// printed. Throws failure (usage).
inline bool parse_command_line(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // CLI11 expects reverse order
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return false;
    }
    std::string help = "see " + app.get_name();
    for (const CLI::App* command : app.get_subcommands()) help += " " + command->get_name();
    throw failure(exit_code::usage, error.what(), help + " --help");
  }
  return true;
}

inline bool parse_command_line(CLI::App& app, int argc, char** argv) {
  return parse_command_line(app, std::vector<std::string>(argv + 1, argv + argc));
}

// Adds --die-with-parent; see program::follow_parent().
inline void add_die_with_parent(CLI::App& app, bool& die_with_parent) {
  app.add_flag("--die-with-parent", die_with_parent, "End when the parent process ends");
}

}  // namespace stallscope
