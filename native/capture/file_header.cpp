#include "capture/file_header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "capture/event_attribute.hpp"
#include "capture/wire.hpp"
#include "perf_events/perf_format.hpp"

namespace stallscope::capture {
namespace {

constexpr std::uint64_t file_header_bytes = 104;
constexpr std::uint64_t file_header_without_features_bytes = 72;
constexpr std::size_t section_bytes = 16;
constexpr unsigned feature_words = 4;

struct section_range {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

section_range take_range(wire_cursor& cursor, const char* what) {
  const auto offset = cursor.take<std::uint64_t>(what);
  return {offset, cursor.take<std::uint64_t>(what)};
}

// Sets the byte order from the magic, which big-endian machines write as a number.
void read_magic(std::span<const std::byte> bytes, file_start& start) {
  const std::string_view magic = as_text(bytes.first(std::min<std::size_t>(bytes.size(), 8)));
  const std::string_view little(perf_format::magic.data(), perf_format::magic.size());
  const std::string big(little.rbegin(), little.rend());
  if (magic == "PERFFILE" || magic == "ELIFFREP") {
    throw capture_error(
        "perf.data of the first version (PERFFILE), which perf wrote before 2013, "
        "is not supported; expected PERFILE2",
        0);
  }
  if (magic != little && magic != big) {
    throw capture_error("not a perf.data file; expected PERFILE2 in the first 8 bytes", 0);
  }
  start.big_endian = magic == big;
  start.swap = start.big_endian != (std::endian::native == std::endian::big);
}

// The feature bits are 64-bit words. 32-bit big-endian machines wrote 32-bit words; the bit of the
// host name, which every file has, distinguishes the two.
std::vector<std::uint64_t> take_features(wire_cursor& cursor, bool swap) {
  std::array<std::uint64_t, feature_words> bits{};
  for (std::uint64_t& word : bits) {
    word = cursor.take<std::uint64_t>("feature bits");
  }
  const auto host_name = static_cast<unsigned>(perf_format::feature::hostname);
  if (swap && (bits[0] >> host_name & 1U) == 0) {
    for (std::uint64_t& word : bits) {
      word = std::rotl(word, 32);
    }
  }
  std::vector<std::uint64_t> features;
  for (std::uint64_t number = 0; number < std::uint64_t{feature_words} * 64; ++number) {
    if ((bits[number / 64] >> number % 64 & 1U) != 0) {
      features.push_back(number);
    }
  }
  return features;
}

std::vector<std::uint64_t> read_ids(source_window& window, section_range range, bool swap) {
  if (range.size % 8 != 0) {
    throw capture_error(
        "ids of an event: " + std::to_string(range.size) + " bytes, expected a multiple of 8",
        range.offset);
  }
  const auto bytes = window.section(range.offset, range.size, "ids of an event");
  std::vector<std::uint64_t> ids;
  ids.reserve(bytes.size() / 8);
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    ids.push_back(load<std::uint64_t>(bytes.data() + at, swap));
  }
  return ids;
}

void read_attributes(source_window& window, section_range range, std::uint64_t entry_bytes,
                     bool swap, event_table& events) {
  if (entry_bytes < smallest_attribute_bytes + section_bytes || entry_bytes > 65'536) {
    throw capture_error(
        "event attributes of " + std::to_string(entry_bytes) + " bytes, expected 80 to 65,536", 16);
  }
  const auto bytes = window.section(range.offset, range.size, "event attributes");
  std::uint64_t ids_left = window.end();
  for (std::size_t at = 0; bytes.size() - at >= entry_bytes; at += entry_bytes) {
    const auto entry = std::span(bytes).subspan(at, entry_bytes);
    const std::uint64_t offset = range.offset + at;
    attribute event = parse_attribute(entry.first(entry_bytes - section_bytes), swap, offset);
    wire_cursor cursor(entry.last(section_bytes), swap, offset);
    const section_range ids = take_range(cursor, "place of an event's ids");
    if (ids.size > ids_left) {
      throw capture_error("the ids of the events are larger than the file", offset);
    }
    ids_left -= ids.size;
    events.add(std::move(event), read_ids(window, ids, swap), offset);
  }
  if (events.size() == 0) {
    throw capture_error("no event attribute; expected at least one", range.offset);
  }
}

stream_range data_range(section_range data, bool allow_truncated) {
  if (data.offset < file_header_without_features_bytes ||
      data.size > ~std::uint64_t{0} - data.offset) {
    throw capture_error("data section at offset " + std::to_string(data.offset) + " of " +
                            std::to_string(data.size) + " bytes cannot be",
                        40);
  }
  if (data.size != 0) {
    return {data.offset, data.offset + data.size, true, false};
  }
  // perf writes the size at its end; if it is killed, the size is 0.
  if (!allow_truncated) {
    throw capture_error(
        "the capture is truncated: the size of its data is 0, perf record did not end properly",
        48);
  }
  return {data.offset, ~std::uint64_t{0}, false, true};
}

}  // namespace

file_start read_file_start(source_window& window, event_table& events, bool allow_truncated) {
  file_start start;
  const auto first = window.view(0, file_header_bytes);
  read_magic(first, start);
  const std::vector<std::byte> header(first.begin(), first.end());
  wire_cursor cursor(std::span<const std::byte>{header}.subspan(8), start.swap, 8);
  const auto size = cursor.take<std::uint64_t>("size of the file header");
  if (size == sizeof(perf_format::pipe_header)) {
    start.pipe = true;
    start.records = {size, ~std::uint64_t{0}, false, false};
    return start;
  }
  if (size != file_header_bytes && size != file_header_without_features_bytes) {
    throw capture_error("file header of " + std::to_string(size) +
                            " bytes, expected 16 (pipe mode), 72 or 104 (file mode)",
                        8);
  }
  const auto entry_bytes = cursor.take<std::uint64_t>("size of an event attribute");
  const section_range attributes = take_range(cursor, "attributes section");
  const section_range data = take_range(cursor, "data section");
  take_range(cursor, "event types section");
  if (size == file_header_bytes) {
    start.features = take_features(cursor, start.swap);
  }
  const auto directory = static_cast<std::uint64_t>(perf_format::feature::dir_format);
  if (std::find(start.features.begin(), start.features.end(), directory) != start.features.end()) {
    throw capture_error(
        "one file of a capture in a directory (perf record --threads), which is "
        "not supported; expected one file of perf.data",
        72);
  }
  read_attributes(window, attributes, entry_bytes, start.swap, events);
  start.records = data_range(data, allow_truncated);
  return start;
}

}  // namespace stallscope::capture
