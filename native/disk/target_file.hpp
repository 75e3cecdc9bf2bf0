// Opens the file or device of a plan and checks it: the inherited descriptor, or the path for
// direct reads. A path is never opened for writing; the parent process decides what may be
// overwritten. Costs a few system calls.
#pragma once

#include "base/descriptor.hpp"
#include "disk/plan.hpp"

namespace stallscope::disk {

struct target_file {
  descriptor fd;
  bool direct = false;
};

// Throws failure if the file cannot be opened, is not a regular file or block device, is smaller
// than the span, is read-only although points write, or if blocks are not aligned for direct I/O.
target_file open_target(const plan& plan);

}  // namespace stallscope::disk
