#include "stallscope/collect/event_table.hpp"

#include <sys/ioctl.h>

namespace stallscope {

int event_table::open(pid_t pid, std::uint32_t ring_index, unsigned long flags,
                      std::uint32_t attribute) {
  const auto& target = rings_[ring_index];
  auto opened = open_event(attributes_[attribute], {pid, target.cpu(), flags});
  if (!opened.fd) return opened.error;
  if (const int error = target.redirect(opened.fd); error != 0) return error;
  const auto id = event_id(opened.fd);
  by_id_.emplace(id, slots_.size());
  slots_.push_back({std::move(opened.fd), id, pid, ring_index, attribute});
  ++open_count_;
  return 0;
}

const event_table::slot* event_table::find(std::uint64_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &slots_[found->second];
}

std::vector<std::uint64_t> event_table::ids_of(std::uint32_t attribute) const {
  std::vector<std::uint64_t> ids;
  for (const auto& slot : slots_) {
    if (slot.attribute == attribute) ids.push_back(slot.id);
  }
  return ids;
}

void event_table::close(std::size_t number) {
  open_count_ -= slots_[number].fd ? 1 : 0;
  slots_[number].fd.reset();
}

void event_table::close_all() {
  open_count_ = 0;
  slots_.clear();
  by_id_.clear();
}

void event_table::enable_all() const {
  for (const auto& slot : slots_) ::ioctl(slot.fd.get(), PERF_EVENT_IOC_ENABLE, 0);
}

void event_table::disable_all() const {
  for (const auto& slot : slots_) ::ioctl(slot.fd.get(), PERF_EVENT_IOC_DISABLE, 0);
}

std::optional<event_reading> event_table::read_all() const {
  event_reading sum;
  bool any = false;
  for (const auto& slot : slots_) {
    event_reading one;
    if (!slot.fd || !read_event(slot.fd, one)) continue;
    any = true;
    sum.value += one.value;
    sum.enabled_ns += one.enabled_ns;
    sum.running_ns += one.running_ns;
    sum.lost += one.lost;
  }
  return any ? std::optional{sum} : std::nullopt;
}

}  // namespace stallscope
