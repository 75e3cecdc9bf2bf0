// What a capture says about its host and events beside its records: feature sections at the end of
// a file, header records in a pipe.
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
  feature_reader(capture& into, event_table& events, memory_budget& budget)
      : capture_(into), events_(events), budget_(budget) {}

  // Whether anything is taken from a feature of this number.
  static bool wants(std::uint64_t number);
  // One feature's bytes, as the file has them.
  void read_feature(std::uint64_t number, wire_cursor cursor);
  // A header_feature, event_update or header_build_id record's payload.
  void read_feature_record(wire_cursor cursor);
  void read_event_update(wire_cursor cursor);
  void read_build_id_record(std::uint16_t misc, wire_cursor cursor);
  // Gives the objects that have none the build ids that the file lists by name.
  void apply_build_ids(object_table& objects);

 private:
  void read_event_descriptions(wire_cursor& cursor);
  void read_build_ids(wire_cursor& cursor);
  void read_command_line(wire_cursor& cursor);

  capture& capture_;
  event_table& events_;
  memory_budget& budget_;
  std::vector<std::pair<std::string, build_id>> build_ids_;
};

}  // namespace stallscope::capture
