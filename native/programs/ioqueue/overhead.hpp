// `stallscope-ioqueue overhead`: the CPU time of the I/O queue itself.
#pragma once

#include <cstdint>
#include <string>

namespace stallscope::ioqueue {

struct overhead_options {
  std::string mode = "queue";  // "queue", or "bare" for the same requests without the queue
  unsigned depth = 32;
  std::uint64_t requests = 2'000'000;
};

// Prints one line and returns the exit code.
int overhead(const overhead_options& options);

}  // namespace stallscope::ioqueue
