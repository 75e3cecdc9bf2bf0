#include "managed_frames/stack_log.hpp"

#include "managed_frames/frames_text.hpp"

namespace stallscope::managed_frames {
namespace {

constexpr std::size_t max_stacks = 100'000;
constexpr std::size_t max_bytes = std::size_t{64} << 20U;

}  // namespace

std::uint64_t stack_log::id_of(std::span<const managed_frame> frames, std::string& lines) {
  key_.clear();
  for (const auto& frame : frames) {
    key_.append(reinterpret_cast<const char*>(&frame.function), sizeof frame.function);
    key_.append(reinterpret_cast<const char*>(&frame.line), sizeof frame.line);
    key_.push_back(frame.inlined ? '\1' : '\0');
  }
  const auto entry = known_.find(key_);
  if (entry != known_.end()) return entry->second;
  if (known_.size() >= max_stacks || bytes_ > max_bytes) {
    known_.clear();
    bytes_ = 0;
  }
  const auto id = ids_.next();
  known_.emplace(key_, id);
  bytes_ += key_.size();
  put_stack(lines, id, frames);
  return id;
}

}  // namespace stallscope::managed_frames
