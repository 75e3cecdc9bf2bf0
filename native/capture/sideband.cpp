#include "capture/sideband.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <string>
#include <utility>

#include "capture/raw_stacks.hpp"

namespace stallscope::capture {
namespace {

// A fork record that perf synthesized for an existing process, which has separate mappings.
constexpr std::uint16_t fork_without_maps = 1U << 13U;
// The kernel's limit is 15 bytes; without a limit every fork would copy a name of up to 64 KiB.
constexpr std::size_t max_name_bytes = 255;

std::int32_t take_signed(wire_cursor& cursor, const char* what) {
  return static_cast<std::int32_t>(cursor.take<std::uint32_t>(what));
}

void take_build_id(wire_cursor& cursor, object& into) {
  const auto size = cursor.take<std::uint8_t>("size of a build id");
  cursor.take_bytes(3, "build id");
  const auto bytes = cursor.take_bytes(into.build_id.bytes.size(), "build id");
  into.build_id.size = std::min(size, static_cast<std::uint8_t>(into.build_id.bytes.size()));
  std::transform(bytes.begin(), bytes.begin() + into.build_id.size, into.build_id.bytes.begin(),
                 [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
}

void take_inode(wire_cursor& cursor, object& into) {
  into.major = cursor.take<std::uint32_t>("device");
  into.minor = cursor.take<std::uint32_t>("device");
  into.inode = cursor.take<std::uint64_t>("inode");
  cursor.take<std::uint64_t>("inode generation");
}

// perf names the kernel's map with the symbol at its start: "[kernel.kallsyms]_stext".
std::string_view kernel_path(std::string_view path) {
  return path.starts_with("[kernel.") ? path.substr(0, path.find(']') + 1) : path;
}

bool is_guest(std::uint16_t misc) {
  const frame_kind kind = kind_of_misc(misc);
  return kind == frame_kind::guest_kernel || kind == frame_kind::guest_user;
}

}  // namespace

std::string_view sideband::name(const sideband_event& event) const {
  return {text_.data() + event.name_at, event.name_size};
}

void sideband::add(const record& from, bool swap, const moment& when) {
  const auto body = from.payload.first(from.payload.size() - when.trailer_bytes);
  const wire_cursor cursor(body, swap, from.offset);
  sideband_event event;
  event.time_ns = when.time_ns;
  event.samples_before = when.samples_before;
  switch (from.type) {
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
      return add_map(from, cursor, event);
    case PERF_RECORD_COMM:
      return add_name(from, cursor, event);
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
      return add_task(from, cursor, event);
    default:
      return;
  }
}

void sideband::add_map(const record& from, wire_cursor cursor, sideband_event event) {
  event.pid = take_signed(cursor, "pid of a mapping");
  event.tid = take_signed(cursor, "tid of a mapping");
  event.start = cursor.take<std::uint64_t>("start of a mapping");
  const auto length = cursor.take<std::uint64_t>("length of a mapping");
  event.end = length > ~event.start ? ~std::uint64_t{0} : event.start + length;
  event.page_offset = cursor.take<std::uint64_t>("file offset of a mapping");
  object mapped;
  if (from.type == PERF_RECORD_MMAP2) {
    (from.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0 ? take_build_id(cursor, mapped)
                                                      : take_inode(cursor, mapped);
    cursor.take<std::uint64_t>("protection of a mapping");
  }
  const std::string_view path = cursor.take_string("path of a mapping");
  if (is_guest(from.misc)) {
    return;
  }
  mapped.kernel = event.pid == -1 || kind_of_misc(from.misc) == frame_kind::kernel;
  mapped.path = mapped.kernel ? kernel_path(path) : path;
  mapped.anonymous = !mapped.kernel && is_anonymous(path);
  mapped.pid = event.pid;
  mapped.start = event.start;
  mapped.length = event.end - event.start;
  mapped.page_offset = event.page_offset;
  event.kind = mapped.kernel ? sideband_kind::kernel_map : sideband_kind::map;
  event.executable = (from.misc & PERF_RECORD_MISC_MMAP_DATA) == 0;
  event.object = objects_.intern(std::move(mapped));
  events_.push_back(event);
}

void sideband::add_name(const record& from, wire_cursor cursor, sideband_event event) {
  event.pid = take_signed(cursor, "pid of a name");
  event.tid = take_signed(cursor, "tid of a name");
  const auto name = cursor.take_string("name of a thread").substr(0, max_name_bytes);
  event.kind =
      (from.misc & PERF_RECORD_MISC_COMM_EXEC) != 0 ? sideband_kind::exec : sideband_kind::name;
  event.name_at = text_.size();
  event.name_size = static_cast<std::uint32_t>(name.size());
  text_.append({name.data(), name.size()});
  events_.push_back(event);
}

void sideband::add_task(const record& from, wire_cursor cursor, sideband_event event) {
  event.pid = take_signed(cursor, "pid of a task");
  event.parent_pid = take_signed(cursor, "parent of a task");
  event.tid = take_signed(cursor, "tid of a task");
  event.parent_tid = take_signed(cursor, "parent of a task");
  const auto time = cursor.take<std::uint64_t>("time of a task's record");
  if (event.time_ns != 0 && time != ~std::uint64_t{0} && time != 0) {
    event.time_ns = time;
  }
  event.kind = from.type == PERF_RECORD_FORK ? sideband_kind::fork : sideband_kind::exit;
  event.copies_maps = (from.misc & fork_without_maps) == 0;
  events_.push_back(event);
}

void sideband::sort() {
  const auto earlier = [](const sideband_event& left, const sideband_event& right) {
    return left.time_ns < right.time_ns;
  };
  const std::span events(events_.data(), events_.size());
  if (!std::is_sorted(events.begin(), events.end(), earlier)) {
    std::stable_sort(events.begin(), events.end(), earlier);
  }
}

}  // namespace stallscope::capture
