// A transfer of bytes between a file and memory: of a whole request, or of a piece of it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stallscope::ioqueue {

enum class direction : std::uint8_t { read, write };
constexpr std::size_t directions = 2;

struct transfer {
  direction kind = direction::read;
  int file = -1;    // a descriptor, or the device's number of the file
  int buffer = -1;  // number of the registered buffer that holds `memory`; -1: none
  std::uint64_t offset = 0;
  std::byte* memory = nullptr;
  std::uint64_t size_bytes = 0;
};

}  // namespace stallscope::ioqueue
