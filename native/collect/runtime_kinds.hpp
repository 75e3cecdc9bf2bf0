// The managed runtimes whose frames are read from outside. runtime_of() costs some small reads of
// the mapped files; call it in a helper process, because files may block. Any thread.
//
//   if (!runtime_of(proc, pid).empty()) copy_deep_stacks(pid);
#pragma once

#include <string>
#include <vector>

#include "managed_frames/runtime_reader.hpp"

namespace stallscope::collect {

std::vector<managed_frames::runtime_kind> runtime_kinds();

// Returns the name of the runtime of a process, empty without one. Its files may block the caller.
std::string runtime_of(const procfs& proc, pid_t pid);

// Returns whether a program with this file name is, by its name, a managed runtime.
bool is_runtime_program(const std::string& path);

}  // namespace stallscope::collect
