#include "process_reading/page_snapshot.hpp"

#include <algorithm>
#include <utility>

namespace stallscope::process_reading {
namespace {

constexpr unsigned snapshot_page_bits = 12;
constexpr std::size_t snapshot_page_bytes = std::size_t{1} << snapshot_page_bits;
constexpr std::size_t max_pages = 512;
constexpr std::uint64_t max_address = std::uint64_t{1} << 56U;

}  // namespace

void page_snapshot::begin() {
  std::swap(pages_, used_);
  used_.clear();
  missing_ = false;
}

bool page_snapshot::take(std::uint64_t anchor) {
  missing_ = false;
  blocks_.clear();
  for (const auto page : pages_) {
    const auto address = page << snapshot_page_bits;
    if (blocks_.empty() || blocks_.back().begin + blocks_.back().bytes != address)
      blocks_.push_back(
          {address, 0, blocks_.empty() ? 0 : blocks_.back().place + blocks_.back().bytes});
    blocks_.back().bytes += snapshot_page_bytes;
  }
  first_.resize(pages_.size() * snapshot_page_bytes);
  second_.resize(first_.size());
  ranges_.assign(1, {anchor, std::as_writable_bytes(std::span{&anchor_, 1})});
  for (auto* copy : {&first_, &second_}) {
    for (const auto& part : blocks_)
      ranges_.push_back({part.begin, std::span{*copy}.subspan(part.place, part.bytes)});
  }
  if (memory_.read(ranges_)) return true;
  const bool had_pages = !pages_.empty();
  pages_.clear();
  used_.clear();
  blocks_.clear();
  if (!had_pages || !memory_.read_value(anchor, anchor_)) return false;
  return true;
}

const page_snapshot::block* page_snapshot::holding(std::uint64_t address, std::size_t count) const {
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), address,
                       [](std::uint64_t at, const block& part) { return at < part.begin; });
  if (after == blocks_.begin()) return nullptr;
  const auto& part = *std::prev(after);
  const auto offset = address - part.begin;
  return offset <= part.bytes && part.bytes - offset >= count ? &part : nullptr;
}

std::span<const std::byte> page_snapshot::bytes(std::uint64_t address, std::size_t count) {
  if (address == 0 || address >= max_address || count > snapshot_page_bytes) return {};
  const auto last = (address + count - 1) >> snapshot_page_bits;
  if (const auto* part = holding(address, count)) {
    for (auto page = address >> snapshot_page_bits; page <= last; ++page) used_.insert(page);
    return std::span{first_}.subspan(part->place + static_cast<std::size_t>(address - part->begin),
                                     count);
  }
  for (auto page = address >> snapshot_page_bits; page <= last && pages_.size() < max_pages; ++page)
    missing_ = pages_.insert(page).second || missing_;
  return {};
}

std::optional<std::uint64_t> page_snapshot::word(std::uint64_t address) {
  const auto contents = bytes(address, sizeof(std::uint64_t));
  if (contents.empty()) return std::nullopt;
  return value_at<std::uint64_t>(contents, 0);
}

bool page_snapshot::same(std::uint64_t address, std::size_t count) const {
  const auto* part = holding(address, count);
  if (part == nullptr) return false;
  const auto place = part->place + static_cast<std::size_t>(address - part->begin);
  return std::equal(first_.begin() + static_cast<std::ptrdiff_t>(place),
                    first_.begin() + static_cast<std::ptrdiff_t>(place + count),
                    second_.begin() + static_cast<std::ptrdiff_t>(place));
}

}  // namespace stallscope::process_reading
