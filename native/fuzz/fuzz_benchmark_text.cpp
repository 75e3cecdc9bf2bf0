// Benchmark results from arbitrary bytes, and their samples compared with each other.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "benchmark_text/results.hpp"
#include "benchmark_text/samples.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("results", MFD_CLOEXEC);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) {
    std::abort();
  }
  ::lseek(file, 0, SEEK_SET);
  stallscope::benchmark_text::results all;
  all.read(file, 0);
  ::close(file);
  std::vector<std::int64_t> cells{0};
  std::vector<std::int64_t> bases;
  std::vector<std::int64_t> series;
  for (std::size_t index = 0; index < all.all_series().size(); ++index) {
    series.push_back(static_cast<std::int64_t>(index));
    cells.push_back(static_cast<std::int64_t>(index) + 1);
    bases.push_back(0);
  }
  const stallscope::benchmark_text::samples sorted(all, cells, series);
  for (const auto& result : sorted.compare(bases, series)) {
    if (!(result.p >= 0 && result.p <= 1.0000001)) {
      std::abort();
    }
  }
  return 0;
}
