#include "python_frames/double_look.hpp"

#include <algorithm>

namespace stallscope::python_frames {
namespace {

constexpr std::uint64_t window_bytes = 4096;
// So many places are read for themselves first: they are those that lie apart from all others.
constexpr std::size_t windows_before_wide = 16;
constexpr std::uint64_t largest_window_bytes = std::uint64_t{256} << 10U;

}  // namespace

void double_look::begin() { used_ = 0; }

bool double_look::add_windows(std::span<const extent> extents) {
  ranges_.clear();
  if (windows_.size() < used_ + extents.size()) windows_.resize(used_ + extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto& [begin, end] = extents[i];
    if (end <= begin || end - begin > largest_window_bytes) return false;
    auto& added = windows_[used_ + i];
    added.begin = begin;
    added.first.resize(static_cast<std::size_t>(end - begin));
    ranges_.push_back({begin, added.first});
  }
  if (!memory_->read(ranges_)) return false;
  used_ += extents.size();
  return true;
}

const double_look::window* double_look::holding(std::uint64_t address, std::size_t bytes) const {
  for (std::size_t i = used_; i-- > 0;) {
    const auto& one = windows_[i];
    if (address >= one.begin && bytes <= one.first.size() &&
        address - one.begin <= one.first.size() - bytes)
      return &one;
  }
  return nullptr;
}

std::optional<std::span<const std::byte>> double_look::first(std::uint64_t address,
                                                             std::size_t bytes) {
  const auto* found = holding(address, bytes);
  if (found == nullptr && address > window_bytes) {
    const auto end = address + bytes;
    if ((used_ >= windows_before_wide && add_window({end - window_bytes, end})) ||
        add_window({address, end}))
      found = &windows_[used_ - 1];
  }
  if (found == nullptr) return std::nullopt;
  return std::span{found->first}.subspan(static_cast<std::size_t>(address - found->begin), bytes);
}

bool double_look::look_again() {
  ranges_.clear();
  for (std::size_t i = 0; i < used_; ++i) {
    auto& one = windows_[i];
    one.second.resize(one.first.size());
    ranges_.push_back({one.begin, one.second});
  }
  return memory_->read(ranges_);
}

std::span<const std::byte> double_look::second(std::uint64_t address, std::size_t bytes) const {
  const auto* found = holding(address, bytes);
  if (found == nullptr) return {};
  return std::span{found->second}.subspan(static_cast<std::size_t>(address - found->begin), bytes);
}

}  // namespace stallscope::python_frames
