#include "block_trace/pairing.hpp"

#include <algorithm>
#include <utility>

namespace stallscope::block_trace {

std::size_t pairing::key_hash::operator()(const key& of) const noexcept {
  const std::uint64_t rest = std::uint64_t{of.device} << 8 | std::uint64_t{of.of_bio} << 4 |
                             static_cast<std::uint64_t>(of.op);
  // Sectors are multiples of powers of two: a multiplication spreads them.
  return static_cast<std::size_t>((of.sector * 0x9E3779B97F4A7C15U) ^ (rest * 0xC2B2AE3D27D4EB4FU));
}

void pairing::take(const block_event& event) {
  key of{.sector = event.sector, .device = event.device, .op = event.op, .of_bio = false};
  switch (event.kind) {
    case event_kind::lost:
      return forget_all();
    case event_kind::split:
      ++counts_.splits;
      return;
    case event_kind::flush_asked:
      return ask_flush(event);
    case event_kind::bio_front_merge:
      return merged_in_front(event, of);
    case event_kind::request_merge:
      return merged(of);
    case event_kind::insert:
      return inserted(event, of);
    case event_kind::requeue:
      return put_back(of);
    case event_kind::issue:
      return issued(event, of);
    case event_kind::complete:
      return completed(event, of);
    case event_kind::bio_queue:
      of.of_bio = true;
      return issued(event, of);
    case event_kind::bio_complete:
      of.of_bio = true;
      return completed(event, of);
  }
}

std::vector<finished_request> pairing::finished() { return std::exchange(finished_, {}); }

pairing::pending& pairing::begin(const block_event& event, const key& of) {
  if (under_way_ >= most_pending) {
    forget_all();
  }
  waiting& all = pending_[of];
  counts_.same_sector += all.empty() ? 0 : 1;
  ++under_way_;
  return all.emplace_back(pending{.queued_ns = event.t_ns,
                                  .issued_ns = event.t_ns,
                                  .sectors = event.sectors,
                                  .bytes = event.bytes,
                                  .pid = event.pid,
                                  .comm = event.comm});
}

void pairing::inserted(const block_event& event, const key& of) {
  if (const auto found = pending_.find(of); found != pending_.end()) {
    for (pending& each : found->second) {
      if (each.requeued) {  // put back before, and inserted again: it waits all the while
        each.requeued = false;
        return;
      }
    }
  }
  begin(event, of).was_queued = true;
}

void pairing::issued(const block_event& event, const key& of) {
  pending* one = nullptr;
  if (const auto found = pending_.find(of); found != pending_.end()) {
    const auto queued = std::ranges::find(found->second, state::queued, &pending::at);
    one = queued == found->second.end() ? nullptr : &*queued;
  }
  if (one == nullptr) {
    one = &begin(event, of);
    if (of.op == operation::flush) {
      name_asker(*one, of.device);
    }
  }
  one->at = state::issued;
  one->requeued = false;
  one->issued_ns = event.t_ns;
  one->sectors = event.sectors;  // merges have made it longer
  one->bytes = event.bytes;
}

void pairing::ask_flush(const block_event& event) {
  flush_askers_.try_emplace(event.device, event);
}

void pairing::name_asker(pending& flush, std::uint32_t device) {
  flush.pid = 0;
  flush.comm = {};
  const auto asker = flush_askers_.find(device);
  if (asker == flush_askers_.end()) {
    return;  // a second flush behind the data, or asked before events were seen
  }
  flush.pid = asker->second.pid;
  flush.comm = asker->second.comm;
  flush.queued_ns = asker->second.t_ns;
  flush.was_queued = true;
  flush_askers_.erase(asker);
}

void pairing::put_back(const key& of) {
  ++counts_.requeues;
  const auto found = pending_.find(of);
  if (found == pending_.end()) {
    return;
  }
  const auto one = std::ranges::find(found->second, state::issued, &pending::at);
  if (one != found->second.end()) {
    one->at = state::queued;
    one->was_queued = true;  // since it was issued first, where nothing inserted it
    one->requeued = true;
  }
}

void pairing::merged(const key& of) {
  ++counts_.merged_requests;
  const auto found = pending_.find(of);
  if (found == pending_.end()) {
    return;
  }
  const auto one = std::ranges::find(found->second, state::queued, &pending::at);
  if (one != found->second.end()) {
    remove(of, static_cast<std::size_t>(one - found->second.begin()));
  }
}

void pairing::merged_in_front(const block_event& event, key of) {
  of.sector = event.sector + event.sectors;
  const auto found = pending_.find(of);
  if (found == pending_.end()) {
    return;  // its request is not inserted yet
  }
  const auto one = std::ranges::find(found->second, state::queued, &pending::at);
  if (one == found->second.end()) {
    return;
  }
  const pending moved = *one;
  remove(of, static_cast<std::size_t>(one - found->second.begin()));
  of.sector = event.sector;
  pending_[of].push_back(moved);
  ++under_way_;
}

void pairing::completed(const block_event& event, const key& of) {
  const auto found = pending_.find(of);
  if (found == pending_.end()) {
    ++(event.sectors == 0 ? counts_.flushes_asked : counts_.begin_unseen);
    return;
  }
  drop_stale(found->second, event.t_ns);
  const auto one = std::ranges::find(found->second, state::issued, &pending::at);
  if (one == found->second.end()) {
    ++counts_.begin_unseen;
    return;
  }
  one->error = event.error != 0 ? event.error : one->error;
  const bool moves_data = of.op == operation::read || of.op == operation::write;
  const bool part = moves_data && event.sectors > 0 && event.sectors < one->sectors && !of.of_bio;
  const pending done = *one;
  remove(of, static_cast<std::size_t>(one - found->second.begin()));
  if (!part) {
    finish(event, done, of);
    return;
  }
  ++counts_.partial;  // the rest completes from the sector behind
  key rest = of;
  rest.sector += event.sectors;
  pending& left = pending_[rest].emplace_back(done);
  left.sectors -= event.sectors;
  ++under_way_;
}

void pairing::finish(const block_event& event, const pending& done, const key& of) {
  if (event.t_ns < done.issued_ns || done.issued_ns < done.queued_ns) {
    ++counts_.out_of_order;
    return;
  }
  finished_.push_back({.end_ns = event.t_ns,
                       .queue_ns = done.was_queued
                                       ? static_cast<std::int64_t>(done.issued_ns - done.queued_ns)
                                       : unknown_ns,
                       .device_ns = static_cast<std::int64_t>(event.t_ns - done.issued_ns),
                       .device = of.device,
                       .bytes = done.bytes,
                       .pid = done.pid,
                       .error = done.error,
                       .op = of.op,
                       .of_bio = of.of_bio,
                       .comm = done.comm});
}

// Where two of one sector are under way, and the older is older than any device takes, its
// completion was missed: without this every later one would be taken for the one before it.
void pairing::drop_stale(waiting& all, std::uint64_t now_ns) {
  while (all.size() > 1 && all.front().queued_ns + stale_ns < now_ns) {
    all.erase(all.begin());
    --under_way_;
    ++counts_.never_completed;
  }
}

void pairing::remove(const key& of, std::size_t place) {
  const auto found = pending_.find(of);
  found->second.erase(found->second.begin() + static_cast<std::ptrdiff_t>(place));
  --under_way_;
  if (found->second.empty()) {
    pending_.erase(found);
  }
}

void pairing::forget_all() {
  counts_.discarded += under_way_;
  flush_askers_.clear();
  pending_.clear();
  under_way_ = 0;
}

}  // namespace stallscope::block_trace
