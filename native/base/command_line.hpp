// Parsing with CLI11, the same in every program: a wrong command line is a failure with the exit
// code for usage and a remedy that names the help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/failure.hpp"

namespace stallscope {

// False if --help or --version was printed. Throws failure (usage).
inline bool parse_command_line(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
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

// Adds --die-with-parent; see program::follow_parent().
inline void add_die_with_parent(CLI::App& app, bool& die_with_parent) {
  app.add_flag("--die-with-parent", die_with_parent, "End when the parent process ends");
}

}  // namespace stallscope
