#include "target_memory.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace stallscope::unwind_compare {
namespace {

// How many bytes were read; the kernel copies up to the first page that is not there.
std::size_t read_some(pid_t process, std::uint64_t address, std::span<std::byte> into) {
  const iovec here{into.data(), into.size()};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the other process
  const iovec there{reinterpret_cast<void*>(address), into.size()};
  const auto got = process_vm_readv(process, &here, 1, &there, 1, 0);
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

}  // namespace

std::optional<std::uint64_t> target_memory::word(std::uint64_t address) {
  std::array<std::byte, sizeof(std::uint64_t)> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto* held = page_at(address + i);
    if (held == nullptr) return std::nullopt;
    bytes[i] = (*held)[(address + i) % page_bytes];
  }
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::vector<std::byte> target_memory::bytes(std::uint64_t address, std::size_t size) const {
  std::vector<std::byte> all(size);
  std::size_t got = 0;
  // By pages: one bad page must not cost the good ones before it.
  while (got < size) {
    const auto left_in_page = page_bytes - (address + got) % page_bytes;
    const auto length = std::min<std::size_t>(left_in_page, size - got);
    const auto read = read_some(process_, address + got, std::span{all}.subspan(got, length));
    got += read;
    if (read < length) break;
  }
  all.resize(got);
  return all;
}

const target_memory::page* target_memory::page_at(std::uint64_t address) {
  const auto start = address - address % page_bytes;
  const auto [held, is_new] = pages_.try_emplace(start);
  if (is_new) {
    page read{};
    if (read_some(process_, start, read) == read.size()) held->second = read;
  }
  return held->second ? &*held->second : nullptr;
}

}  // namespace stallscope::unwind_compare
