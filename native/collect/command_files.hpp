// The files whose code a command will run: its executable, found as execvp finds it, interpreters
// of scripts followed, and the libraries that these need, as far as they stand in the usual places.
// All is read before anything runs; the files are hostile input. Costs some file reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"

namespace stallscope::collect {

struct command_file {
  std::string path;
  descriptor file;
  bool executable = false;  // else a library
};

// The executable first; empty where it cannot be found or read.
std::vector<command_file> files_of_command(const std::vector<std::string>& words,
                                           std::string_view search_path);

// The libraries that an ELF file of 64 bits names, without their folders; empty for any other file.
std::vector<std::string> needed_libraries(const descriptor& file);

}  // namespace stallscope::collect
