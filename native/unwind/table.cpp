#include <cstring>
#include <utility>

#include "unwind/table_content.hpp"

namespace stallscope::unwind {

table::table(std::unique_ptr<content> source) : content_{std::move(source)} {}
table::table(table&&) noexcept = default;
table& table::operator=(table&&) noexcept = default;
table::~table() = default;

architecture table::arch() const noexcept { return content_->arch; }

std::size_t table::rows() const noexcept { return content_->starts.size(); }

std::size_t table::bad_entries() const noexcept { return content_->bad_entries; }

double table::frame_pointer_share() const noexcept { return content_->frame_pointer_share; }

std::optional<std::uint64_t> table::address_of(std::uint64_t file_offset) const noexcept {
  for (const segment& part : content_->segments) {
    if (file_offset >= part.file_offset && file_offset - part.file_offset < part.file_bytes) {
      return part.address + (file_offset - part.file_offset);
    }
  }
  return std::nullopt;
}

std::span<const std::byte> table::content::expression(std::int32_t place) const noexcept {
  const std::span<const std::byte> all(expressions);
  const auto at = static_cast<std::size_t>(place);
  std::uint16_t length = 0;
  if (place < 0 || all.size() < sizeof length || at > all.size() - sizeof length) return {};
  std::memcpy(&length, all.data() + at, sizeof length);
  if (length > all.size() - at - sizeof length) return {};
  return all.subspan(at + sizeof length, length);
}

}  // namespace stallscope::unwind
