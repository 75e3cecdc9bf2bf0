#include "process_reading/process_memory.hpp"

#include <sys/uio.h>

#include <algorithm>

namespace stallscope::process_reading {
namespace {

constexpr std::size_t ranges_at_once = 64;

ssize_t read_ranges(pid_t pid, std::span<const memory_range> ranges) noexcept {
  std::array<iovec, ranges_at_once> here{};
  std::array<iovec, ranges_at_once> there{};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    here.at(i) = {ranges[i].into.data(), ranges[i].into.size()};
    there.at(i).iov_len = ranges[i].into.size();
    // An address in the other process, never dereferenced here.
    std::memcpy(&there.at(i).iov_base, &ranges[i].address, sizeof ranges[i].address);
  }
  return ::process_vm_readv(pid, here.data(), ranges.size(), there.data(), ranges.size(), 0);
}

}  // namespace

bool process_memory::read(std::span<const memory_range> ranges) const noexcept {
  while (!ranges.empty()) {
    const auto batch = ranges.first(std::min(ranges.size(), ranges_at_once));
    std::size_t expected_bytes = 0;
    for (const auto& range : batch) expected_bytes += range.into.size();
    if (read_ranges(pid_, batch) != static_cast<ssize_t>(expected_bytes)) return false;
    ranges = ranges.subspan(batch.size());
  }
  return true;
}

bool process_memory::read(std::uint64_t address, std::span<std::byte> into) const noexcept {
  const memory_range range{address, into};
  return read(std::span{&range, 1});
}

std::size_t process_memory::read_some(std::uint64_t address,
                                      std::span<std::byte> into) const noexcept {
  const memory_range range{address, into};
  const auto count = read_ranges(pid_, std::span{&range, 1});
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

}  // namespace stallscope::process_reading
