// Bytes between a file and memory: what a request asks for and what a device is given.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stallscope::ioqueue {

enum class direction : std::uint8_t { read, write };
constexpr std::size_t directions = 2;

struct transfer {
  direction way = direction::read;
  int file = -1;    // a descriptor, or the number by which the device knows it
  int buffer = -1;  // the device's number of the registered buffer that holds `memory`; -1: none
  std::uint64_t offset = 0;
  std::byte* memory = nullptr;
  std::uint64_t size_bytes = 0;
};

}  // namespace stallscope::ioqueue
