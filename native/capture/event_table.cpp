#include "capture/event_table.hpp"

#include <string>
#include <utility>

#include "capture/wire.hpp"

namespace stallscope::capture {
namespace {

constexpr std::size_t max_events = 65'535;

bool same_layout(const attribute& left, const attribute& right) {
  return left.sample_type == right.sample_type && left.read_format == right.read_format &&
         left.branch_sample_type == right.branch_sample_type &&
         left.registers_user == right.registers_user &&
         left.registers_interrupt == right.registers_interrupt &&
         left.sample_id_all == right.sample_id_all;
}

}  // namespace

event_table::event_table(std::vector<attribute>& attributes, memory_budget& budget)
    : budget_(budget), attributes_(attributes), index_(budget), ids_(budget), events_(budget) {}

void event_table::add(attribute event, std::span<const std::uint64_t> ids, std::uint64_t offset) {
  if (attributes_.size() >= max_events) {
    throw capture_error("more than 65,535 events", offset);
  }
  const id_place place = find_id_place(event);
  if (attributes_.empty()) {
    place_ = place;
  } else {
    one_place_ = one_place_ && place == place_;
    one_layout_ = one_layout_ && same_layout(event, attributes_.front());
  }
  const auto number = static_cast<std::uint32_t>(attributes_.size());
  budget_.charge(2 * sizeof(attribute));
  attributes_.push_back(std::move(event));
  for (const std::uint64_t id : ids) {
    const std::uint32_t slot = find_slot(id);
    if (slot != hash_index::none) {
      events_[slot] = number;
      continue;
    }
    index_.insert(hash_word(hash_seed(), id), static_cast<std::uint32_t>(ids_.size()));
    ids_.push_back(id);
    events_.push_back(number);
  }
  last_event_ = hash_index::none;
  last_other_event_ = hash_index::none;
}

std::uint32_t event_table::find_slot(std::uint64_t id) const {
  return index_.find(hash_word(hash_seed(), id),
                     [&](std::uint32_t slot) { return ids_[slot] == id; });
}

std::uint32_t event_table::find(std::uint64_t id) const {
  const std::uint32_t slot = find_slot(id);
  return slot == hash_index::none ? slot : events_[slot];
}

void event_table::rename(std::uint32_t event, std::string_view name) {
  if (event < attributes_.size() && !name.empty()) {
    std::string& known = attributes_[event].name;
    budget_.charge(name.size() > known.size() ? 2 * (name.size() - known.size()) : 0);
    known = name;
  }
}

std::uint32_t event_table::of_sample(std::span<const std::byte> payload, bool swap,
                                     std::uint64_t offset) {
  if (attributes_.empty()) {
    throw capture_error("sample before any event attribute", offset);
  }
  if (attributes_.size() == 1) {
    return 0;
  }
  if (one_place_ && place_.in_sample && *place_.in_sample + 8 <= payload.size()) {
    const auto id = load<std::uint64_t>(payload.data() + *place_.in_sample, swap);
    if (last_event_ == hash_index::none || id != last_id_) {
      last_event_ = find(id);
      last_id_ = id;
    }
    if (last_event_ != hash_index::none) {
      return last_event_;
    }
  }
  if (!one_layout_) {
    throw capture_error("sample without the id of one of the " +
                            std::to_string(attributes_.size()) + " events of the capture",
                        offset);
  }
  return 0;
}

const attribute* event_table::of_other(std::span<const std::byte> payload, bool swap) {
  if (attributes_.empty()) {
    return nullptr;
  }
  if (attributes_.size() > 1 && one_place_ && place_.from_end &&
      *place_.from_end <= payload.size()) {
    const auto id = load<std::uint64_t>(payload.data() + (payload.size() - *place_.from_end), swap);
    if (last_other_event_ == hash_index::none || id != last_other_id_) {
      last_other_event_ = find(id);
      last_other_id_ = id;
    }
    if (last_other_event_ != hash_index::none) {
      return &attributes_[last_other_event_];
    }
  }
  return &attributes_.front();
}

}  // namespace stallscope::capture
