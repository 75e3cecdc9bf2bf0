#include "server/shards/request_stages.hpp"

#include "server/shards/executor.hpp"

namespace stallscope::server {

request_stages::request_stages(stages::stage_registry& registry, executor& runs,
                               disk_executor* disk)
    : executor_(runs),
      disk_(disk),
      parse_(registry, "parse", {this}),
      coordinate_(registry, "coordinate", {this}),
      apply_local_(registry, "apply_local", {this, false}),
      apply_remote_(registry, "apply_remote", {this, false}),
      range_(registry, "range", {this, true}) {
  if (disk_ == nullptr) return;
  log_.emplace(registry, *disk_);
  disk_->log_through(&*log_);
}

request_stages::~request_stages() {
  if (disk_ != nullptr) disk_->log_through(nullptr);
}

bool request_stages::slot_part::reads_range() const {
  const request_slot& request = slot != nullptr ? *slot : part->slot;
  return request.what->reads_range();
}

void request_stages::parse_handler::run(request_slot* slot) const {
  of->executor_.find_shards(*slot);
  of->coordinate_.enqueue(slot);
}

void request_stages::parse_handler::failed(request_slot* slot,
                                           const std::exception_ptr& thrown) const noexcept {
  of->executor_.fail(*slot, thrown);
}

void request_stages::coordinate_handler::run(request_slot* slot) const {
  of->executor_.hand_out(*slot);
}

void request_stages::coordinate_handler::failed(request_slot* slot,
                                                const std::exception_ptr& thrown) const noexcept {
  of->executor_.fail(*slot, thrown);
}

void request_stages::apply_handler::run(const slot_part& next) const {
  if (!in_range_stage && (next.reads_range() || of->range_.queued() != 0)) {
    of->range_.enqueue(next);
  } else if (next.slot != nullptr) {
    of->executor_.apply(*next.slot, next.part);
  } else {
    of->executor_.apply_remote(*next.part);
  }
}

// Only an enqueue can fail here; the part has not run.
void request_stages::apply_handler::failed(const slot_part& next,
                                           const std::exception_ptr& thrown) const noexcept {
  if (next.part != nullptr) next.part->refuse();
  if (next.slot == nullptr) {
    of->executor_.send_back(*next.part);
  } else if (next.part != nullptr) {
    of->executor_.part_applied(*next.slot, *next.part);
  } else {
    of->executor_.fail(*next.slot, thrown);
  }
}

}  // namespace stallscope::server
