// Samples in arbitrary text, with all names and options.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "perf_script/samples.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const int file = ::memfd_create("perf_script", MFD_CLOEXEC);
  if (file < 0 || ::write(file, data + 1, size - 1) != static_cast<ssize_t>(size - 1)) {
    std::abort();
  }
  ::lseek(file, 0, SEEK_SET);
  const unsigned bits = data[0];
  stallscope::perf_script::samples all({.style = {.shorten = (bits & 1U) != 0,
                                                  .kernel = (bits & 2U) != 0,
                                                  .jit = (bits & 4U) != 0,
                                                  .addresses = (bits & 8U) != 0},
                                        .process_ids = (bits & 16U) != 0,
                                        .thread_ids = (bits & 32U) != 0,
                                        .by_address = (bits & 64U) != 0,
                                        .event = {}});
  all.read(file);
  ::close(file);
  std::uint64_t samples = 0;
  for (const auto& stack : all.stacks()) {
    samples += stack.samples;
    if (stack.begin + stack.size > all.frames().size()) std::abort();
  }
  if (all.folded().empty() != (samples == 0)) std::abort();
  return 0;
}
