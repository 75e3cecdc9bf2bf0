#include "capture/copied_stacks.hpp"

#include <linux/perf_event.h>

#include <algorithm>

namespace stallscope::capture {
namespace {

// The payload follows the record's header.
constexpr std::uint64_t record_header_bytes = 8;
constexpr std::size_t max_record_bytes = 65'536;

}  // namespace

void copied_stacks::add(std::uint32_t sample, const sample_fields& fields, const record& from) {
  if (fields.user_registers.empty() || fields.user_stack.data() == nullptr) {
    return;
  }
  // The registers, the size of the stack, the stack: one piece of the record.
  const std::byte* first = fields.user_registers.data();
  place position;
  position.stack_at = static_cast<std::uint16_t>(fields.user_stack.data() - first);
  position.size = static_cast<std::uint16_t>(position.stack_at + fields.user_stack_bytes);
  position.abi = fields.registers_abi == PERF_SAMPLE_REGS_ABI_64 ? PERF_SAMPLE_REGS_ABI_64
                                                                 : PERF_SAMPLE_REGS_ABI_32;
  position.in_temporary_file = from.decompressed || !source_.keeps_bytes();
  if (position.in_temporary_file) {
    if (!temporary_) {
      temporary_ = std::make_unique<temporary_file>(options_);
    }
    position.offset = temporary_->append(std::span(first, position.size));
  } else {
    position.offset =
        from.offset + record_header_bytes + static_cast<std::uint64_t>(first - from.payload.data());
  }
  places_.resize(sample, place{});
  places_.push_back(position);
}

std::optional<copied_stack> copied_stacks::read(std::uint32_t sample, std::size_t max_bytes) {
  if (sample >= places_.size() || places_[sample].abi == PERF_SAMPLE_REGS_ABI_NONE) {
    return std::nullopt;
  }
  const place& from = places_[sample];
  buffer_.resize(max_record_bytes / sizeof(std::uint64_t));
  const std::size_t size = std::min<std::size_t>(from.size, max_bytes);
  const auto bytes = std::as_writable_bytes(std::span(buffer_)).first(size);
  fetch(from, bytes);
  const std::size_t words = (from.stack_at - sizeof(std::uint64_t)) / sizeof(std::uint64_t);
  return copied_stack{from.abi == PERF_SAMPLE_REGS_ABI_64, std::span(buffer_).first(words),
                      bytes.subspan(from.stack_at), size == from.size};
}

void copied_stacks::fetch(const place& from, std::span<std::byte> into) {
  if (from.in_temporary_file) {
    return temporary_->read(from.offset, into);
  }
  std::uint64_t offset = from.offset;
  while (!into.empty()) {
    const std::size_t count = source_.read_at(offset, into);
    if (count == 0) {
      throw capture_error("the capture became shorter while it was read", offset);
    }
    into = into.subspan(count);
    offset += count;
  }
}

}  // namespace stallscope::capture
