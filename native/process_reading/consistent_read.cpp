#include "process_reading/consistent_read.hpp"

#include <algorithm>

namespace stallscope::process_reading {
namespace {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t window_bytes = 4096;
// Number of single reads before windows of `window_bytes` are read: such addresses are not in the
// data stack chunk.
constexpr std::size_t windows_before_wide = 16;
constexpr std::uint64_t largest_window_bytes = std::uint64_t{256} << 10U;

}  // namespace

void consistent_read::begin() { used_ = 0; }

bool consistent_read::add_windows(std::span<const extent> extents) {
  ranges_.clear();
  if (windows_.size() < used_ + extents.size()) windows_.resize(used_ + extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto& [begin, end] = extents[i];
    if (end <= begin || end - begin > largest_window_bytes) return false;
    auto& added = windows_[used_ + i];
    added.begin = begin;
    added.used_bytes = 0;
    added.first.resize(static_cast<std::size_t>(end - begin));
    ranges_.push_back({begin, added.first});
  }
  if (!memory_->read(ranges_)) return false;
  used_ += extents.size();
  return true;
}

bool consistent_read::add_window(extent range) {
  const bool valid = range.end > range.begin;
  if (valid && holding(range.begin, static_cast<std::size_t>(range.end - range.begin)) != nullptr)
    return true;
  return add_windows(std::span{&range, 1});
}

std::vector<consistent_read::extent> consistent_read::used_windows(std::size_t skipped,
                                                                   std::size_t max_count) const {
  std::vector<extent> extents;
  for (std::size_t i = skipped; i < used_ && extents.size() < max_count; ++i) {
    const auto& entry = windows_[i];
    if (entry.used_bytes == 0) continue;
    const auto end = entry.begin + entry.used_bytes;
    const bool whole_pages = entry.begin % page_bytes == 0;
    extents.push_back(
        {entry.begin, whole_pages ? (end + page_bytes - 1) / page_bytes * page_bytes : end});
  }
  return extents;
}

const consistent_read::window* consistent_read::holding(std::uint64_t address,
                                                        std::size_t bytes) const {
  for (std::size_t i = used_; i-- > 0;) {
    const auto& entry = windows_[i];
    if (address >= entry.begin && bytes <= entry.first.size() &&
        address - entry.begin <= entry.first.size() - bytes)
      return &entry;
  }
  return nullptr;
}

std::optional<std::span<const std::byte>> consistent_read::first(std::uint64_t address,
                                                                 std::size_t bytes) {
  const auto* holder = holding(address, bytes);
  if (holder == nullptr && address > window_bytes) {
    const auto end = address + bytes;
    if ((used_ >= windows_before_wide && add_window({end - window_bytes, end})) ||
        add_window({address, end}))
      holder = &windows_[used_ - 1];
  }
  if (holder == nullptr) return std::nullopt;
  const auto offset = static_cast<std::size_t>(address - holder->begin);
  auto& used_bytes = windows_[static_cast<std::size_t>(holder - windows_.data())].used_bytes;
  used_bytes = std::max(used_bytes, offset + bytes);
  return std::span{holder->first}.subspan(offset, bytes);
}

bool consistent_read::read_again(std::span<const memory_range> further) {
  ranges_.clear();
  for (std::size_t i = 0; i < used_; ++i) {
    auto& entry = windows_[i];
    entry.second.resize(entry.first.size());
    ranges_.push_back({entry.begin, entry.second});
  }
  ranges_.insert(ranges_.end(), further.begin(), further.end());
  return memory_->read(ranges_);
}

std::span<const std::byte> consistent_read::second(std::uint64_t address, std::size_t bytes) const {
  const auto* holder = holding(address, bytes);
  if (holder == nullptr) return {};
  return std::span{holder->second}.subspan(static_cast<std::size_t>(address - holder->begin),
                                           bytes);
}

}  // namespace stallscope::process_reading
