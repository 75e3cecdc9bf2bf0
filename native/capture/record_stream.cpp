#include "capture/record_stream.hpp"

#include <linux/perf_event.h>

#include <cstring>
#include <string>
#include <utility>

#include "capture/wire.hpp"
#include "perf_events/perf_format.hpp"

namespace stallscope::capture {
namespace {

constexpr std::size_t header_bytes = 8;
constexpr std::size_t decompressed_bytes = std::size_t{256} << 10U;
// The size of the fields before the stack in most samples, and the smallest sample worth a jump.
constexpr std::size_t beginning_bytes = 1024;
constexpr std::size_t long_sample_bytes = 6 * beginning_bytes;

bool is(const record& candidate, perf_format::user_record type) {
  return candidate.type == static_cast<std::uint32_t>(type);
}

bool is_compressed(const record& candidate) {
  return is(candidate, perf_format::user_record::compressed) ||
         is(candidate, perf_format::user_record::compressed2);
}

// Fills in the header and returns the record's size.
std::size_t parse_header(std::span<const std::byte> bytes, bool swap, record& into) {
  into.type = load<std::uint32_t>(bytes.data(), swap);
  into.misc = load<std::uint16_t>(bytes.data() + 4, swap);
  const auto size = load<std::uint16_t>(bytes.data() + 6, swap);
  if (size < header_bytes) {
    throw capture_error("record of type " + std::to_string(into.type) + " has a size field of " +
                            std::to_string(size) + " bytes, expected at least 8",
                        into.offset);
  }
  return size;
}

}  // namespace

record_stream::record_stream(source_window& window, stream_range range, bool swap,
                             const read_options& options, stack_finder find_stack)
    : window_(window),
      range_(range),
      swap_(swap),
      allow_truncated_(options.allow_truncated),
      find_stack_(std::move(find_stack)),
      position_(range.begin),
      decompressor_(options.expansion_limit) {}

bool record_stream::next(record& into) {
  while (!truncated_at_) {
    if (decompressing_) {
      if (next_decompressed(into)) {
        return true;
      }
      continue;
    }
    if (!next_in_file(into)) {
      return false;
    }
    if (!is_compressed(into)) {
      return true;
    }
    start_decompression(into);
  }
  return false;
}

bool record_stream::end_truncated(std::uint64_t at, const char* what) {
  if (!allow_truncated_) {
    throw capture_error(std::string("the capture is truncated: ") + what, at);
  }
  truncated_at_ = at;
  return false;
}

bool record_stream::end_of_records() {
  if (decompressed_from_ != decompressed_to_) {
    end_truncated(compressed_offset_, "it ends within the data of a compressed record");
  } else if (range_.unfinished) {
    end_truncated(position_, "its writer was stopped");
  }
  return false;
}

bool record_stream::next_in_file(record& into) {
  if (position_ == range_.end) {
    return end_of_records();
  }
  into.offset = position_;
  const auto header = window_.view(position_, header_bytes);
  if (header.empty() && !range_.end_is_known) {
    return end_of_records();
  }
  if (header.size() < header_bytes || range_.end - position_ < header_bytes) {
    return end_truncated(position_, "it ends within a record's header");
  }
  const std::size_t size = parse_header(header, swap_, into);
  const auto bytes = read_record(into, size);
  if (bytes.size() + into.skipped < size || range_.end - position_ < size) {
    return end_truncated(position_, "it ends within a record");
  }
  into.payload = bytes.subspan(header_bytes);
  into.decompressed = false;
  position_ += size;
  skip_trailing_payload(into);
  return !truncated_at_.has_value();
}

std::span<const std::byte> record_stream::read_record(record& into, std::size_t size) {
  into.skipped = 0;
  if (find_stack_ && size >= long_sample_bytes && into.type == PERF_RECORD_SAMPLE) {
    into.payload = window_.view(position_, beginning_bytes).subspan(header_bytes);
    const auto stack = find_stack_(into);
    if (stack && stack->at <= into.payload.size() &&
        stack->size <= size - header_bytes - stack->at) {
      into.skipped = static_cast<std::size_t>(stack->size);
      return read_around(*stack, size);
    }
  }
  return window_.view(position_, size);
}

std::span<const std::byte> record_stream::read_around(const stack_place& stack, std::size_t size) {
  const std::size_t before = header_bytes + stack.at;
  const std::size_t behind = before + static_cast<std::size_t>(stack.size);
  const auto first = window_.view(position_, before);
  around_stack_.assign(first.begin(), first.end());
  const auto last = window_.view(position_ + behind, size - behind);
  around_stack_.insert(around_stack_.end(), last.begin(), last.end());
  return around_stack_;
}

void record_stream::skip_trailing_payload(const record& from) {
  std::uint64_t size = 0;
  wire_cursor cursor(from.payload, swap_, from.offset);
  if (is(from, perf_format::user_record::header_tracing_data)) {
    size = cursor.take<std::uint32_t>("size of the tracing data");
  } else if (is(from, perf_format::user_record::auxtrace)) {
    size = cursor.take<std::uint64_t>("size of the AUX trace");
  }
  const std::uint64_t end = range_.end_is_known ? range_.end : window_.end();
  if (position_ > end || size > end - position_) {
    end_truncated(from.offset, "it ends within the data that trail a record");
    return;
  }
  position_ += size;
}

void record_stream::start_decompression(const record& compressed) {
  auto input = compressed.payload;
  if (is(compressed, perf_format::user_record::compressed2)) {
    wire_cursor cursor(input, swap_, compressed.offset);
    const auto size = cursor.take<std::uint64_t>("size of the compressed data");
    input = cursor.take_bytes(size, "compressed data");
  }
  decompressed_.resize(decompressed_bytes);
  decompressor_.feed(input, compressed.offset);
  compressed_offset_ = compressed.offset;
  decompressing_ = true;
}

bool record_stream::next_decompressed(record& into) {
  for (;;) {
    const auto ready = std::span<const std::byte>(decompressed_)
                           .subspan(decompressed_from_, decompressed_to_ - decompressed_from_);
    if (ready.size() >= header_bytes) {
      into.offset = compressed_offset_;
      const std::size_t size = parse_header(ready, swap_, into);
      if (is_compressed(into)) {
        throw capture_error("compressed record within compressed data", compressed_offset_);
      }
      if (size <= ready.size()) {
        into.payload = ready.subspan(header_bytes, size - header_bytes);
        into.decompressed = true;
        into.skipped = 0;
        decompressed_from_ += size;
        return true;
      }
    }
    std::memmove(decompressed_.data(), ready.data(), ready.size());
    decompressed_from_ = 0;
    decompressed_to_ = ready.size();
    const std::size_t count =
        decompressor_.produce(std::span(decompressed_).subspan(decompressed_to_));
    if (count == 0) {
      decompressing_ = false;
      return false;
    }
    decompressed_to_ += count;
  }
}

}  // namespace stallscope::capture
