#include "block_trace/event.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace stallscope::block_trace {
namespace {

constexpr std::uint64_t no_sector = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t sector_bytes = 512;

bool fits(const ring_record& record, field at) {
  return std::size_t{at.offset} + at.size <= record.content.size();
}

// A whole number of 4 or 8 bytes; 0 if the field does not exist.
std::uint64_t number_of(const ring_record& record, field at) {
  if (at.size == 8) {
    return value_at<std::uint64_t>(record.content, at.offset);
  }
  return at.size == 4 ? value_at<std::uint32_t>(record.content, at.offset) : 0;
}

std::string_view text_of(const ring_record& record, field at) {
  const char* begin = reinterpret_cast<const char*>(record.content.data()) + at.offset;
  return {begin, std::find(begin, begin + at.size, '\0')};
}

}  // namespace

operation operation_of(std::string_view rwbs) noexcept {
  // F before R, W or D means a flush before the data; F alone or twice is a flush request.
  if (rwbs.size() > 1 && rwbs[0] == 'F' && (rwbs[1] == 'W' || rwbs[1] == 'R' || rwbs[1] == 'D')) {
    rwbs.remove_prefix(1);
  }
  if (rwbs.empty() || rwbs.substr(0, 2) == "WZ") {  // the device writes the zeros itself
    return operation::other;
  }
  switch (rwbs[0]) {
    case 'R':
      return operation::read;
    case 'W':
      return operation::write;
    case 'D':
      return operation::discard;
    case 'F':
      return operation::flush;
    default:
      return operation::other;
  }
}

bool decode(const ring_record& record, const event_layout& layout, block_event& event) noexcept {
  for (const field part : {layout.device, layout.sector, layout.sectors, layout.bytes, layout.error,
                           layout.rwbs, layout.comm}) {
    if (!fits(record, part)) {
      return false;
    }
  }
  const std::uint64_t sector = number_of(record, layout.sector);
  event = {.t_ns = record.t_ns,
           .sector = sector == no_sector ? 0 : sector,
           .device = static_cast<std::uint32_t>(number_of(record, layout.device)),
           .sectors = static_cast<std::uint32_t>(number_of(record, layout.sectors)),
           .bytes = static_cast<std::uint32_t>(number_of(record, layout.bytes)),
           .error = static_cast<std::int32_t>(number_of(record, layout.error)),
           .pid = record.pid,
           .kind = layout.kind,
           .op = operation_of(text_of(record, layout.rwbs))};
  if (layout.bytes.size == 0) {
    event.bytes = event.sectors * sector_bytes;
  }
  const std::string_view comm = text_of(record, layout.comm);
  std::memcpy(event.comm.data(), comm.data(), std::min(comm.size(), event.comm.size()));
  return true;
}

}  // namespace stallscope::block_trace
