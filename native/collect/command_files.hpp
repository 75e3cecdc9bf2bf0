// The files whose code a command will run: the executable, located as by execvp, with the
// interpreters of scripts followed, and the libraries that it needs, if they are in the standard
// directories. They are read before the command runs. The files are hostile input. Costs some file
// reads. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"

namespace stallscope::collect {

struct command_file {
  std::string path;
  descriptor file;
  bool executable = false;  // otherwise a library
};

// Returns the executable first; empty if it is missing or unreadable.
std::vector<command_file> files_of_command(const std::vector<std::string>& words,
                                           std::string_view search_path);

// Returns the library names in a 64-bit ELF file, without directories; empty for any other file.
std::vector<std::string> needed_libraries(const descriptor& file);

}  // namespace stallscope::collect
