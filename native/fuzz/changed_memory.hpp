// Parts of the fuzzers of interpreters' memory (PHP, Ruby): the input changes bytes of a small
// valid process, and what a reader finds there must be consistent. For tests only; nothing here is
// measured.
//
//   change_bytes(php.visible(), {data, size});
//   require_logged_walks(frames, sample, lines);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "managed_frames/managed_stack.hpp"
#include "require.hpp"

// Entries of three bytes: the place, which is taken modulo the size, and a value to add.
inline void change_bytes(std::span<std::byte> visible, std::span<const std::uint8_t> input) {
  for (; input.size() >= 3; input = input.subspan(3)) {
    auto& byte = visible[(input[0] | std::size_t{input[1]} << 8U) % visible.size()];
    byte = static_cast<std::byte>(static_cast<std::uint8_t>(byte) + input[2]);
  }
}

// Walks a stack twice, the second time with what the reader keeps. No run is empty, and all
// functions are in the log.
template <class Reader, class Sample>
void require_logged_walks(Reader& frames, const Sample& sample, const std::string& lines) {
  for (int walk = 0; walk < 2; ++walk) {
    stallscope::managed_frames::managed_stack walked;
    frames.walk(sample, walked);
    for (const auto& run : walked.runs) {
      require(!run.empty());
      for (const auto& frame : run)
        require(lines.find("{\"function\":" + std::to_string(frame.function) + ",") !=
                std::string::npos);
    }
  }
}
