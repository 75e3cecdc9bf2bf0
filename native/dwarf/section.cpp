#include "dwarf/section.hpp"

#include <algorithm>
#include <cstring>

#include "dwarf/malformed.hpp"
#include "dwarf/stored_content.hpp"

namespace stallscope::dwarf {
namespace {

constexpr std::size_t text_step_bytes = 256;

// Bytes that are in memory already.
class given_content : public section_content {
 public:
  explicit given_content(std::span<const std::byte> bytes) noexcept : bytes_{bytes} {}
  [[nodiscard]] std::span<const std::byte> all() const noexcept override { return bytes_; }
  void load(std::size_t /*begin*/, std::size_t /*end*/) override {}

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

section::section() noexcept = default;
section::section(section&&) noexcept = default;
section& section::operator=(section&&) noexcept = default;
section::~section() = default;

section::section(std::span<const std::byte> content)
    : content_{std::make_unique<given_content>(content)}, size_{content.size()} {}

section::section(int descriptor, const section_place& place)
    : content_{stored_content(descriptor, place)}, size_{place.size_bytes} {}

std::span<const std::byte> section::bytes(std::uint64_t offset, std::uint64_t count) {
  if (offset > size_ || count > size_ - offset) throw malformed("an offset outside a section");
  if (count == 0) return {};
  const auto begin = static_cast<std::size_t>(offset);
  const auto length = static_cast<std::size_t>(count);
  content_->load(begin, begin + length);
  return content_->all().subspan(begin, length);
}

std::span<const std::byte> section::from(std::uint64_t offset) {
  if (offset > size_) throw malformed("an offset outside a section");
  return bytes(offset, size_ - offset);
}

std::span<const std::byte> section::loaded(std::uint64_t end) const noexcept {
  if (content_ == nullptr) return {};
  return content_->all().first(static_cast<std::size_t>(std::min(end, size_)));
}

std::string_view section::text(std::uint64_t offset) {
  std::size_t length = 0;
  while (true) {
    if (offset >= size_ || length >= size_ - offset) throw malformed("a text without an end");
    const std::uint64_t step = std::min<std::uint64_t>(text_step_bytes, size_ - offset - length);
    const auto part = bytes(offset + length, step);
    const void* end = std::memchr(part.data(), 0, part.size());
    if (end != nullptr) {
      length += static_cast<std::size_t>(static_cast<const std::byte*>(end) - part.data());
      const auto* first = reinterpret_cast<const char*>(content_->all().data() + offset);
      return {first, length};
    }
    length += part.size();
  }
}

std::uint64_t section::number(std::uint64_t offset, unsigned size_bytes) {
  const auto stored = bytes(offset, size_bytes);
  std::uint64_t value = 0;
  if (!stored.empty()) std::memcpy(&value, stored.data(), std::min(stored.size(), sizeof value));
  return value;
}

}  // namespace stallscope::dwarf
