#include "load/request_scheduler.hpp"

#include <algorithm>
#include <utility>

namespace stallscope::load {

request_scheduler::request_scheduler(const schedule& plan, unsigned connections,
                                     std::uint64_t start_ns, unsigned thread, unsigned threads)
    : plan_{plan},
      measured_from_ns_{start_ns + plan.warmup_ns},
      end_ns_{measured_from_ns_ + plan.duration_ns},
      max_requests_{plan.max_requests == 0
                        ? never_ns
                        : plan.max_requests / threads + (thread < plan.max_requests % threads)},
      queues_(connections),
      requests_(std::size_t{connections} * plan.pipeline) {
  if (plan.rate_per_s) {
    arrivals_.emplace(plan.arrivals, *plan.rate_per_s / threads, start_ns, plan.seed + thread,
                      static_cast<double>(thread) / threads);
  }
}

void request_scheduler::connection_up(unsigned connection, std::uint64_t now_ns) {
  queues_[connection] = {};
  for (unsigned i = 0; i < plan_.pipeline; ++i) free_place(connection, now_ns);
}

std::size_t request_scheduler::connection_down(unsigned connection) {
  const std::size_t lost = queues_[connection].count;
  queues_[connection] = {};
  under_way_ -= lost;
  std::erase_if(free_places_, [&](const place& free) { return free.connection == connection; });
  return lost;
}

std::optional<unsigned> request_scheduler::take(std::uint64_t now_ns) {
  if (next_due_ns() > now_ns) return std::nullopt;
  const place free = free_places_.front();
  free_places_.pop_front();
  const std::uint64_t intended = arrivals_ ? arrivals_->next() : free.free_ns;
  queue& waiting = queues_[free.connection];
  const bool measured = intended >= measured_from_ns_;
  slot(free.connection, waiting.count++) = {intended, now_ns,
                                            own_lag_ns(intended, free.free_ns, now_ns), measured};
  measured_ += measured;
  ++under_way_;
  waiting.offered = false;
  if (arrivals_ && waiting.count < plan_.pipeline) free_place(free.connection, free.free_ns);
  return free.connection;
}

std::optional<sent_request> request_scheduler::answered(unsigned connection, std::uint64_t now_ns) {
  queue& waiting = queues_[connection];
  if (waiting.count == 0) return std::nullopt;
  const sent_request oldest = slot(connection, 0);
  waiting.first = (waiting.first + 1) % plan_.pipeline;
  --waiting.count;
  --under_way_;
  free_place(connection, arrivals_ ? now_ns : now_ns + plan_.think_ns);
  return oldest;
}

void request_scheduler::stalled(std::uint64_t from_ns, std::uint64_t to_ns) {
  stalls_.add(from_ns, to_ns);
}

// Own lag counts from the later of due time and free slot. For requests that were due earlier, it
// is the stalled time since then.
std::uint64_t request_scheduler::own_lag_ns(std::uint64_t intended_ns, std::uint64_t free_ns,
                                            std::uint64_t now_ns) {
  stalls_.add(std::max(intended_ns, free_ns), now_ns);
  return stalls_.since(intended_ns);
}

// In an open loop connections take turns, independent of their number of slots.
void request_scheduler::free_place(unsigned connection, std::uint64_t free_ns) {
  if (arrivals_ && std::exchange(queues_[connection].offered, true)) return;
  free_places_.push_back({free_ns, connection});
}

std::uint64_t request_scheduler::next_due_ns() const noexcept {
  if (!sending_ || free_places_.empty() || limit_reached()) return never_ns;
  const std::uint64_t due = arrivals_ ? arrivals_->peek() : free_places_.front().free_ns;
  return due < end_ns_ ? due : never_ns;
}

void request_scheduler::end_at(std::uint64_t end_ns) noexcept {
  end_ns_ = std::min(end_ns_, end_ns);
}

bool request_scheduler::finished(std::uint64_t now_ns) const noexcept {
  if (under_way_ != 0 || next_due_ns() != never_ns) return false;
  return limit_reached() || now_ns >= end_ns_;
}

std::uint64_t request_scheduler::take_unsent() {
  std::uint64_t unsent = 0;
  while (unsent < max_unsent && arrivals_ && !limit_reached() && arrivals_->peek() < end_ns_) {
    const bool measured = arrivals_->next() >= measured_from_ns_;
    measured_ += measured;
    unsent += measured;
  }
  return unsent;
}

bool request_scheduler::limit_reached() const noexcept { return measured_ >= max_requests_; }

sent_request& request_scheduler::slot(unsigned connection, unsigned position) {
  const unsigned at = (queues_[connection].first + position) % plan_.pipeline;
  return requests_[std::size_t{connection} * plan_.pipeline + at];
}

}  // namespace stallscope::load
