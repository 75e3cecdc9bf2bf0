// The file or device requests go to: the descriptor that was inherited, or the path opened for
// direct reads, and what the kernel asks of requests to it. A path is never opened for writing:
// the checks of what may be overwritten are the parent's. A few system calls.
#pragma once

#include "base/descriptor.hpp"
#include "disk/plan.hpp"

namespace stallscope::disk {

struct target_file {
  descriptor fd;
  bool direct = false;
};

// Throws failure where the file cannot be opened, is no file or device, is smaller than the span,
// may not be written though points write, or where a point's blocks are not aligned as direct I/O
// asks.
target_file open_target(const plan& asked);

}  // namespace stallscope::disk
