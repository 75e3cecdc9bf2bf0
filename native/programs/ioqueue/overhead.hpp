// `stallscope-ioqueue overhead`: what the I/O queue itself costs (overhead.cpp).
#pragma once

#include <cstdint>
#include <string>

namespace stallscope::ioqueue {

struct overhead_choice {
  std::string way = "queue";  // or "bare": the same requests without it
  unsigned depth = 32;
  std::uint64_t requests = 2'000'000;
};

// Prints one line; the exit code.
int overhead(const overhead_choice& chosen);

}  // namespace stallscope::ioqueue
