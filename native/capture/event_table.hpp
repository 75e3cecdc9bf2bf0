// The events of a capture, and the event of a record: the single event, or the event with the id
// at a fixed position in every record. A look-up costs a hash probe, and nothing if the id is that
// of the previous record. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "capture/capture.hpp"
#include "capture/hash_index.hpp"
#include "capture/sample_layout.hpp"

namespace stallscope::capture {

class event_table {
 public:
  event_table(std::vector<attribute>& attributes, memory_budget& budget);

  void add(attribute event, std::span<const std::uint64_t> ids, std::uint64_t offset);
  // The event with this id, or hash_index::none.
  [[nodiscard]] std::uint32_t find(std::uint64_t id) const;
  void rename(std::uint32_t event, std::string_view name);
  [[nodiscard]] std::uint32_t of_sample(std::span<const std::byte> payload, bool swap,
                                        std::uint64_t offset);
  // The event of another record; the first event if the record has no id.
  [[nodiscard]] const attribute* of_other(std::span<const std::byte> payload, bool swap);
  [[nodiscard]] const attribute& at(std::uint32_t event) const { return attributes_[event]; }
  [[nodiscard]] std::size_t size() const { return attributes_.size(); }

 private:
  [[nodiscard]] std::uint32_t find_slot(std::uint64_t id) const;

  memory_budget& budget_;
  std::vector<attribute>& attributes_;
  hash_index index_;
  column<std::uint64_t> ids_;
  column<std::uint32_t> events_;
  id_place place_;
  bool one_place_ = true;   // all events keep their ids at the same place
  bool one_layout_ = true;  // all events record the same fields
  std::uint64_t last_id_ = 0;
  std::uint32_t last_event_ = hash_index::none;
  std::uint64_t last_other_id_ = 0;
  std::uint32_t last_other_event_ = hash_index::none;
};

}  // namespace stallscope::capture
