// The file requests.bin of a recording: a head of 64 bytes, then a record of 64 bytes per mark, in
// the byte order of the machine. Records are only appended; a record cut off by a kill is ignored.
//
//   file.append(std::as_bytes(std::span{file_head()}));
//   const auto record = record_of(mark, pid);
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "requests/ring_reader.hpp"

namespace stallscope::requests {

inline constexpr const char* request_file_name = "requests.bin";

struct file_record {
  std::uint64_t time_ns = 0;
  std::uint64_t id = 0;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint8_t action = 0;
  std::uint8_t name_bytes = 0;
  std::array<std::uint8_t, 6> reserved{};
  std::array<char, 32> name{};
};
static_assert(sizeof(file_record) == 64);

[[nodiscard]] std::array<char, 64> file_head() noexcept;
[[nodiscard]] file_record record_of(const request_mark& mark, pid_t pid) noexcept;

}  // namespace stallscope::requests
