#include "collect/event_table.hpp"

#include <sys/ioctl.h>

#include <utility>

namespace stallscope::collect {

namespace {

// Opens members of a group, or its leader if none is open yet. Returns 0 or the kernel's errno.
int open_others(std::span<const perf_event_attr> attributes, perf_events::event_place& place,
                event_table::slot& entry) {
  for (const auto& attribute : attributes) {
    auto opened = perf_events::open_event(attribute, place);
    if (!opened.fd) return opened.error;
    if (place.group_fd < 0) place.group_fd = opened.fd.get();
    entry.other_ids.push_back(perf_events::event_id(opened.fd));
    entry.others.push_back(std::move(opened.fd));
  }
  return 0;
}

// Opens the companions of an event into its ring. Returns 0 or the kernel's errno.
int open_companions(std::span<const perf_event_attr> attributes,
                    const perf_events::event_place& place, const perf_events::ring& target,
                    event_table::slot& entry) {
  for (const auto& attribute : attributes) {
    auto opened = perf_events::open_event(attribute, place);
    if (!opened.fd) return opened.error;
    if (const int error = target.redirect(opened.fd); error != 0) return error;
    entry.companion_ids.push_back(perf_events::event_id(opened.fd));
    entry.companions.push_back(std::move(opened.fd));
  }
  return 0;
}

}  // namespace

int event_table::open(pid_t pid, std::uint32_t ring_index, unsigned long flags,
                      std::uint32_t attribute) {
  const auto& target = rings_[ring_index];
  perf_events::event_place place{pid, target.cpu(), flags, -1};
  slot entry;
  if (const int error = open_others(group_.leading, place, entry); error != 0) return error;
  auto opened = perf_events::open_event(attributes_[attribute], place);
  if (!opened.fd) return opened.error;
  if (const int error = target.redirect(opened.fd); error != 0) return error;
  if (place.group_fd < 0) place.group_fd = opened.fd.get();
  if (const int error = open_others(group_.following, place, entry); error != 0) return error;
  const perf_events::event_place alone{pid, target.cpu(), flags, -1};
  if (const int error = open_companions(companions_, alone, target, entry); error != 0)
    return error;
  entry.id = perf_events::event_id(opened.fd);
  entry.fd = std::move(opened.fd);
  entry.tid = pid;
  entry.ring_index = ring_index;
  entry.attribute = attribute;
  by_id_.emplace(entry.id, slots_.size());
  for (const auto id : entry.companion_ids) by_id_.emplace(id, slots_.size());
  slots_.push_back(std::move(entry));
  ++open_count_;
  return 0;
}

const event_table::slot* event_table::find(std::uint64_t id) const {
  const auto position = by_id_.find(id);
  return position == by_id_.end() ? nullptr : &slots_[position->second];
}

std::vector<std::uint64_t> event_table::ids_of(std::uint32_t attribute) const {
  std::vector<std::uint64_t> ids;
  for (const auto& slot : slots_) {
    if (slot.attribute == attribute) ids.push_back(slot.id);
  }
  return ids;
}

std::vector<std::uint64_t> event_table::ids_of_other(std::size_t place) const {
  std::vector<std::uint64_t> ids;
  for (const auto& slot : slots_) ids.push_back(slot.other_ids.at(place));
  return ids;
}

std::vector<std::uint64_t> event_table::ids_of_companion(std::size_t place) const {
  std::vector<std::uint64_t> ids;
  for (const auto& slot : slots_) ids.push_back(slot.companion_ids.at(place));
  return ids;
}

void event_table::close(std::size_t number) {
  open_count_ -= slots_[number].fd ? 1 : 0;
  slots_[number].others.clear();
  slots_[number].companions.clear();
  slots_[number].fd.reset();
}

void event_table::close_all() {
  open_count_ = 0;
  slots_.clear();
  by_id_.clear();
}

void event_table::retire() {
  last_reading_ = read_all();
  for (std::size_t number = 0; number < slots_.size(); ++number) close(number);
}

void event_table::enable_all() const { control_all(PERF_EVENT_IOC_ENABLE); }

void event_table::disable_all() const { control_all(PERF_EVENT_IOC_DISABLE); }

void event_table::control_all(unsigned long request) const {
  for (const auto& slot : slots_) {
    ::ioctl(leader_of(slot).get(), request, 0);
    for (const auto& companion : slot.companions) ::ioctl(companion.get(), request, 0);
  }
}

std::optional<perf_events::event_reading> event_table::read_all() const {
  perf_events::event_reading sum;
  sum.others.resize(group_.size());
  bool has_reading = false;
  for (const auto& slot : slots_) {
    perf_events::event_reading reading;
    if (!slot.fd) continue;
    const bool read = group_.size() == 0 ? perf_events::read_event(slot.fd, reading)
                                         : perf_events::read_group(slot.fd, events_in_group(),
                                                                   group_.leading.size(), reading);
    if (!read) continue;
    has_reading = true;
    for (std::size_t i = 0; i < reading.others.size(); ++i) sum.others[i] += reading.others[i];
    sum.value += reading.value;
    sum.enabled_ns += reading.enabled_ns;
    sum.running_ns += reading.running_ns;
    sum.lost += reading.lost;
  }
  return has_reading ? std::optional{sum} : last_reading_;
}

}  // namespace stallscope::collect
