// The description of host and events in a capture: feature sections at the end of a file, header
// records in a pipe. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture/capture.hpp"
#include "capture/event_table.hpp"
#include "capture/object_table.hpp"
#include "capture/wire.hpp"

namespace stallscope::capture {

class feature_reader {
 public:
  feature_reader(capture_content& into, event_table& events, memory_budget& budget)
      : capture_(into), events_(events), budget_(budget) {}

  // Returns whether the reader uses a feature.
  static bool uses(std::uint64_t number);
  // Parses the bytes of a feature section.
  void read_feature(std::uint64_t number, wire_cursor cursor);
  // Parse the payload of a header_feature, event_update or header_build_id record.
  void read_feature_record(wire_cursor cursor);
  void read_event_update(wire_cursor cursor);
  void read_build_id_record(std::uint16_t misc, wire_cursor cursor);
  // Sets the build ids that the file lists by name for objects without one.
  void apply_build_ids(object_table& objects);

 private:
  void read_event_descriptions(wire_cursor& cursor);
  void read_build_ids(wire_cursor& cursor);
  void read_command_line(wire_cursor& cursor);
  void read_nodes(wire_cursor& cursor);
  void read_node_memory(wire_cursor& cursor);
  memory_node& node_of(std::uint32_t number);

  capture_content& capture_;
  event_table& events_;
  memory_budget& budget_;
  std::vector<std::pair<std::string, build_id>> build_ids_;
};

}  // namespace stallscope::capture
