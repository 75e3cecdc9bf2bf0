// The records that give the addresses of samples their meaning: mappings, names, forks, exits. They
// are stored until all records are sorted by time. Costs 72 bytes per record. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "capture/capture.hpp"
#include "capture/object_table.hpp"
#include "capture/record_stream.hpp"
#include "capture/wire.hpp"

namespace stallscope::capture {

enum class sideband_kind : std::uint8_t { map, kernel_map, name, exec, fork, exit };

struct sideband_event {
  std::uint64_t time_ns = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t page_offset = 0;
  std::uint64_t name_at = 0;
  std::uint32_t name_size = 0;
  std::uint32_t samples_before = 0;  // in the file
  std::uint32_t object = 0;
  std::int32_t pid = -1;
  std::int32_t tid = -1;
  std::int32_t parent_pid = -1;
  std::int32_t parent_tid = -1;
  sideband_kind kind = sideband_kind::map;
  bool copies_maps = false;
  bool executable = true;
};

class sideband {
 public:
  explicit sideband(memory_budget& budget) : events_(budget), text_(budget), objects_(budget) {}

  // The time and position of a record, from its trailer and its place in the file.
  struct moment {
    std::size_t trailer_bytes = 0;
    std::uint64_t time_ns = 0;
    std::uint32_t samples_before = 0;
  };
  // Stores the record if it is a sideband record.
  void add(const record& from, bool swap, const moment& when);
  // Sorts by time; records of equal time stay in file order.
  void sort();

  [[nodiscard]] std::span<const sideband_event> events() const { return events_.values(); }
  [[nodiscard]] std::string_view name(const sideband_event& event) const;
  [[nodiscard]] object_table& objects() { return objects_; }

 private:
  void add_map(const record& from, wire_cursor cursor, sideband_event event);
  void add_name(const record& from, wire_cursor cursor, sideband_event event);
  void add_task(const record& from, wire_cursor cursor, sideband_event event);

  column<sideband_event> events_;
  column<char> text_;
  object_table objects_;
};

}  // namespace stallscope::capture
