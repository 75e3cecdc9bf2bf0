#include "ioqueue/queue.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <stdexcept>

namespace stallscope::ioqueue {
namespace {

cost wake_credit(const queue_settings& settings) {
  if (settings.tau.count() < 0 || !(settings.costs.per_s >= 0)) {
    throw std::invalid_argument("tau and the rate of a device must not be negative");
  }
  const double units = settings.costs.per_s * std::chrono::duration<double>(settings.tau).count();
  return units < static_cast<double>(max_cost) ? static_cast<cost>(units) : max_cost;
}

std::uint64_t duration_ns(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

}  // namespace

queue::queue(device& device, const time_source& clock, const queue_settings& settings)
    : device_{device},
      clock_{clock},
      settings_{settings},
      pieces_{settings.costs, settings.most_bytes, settings.split_bytes},
      admission_{settings.limit, settings.tokens},
      order_{wake_credit(settings)} {}

class_id queue::add_class(class_settings settings) {
  if (settings.max_queued == 0) {
    throw std::invalid_argument("a class must be allowed to queue a request");
  }
  const std::size_t number = order_.add(settings.shares);
  classes_.emplace_back(std::move(settings), settings_.histogram_digits, clock_.now());
  return class_id{static_cast<std::uint32_t>(number)};
}

void queue::set_shares(class_id number, std::uint32_t shares) {
  order_.set_shares(static_cast<std::size_t>(number), shares);
  class_of(number).settings.shares = shares;
}

void queue::set_limit(cost limit) { admission_.set_limit(limit); }

queue::priority_class& queue::class_of(class_id number) {
  return classes_.at(static_cast<std::size_t>(number));
}

const class_settings& queue::settings_of(class_id number) const {
  return classes_.at(static_cast<std::size_t>(number)).settings;
}

const class_metrics& queue::metrics(class_id number) {
  class_metrics& metrics = class_of(number).metrics;
  metrics.advance(clock_.now());
  return metrics;
}

void queue::reset_metrics() {
  for (priority_class& owner : classes_) owner.metrics.reset(clock_.now());
}

bool queue::submit(class_id number, request& request) {
  priority_class& owner = class_of(number);
  const auto now = clock_.now();
  owner.metrics.advance(now);
  if (owner.metrics.queued >= owner.settings.max_queued) {
    ++owner.metrics.rejected;
    return false;
  }
  request.state_ = request::state::queued;
  request.ending_ = request::ending::normal;
  request.has_cancelled_piece_ = false;
  request.is_waiting_ = true;
  request.class_ = number;
  request.error_ = 0;
  request.started_bytes_ = 0;
  request.transferred_bytes_ = request.io.size_bytes;
  request.submitted_at_ = now;
  if (request.deadline.count() != 0) deadlines_.emplace(request.deadline, &request);
  owner.waiting.push(request);
  ++owner.metrics.submitted;
  ++owner.metrics.queued;
  if (!order_.is_waiting(static_cast<std::size_t>(number))) {
    order_.wake(static_cast<std::size_t>(number));
  }
  return true;
}

std::size_t queue::dispatch() {
  expire();
  const auto now = clock_.now();
  std::size_t started = 0;
  while (!order_.empty()) {
    priority_class& owner = classes_[order_.first()];
    request& request = owner.waiting.first();
    const transfer piece = pieces_.next(request.io, request.started_bytes_, admission_.limit());
    const cost cost = settings_.costs.of(piece.kind, piece.size_bytes);
    const admission::decision decision = admission_.decide(cost, now);
    if (decision == admission::decision::above_limit) ++owner.metrics.limit_hits;
    if (decision == admission::decision::no_tokens) ++owner.metrics.token_waits;
    if (decision != admission::decision::admitted) break;
    if (!start_piece(request, piece, cost, now)) break;
    ++started;
  }
  if (started > 0) device_.flush();
  return started;
}

bool queue::start_piece(request& request, const transfer& piece, cost cost,
                        std::chrono::nanoseconds now) {
  operation& operation = operations_.take();
  operation.piece = piece;
  operation.owner_ = this;
  operation.request_ = &request;
  if (!device_.start(operation)) {
    operations_.give_back(operation);
    return false;
  }
  operation.admitted_cost_ = admission_.admit(cost, now);
  operation.previous_ = nullptr;
  operation.next_ = request.pieces_;
  if (request.pieces_ != nullptr) request.pieces_->previous_ = &operation;
  request.pieces_ = &operation;
  ++request.pieces_in_flight_;
  ++in_flight_;
  advance(request, piece, cost, now);
  return true;
}

void queue::advance(request& request, const transfer& piece, cost cost,
                    std::chrono::nanoseconds now) {
  priority_class& owner = class_of(request.class_);
  if (request.state_ == request::state::queued) {
    owner.metrics.advance(now);
    --owner.metrics.queued;
    ++owner.metrics.executing;
    request.state_ = request::state::executing;
    request.started_at_ = now;
    owner.metrics.delay.record(duration_ns(now - request.submitted_at_));
    if (piece.size_bytes < request.io.size_bytes) ++owner.metrics.split;
  }
  request.started_bytes_ += piece.size_bytes;
  if (request.started_bytes_ == request.io.size_bytes) {
    owner.waiting.remove(request);
    request.is_waiting_ = false;
  }
  order_.serve_first(cost, !owner.waiting.empty());
}

void queue::expire() {
  while (!deadlines_.empty() && deadlines_.begin()->first <= clock_.now()) {
    request& late = *deadlines_.begin()->second;
    deadlines_.erase(deadlines_.begin());
    if (late.ending_ == request::ending::normal) end_early(late, request::ending::expired);
  }
}

std::chrono::nanoseconds queue::next_wake() const {
  auto when = never;
  if (!deadlines_.empty()) when = deadlines_.begin()->first;
  if (order_.empty()) return when;
  const request& request = classes_[order_.first()].waiting.first();
  const transfer piece = pieces_.next(request.io, request.started_bytes_, admission_.limit());
  const cost cost = settings_.costs.of(piece.kind, piece.size_bytes);
  const auto now = clock_.now();
  const auto tokens_ready_at = admission_.tokens_ready_at(cost, now);
  if (!tokens_ready_at) return when;
  if (admission_.decide(cost, now) != admission::decision::no_tokens) return when;
  return std::min(when, *tokens_ready_at);
}

void queue::cancel(request& request) {
  if (request.ending_ != request::ending::normal || request.is_free()) return;
  end_early(request, request::ending::cancelled);
}

// The request stops waiting at once. If pieces of it are in flight, they settle it.
void queue::end_early(request& request, request::ending ending) {
  request.ending_ = ending;
  if (request.is_waiting_) {
    request.has_cancelled_piece_ = true;
    stop_waiting(request);
  }
  if (request.pieces_in_flight_ == 0) {
    settle(request);
  } else {
    for (operation* piece = request.pieces_; piece != nullptr; piece = piece->next_) {
      device_.cancel(*piece);
    }
  }
}

void queue::stop_waiting(request& request) {
  priority_class& owner = class_of(request.class_);
  owner.waiting.remove(request);
  request.is_waiting_ = false;
  if (owner.waiting.empty()) order_.remove(static_cast<std::size_t>(request.class_));
}

void queue::completed(operation& operation, std::int64_t result) {
  request& request = *operation.request_;
  (operation.previous_ == nullptr ? request.pieces_ : operation.previous_->next_) = operation.next_;
  if (operation.next_ != nullptr) operation.next_->previous_ = operation.previous_;
  --request.pieces_in_flight_;
  --in_flight_;
  admission_.release(operation.admitted_cost_);
  note_result(request, operation, result);
  operations_.give_back(operation);
  // After a failed piece, the pieces that are not started yet are dropped.
  if (request.error_ != 0 && request.is_waiting_) stop_waiting(request);
  if (request.pieces_in_flight_ == 0 && !request.is_waiting_) settle(request);
}

void queue::note_result(request& request, const operation& operation,
                        std::int64_t result) noexcept {
  if (result < 0) {
    const int error = static_cast<int>(-result);
    const bool ends_early = request.ending_ != request::ending::normal;
    if (ends_early && (error == ECANCELED || error == EINTR)) {
      request.has_cancelled_piece_ = true;
    } else if (request.error_ == 0) {
      request.error_ = error;
    }
  } else if (static_cast<std::uint64_t>(result) < operation.piece.size_bytes) {
    const std::uint64_t end =
        operation.piece.offset - request.io.offset + static_cast<std::uint64_t>(result);
    request.transferred_bytes_ = std::min(request.transferred_bytes_, end);
  }
}

void queue::settle(request& request) {
  class_metrics& metrics = class_of(request.class_).metrics;
  const auto now = clock_.now();
  metrics.advance(now);
  const bool started = request.state_ == request::state::executing;
  --(started ? metrics.executing : metrics.queued);
  if (request.deadline.count() != 0) deadlines_.erase({request.deadline, &request});
  request.state_ = request::state::free;
  if (request.error_ != 0) {
    ++metrics.failed;
    request.settled(outcome::failed, -request.error_);
  } else if (request.has_cancelled_piece_) {
    ++metrics.cancelled;
    const bool expired = request.ending_ == request::ending::expired;
    if (expired) ++metrics.expired;
    request.settled(expired ? outcome::expired : outcome::cancelled,
                    expired ? -ETIMEDOUT : -ECANCELED);
  } else {
    count_done(metrics, request, now);
    request.settled(outcome::done, static_cast<std::int64_t>(request.transferred_bytes_));
  }
}

void queue::count_done(class_metrics& metrics, const request& request,
                       std::chrono::nanoseconds now) noexcept {
  ++metrics.done;
  class_metrics::volume& volume = metrics.by_direction[static_cast<std::size_t>(request.io.kind)];
  ++volume.operations;
  volume.bytes += request.transferred_bytes_;
  metrics.execution.record(duration_ns(now - request.started_at_));
  metrics.total.record(duration_ns(now - request.submitted_at_));
}

}  // namespace stallscope::ioqueue
