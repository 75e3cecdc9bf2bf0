#include "block_trace/pairing.hpp"

#include <algorithm>
#include <utility>

namespace stallscope::block_trace {

std::size_t pairing::key_hash::operator()(const key& id) const noexcept {
  const std::uint64_t rest = std::uint64_t{id.device} << 8 | std::uint64_t{id.is_bio} << 4 |
                             static_cast<std::uint64_t>(id.op);
  // Sectors are multiples of powers of two; the multiplication distributes them.
  return static_cast<std::size_t>((id.sector * 0x9E3779B97F4A7C15U) ^ (rest * 0xC2B2AE3D27D4EB4FU));
}

void pairing::add(const block_event& event) {
  key id{.sector = event.sector, .device = event.device, .op = event.op, .is_bio = false};
  switch (event.kind) {
    case event_kind::lost:
      return discard_all();
    case event_kind::split:
      ++counts_.splits;
      return;
    case event_kind::flush_requested:
      return record_flush_origin(event);
    case event_kind::bio_front_merge:
      return merged_in_front(event, id);
    case event_kind::request_merge:
      return merged(id);
    case event_kind::insert:
      return inserted(event, id);
    case event_kind::requeue:
      return requeued(id);
    case event_kind::issue:
      return issued(event, id);
    case event_kind::complete:
      return completed(event, id);
    case event_kind::bio_queue:
      id.is_bio = true;
      return issued(event, id);
    case event_kind::bio_complete:
      id.is_bio = true;
      return completed(event, id);
  }
}

std::vector<completed_request> pairing::take_completed() { return std::exchange(completed_, {}); }

pairing::pending_request& pairing::begin(const block_event& event, const key& id) {
  if (pending_count_ >= max_pending) {
    discard_all();
  }
  request_list& requests = pending_[id];
  counts_.same_sector += requests.empty() ? 0 : 1;
  ++pending_count_;
  return requests.emplace_back(pending_request{.queued_ns = event.t_ns,
                                               .issued_ns = event.t_ns,
                                               .sectors = event.sectors,
                                               .bytes = event.bytes,
                                               .pid = event.pid,
                                               .comm = event.comm});
}

void pairing::inserted(const block_event& event, const key& id) {
  if (const auto entry = pending_.find(id); entry != pending_.end()) {
    for (pending_request& request : entry->second) {
      if (request.requeued) {  // requeued and inserted again: keep its queueing time
        request.requeued = false;
        return;
      }
    }
  }
  begin(event, id).was_queued = true;
}

void pairing::issued(const block_event& event, const key& id) {
  pending_request* request = nullptr;
  if (const auto entry = pending_.find(id); entry != pending_.end()) {
    const auto queued = std::ranges::find(entry->second, state::queued, &pending_request::at);
    request = queued == entry->second.end() ? nullptr : &*queued;
  }
  if (request == nullptr) {
    request = &begin(event, id);
    if (id.op == operation::flush) {
      assign_flush_origin(*request, id.device);
    }
  }
  request->at = state::issued;
  request->requeued = false;
  request->issued_ns = event.t_ns;
  request->sectors = event.sectors;  // merges may have extended the request
  request->bytes = event.bytes;
}

void pairing::record_flush_origin(const block_event& event) {
  flush_origins_.try_emplace(event.device, event);
}

void pairing::assign_flush_origin(pending_request& flush, std::uint32_t device) {
  flush.pid = 0;
  flush.comm = {};
  const auto origin = flush_origins_.find(device);
  if (origin == flush_origins_.end()) {
    return;  // a second flush after the data, or requested before tracing began
  }
  flush.pid = origin->second.pid;
  flush.comm = origin->second.comm;
  flush.queued_ns = origin->second.t_ns;
  flush.was_queued = true;
  flush_origins_.erase(origin);
}

void pairing::requeued(const key& id) {
  ++counts_.requeues;
  const auto entry = pending_.find(id);
  if (entry == pending_.end()) {
    return;
  }
  const auto request = std::ranges::find(entry->second, state::issued, &pending_request::at);
  if (request != entry->second.end()) {
    request->at = state::queued;
    request->was_queued =
        true;  // its queueing time starts at the first issue if it was not inserted
    request->requeued = true;
  }
}

void pairing::merged(const key& id) {
  ++counts_.merged_requests;
  const auto entry = pending_.find(id);
  if (entry == pending_.end()) {
    return;
  }
  const auto request = std::ranges::find(entry->second, state::queued, &pending_request::at);
  if (request != entry->second.end()) {
    remove(id, static_cast<std::size_t>(request - entry->second.begin()));
  }
}

void pairing::merged_in_front(const block_event& event, key id) {
  id.sector = event.sector + event.sectors;
  const auto entry = pending_.find(id);
  if (entry == pending_.end()) {
    return;  // the request is not inserted yet
  }
  const auto request = std::ranges::find(entry->second, state::queued, &pending_request::at);
  if (request == entry->second.end()) {
    return;
  }
  const pending_request moved = *request;
  remove(id, static_cast<std::size_t>(request - entry->second.begin()));
  id.sector = event.sector;
  pending_[id].push_back(moved);
  ++pending_count_;
}

void pairing::completed(const block_event& event, const key& id) {
  const auto entry = pending_.find(id);
  if (entry == pending_.end()) {
    ++(event.sectors == 0 ? counts_.flushes_requested : counts_.begin_unseen);
    return;
  }
  drop_stale(entry->second, event.t_ns);
  const auto request = std::ranges::find(entry->second, state::issued, &pending_request::at);
  if (request == entry->second.end()) {
    ++counts_.begin_unseen;
    return;
  }
  request->error = event.error != 0 ? event.error : request->error;
  const bool moves_data = id.op == operation::read || id.op == operation::write;
  const bool is_partial =
      moves_data && event.sectors > 0 && event.sectors < request->sectors && !id.is_bio;
  const pending_request done = *request;
  remove(id, static_cast<std::size_t>(request - entry->second.begin()));
  if (!is_partial) {
    finish(event, done, id);
    return;
  }
  ++counts_.partial;  // the rest completes from the next sector
  key rest = id;
  rest.sector += event.sectors;
  pending_request& remaining = pending_[rest].emplace_back(done);
  remaining.sectors -= event.sectors;
  ++pending_count_;
}

void pairing::finish(const block_event& event, const pending_request& done, const key& id) {
  if (event.t_ns < done.issued_ns || done.issued_ns < done.queued_ns) {
    ++counts_.out_of_order;
    return;
  }
  completed_.push_back({.end_ns = event.t_ns,
                        .queue_ns = done.was_queued
                                        ? static_cast<std::int64_t>(done.issued_ns - done.queued_ns)
                                        : unknown_ns,
                        .device_ns = static_cast<std::int64_t>(event.t_ns - done.issued_ns),
                        .device = id.device,
                        .bytes = done.bytes,
                        .pid = done.pid,
                        .error = done.error,
                        .op = id.op,
                        .is_bio = id.is_bio,
                        .comm = done.comm});
}

// If two requests for a sector are pending and the older exceeds the timeout of any device, its
// completion was missed. Drop it; otherwise every later completion would match the wrong request.
void pairing::drop_stale(request_list& requests, std::uint64_t now_ns) {
  while (requests.size() > 1 && requests.front().queued_ns + stale_ns < now_ns) {
    requests.erase(requests.begin());
    --pending_count_;
    ++counts_.never_completed;
  }
}

void pairing::remove(const key& id, std::size_t index) {
  const auto entry = pending_.find(id);
  entry->second.erase(entry->second.begin() + static_cast<std::ptrdiff_t>(index));
  --pending_count_;
  if (entry->second.empty()) {
    pending_.erase(entry);
  }
}

void pairing::discard_all() {
  counts_.discarded += pending_count_;
  flush_origins_.clear();
  pending_.clear();
  pending_count_ = 0;
}

}  // namespace stallscope::block_trace
