// Gives ids to stacks of managed frames, and writes the line of each new one. The memory is
// limited: beyond it all ids are forgotten, and stacks get new ones. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "managed_frames/managed_stack.hpp"
#include "process_reading/numbering.hpp"

namespace stallscope::managed_frames {

class stack_log {
 public:
  explicit stack_log(process_reading::numbering ids) : ids_{ids} {}

  std::uint64_t id_of(std::span<const managed_frame> frames, std::string& lines);

 private:
  process_reading::numbering ids_;
  std::unordered_map<std::string, std::uint64_t> known_;  // by the bytes of the frames
  std::string key_;
  std::size_t bytes_ = 0;
};

}  // namespace stallscope::managed_frames
