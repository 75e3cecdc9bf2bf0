#include "ioqueue/queue.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <stdexcept>

namespace stallscope::ioqueue {
namespace {

cost credit_of(const queue_settings& settings) {
  if (settings.tau.count() < 0 || !(settings.costs.per_s >= 0)) {
    throw std::invalid_argument("neither tau nor a device's rate is negative");
  }
  const double units = settings.costs.per_s * std::chrono::duration<double>(settings.tau).count();
  return units < static_cast<double>(most_cost) ? static_cast<cost>(units) : most_cost;
}

}  // namespace

queue::queue(device& below, const time_source& clock, const queue_settings& settings)
    : device_{below},
      clock_{clock},
      settings_{settings},
      limit_{settings.limit},
      order_{credit_of(settings)} {
  if (settings.tokens) tokens_.emplace(*settings.tokens);
}

class_id queue::add_class(class_settings settings) {
  if (settings.most_queued == 0) {
    throw std::invalid_argument("a class must be allowed to queue a request");
  }
  const std::size_t number = order_.add(settings.shares);
  classes_.emplace_back(std::move(settings), settings_.histogram_digits, clock_.now());
  return class_id{static_cast<std::uint32_t>(number)};
}

void queue::set_shares(class_id number, std::uint32_t shares) {
  order_.set_shares(static_cast<std::size_t>(number), shares);
  of(number).settings.shares = shares;
}

void queue::set_limit(cost limit) { limit_ = limit; }

queue::priority_class& queue::of(class_id number) {
  return classes_.at(static_cast<std::size_t>(number));
}

const class_settings& queue::settings_of(class_id number) const {
  return classes_.at(static_cast<std::size_t>(number)).settings;
}

const class_metrics& queue::metrics(class_id number) {
  class_metrics& counted = of(number).counted;
  counted.advance(clock_.now());
  return counted;
}

void queue::reset_metrics() {
  for (priority_class& one : classes_) one.counted.reset(clock_.now());
}

bool queue::submit(class_id number, request& wanted) {
  priority_class& owner = of(number);
  const auto now = clock_.now();
  owner.counted.advance(now);
  if (owner.counted.queued >= owner.settings.most_queued) {
    ++owner.counted.rejected;
    return false;
  }
  wanted.state_ = request::state::queued;
  wanted.asked_ = request::ending::by_itself;
  wanted.has_cancelled_piece_ = false;
  wanted.in_line_ = true;
  wanted.class_ = number;
  wanted.error_ = 0;
  wanted.started_bytes_ = 0;
  wanted.carried_bytes_ = wanted.wanted.size_bytes;
  wanted.submitted_at_ = now;
  if (wanted.deadline.count() != 0) deadlines_.emplace(wanted.deadline, &wanted);
  owner.waiting.push(wanted);
  ++owner.counted.submitted;
  ++owner.counted.queued;
  if (!order_.is_waiting(static_cast<std::size_t>(number))) {
    order_.wake(static_cast<std::size_t>(number));
  }
  return true;
}

void queue::cancel(request& unwanted) {
  if (unwanted.asked_ != request::ending::by_itself || unwanted.is_free()) return;
  end_early(unwanted, request::ending::cancelled);
}

// The line is left at once, also by one whose first pieces are in flight: those end it.
void queue::end_early(request& unwanted, request::ending why) {
  unwanted.asked_ = why;
  if (unwanted.in_line_) {
    unwanted.has_cancelled_piece_ = true;
    leave_line(unwanted);
  }
  if (unwanted.pieces_in_flight_ == 0) {
    settle(unwanted);
  } else {
    for (operation* piece = unwanted.pieces_; piece != nullptr; piece = piece->next_) {
      device_.cancel(*piece);
    }
  }
}

void queue::leave_line(request& leaving) {
  priority_class& owner = of(leaving.class_);
  owner.waiting.remove(leaving);
  leaving.in_line_ = false;
  if (owner.waiting.empty()) order_.remove(static_cast<std::size_t>(leaving.class_));
}

void queue::completed(operation& ended, std::int64_t result) {
  request& of_request = *ended.of_;
  (ended.previous_ == nullptr ? of_request.pieces_ : ended.previous_->next_) = ended.next_;
  if (ended.next_ != nullptr) ended.next_->previous_ = ended.previous_;
  --of_request.pieces_in_flight_;
  --in_flight_;
  in_flight_cost_ -= ended.held_;
  note_result(of_request, ended, result);
  operations_.give_back(ended);
  // A failed piece takes those that did not start yet with it.
  if (of_request.error_ != 0 && of_request.in_line_) leave_line(of_request);
  if (of_request.pieces_in_flight_ == 0 && !of_request.in_line_) settle(of_request);
}

void queue::note_result(request& of, const operation& ended, std::int64_t result) noexcept {
  if (result < 0) {
    const int error = static_cast<int>(-result);
    const bool asked = of.asked_ != request::ending::by_itself;
    if (asked && (error == ECANCELED || error == EINTR)) {
      of.has_cancelled_piece_ = true;
    } else if (of.error_ == 0) {
      of.error_ = error;
    }
  } else if (static_cast<std::uint64_t>(result) < ended.piece.size_bytes) {
    const std::uint64_t until =
        ended.piece.offset - of.wanted.offset + static_cast<std::uint64_t>(result);
    of.carried_bytes_ = std::min(of.carried_bytes_, until);
  }
}

void queue::settle(request& ended) {
  priority_class& owner = of(ended.class_);
  class_metrics& counted = owner.counted;
  const auto now = clock_.now();
  counted.advance(now);
  const bool begun = ended.state_ == request::state::executing;
  --(begun ? counted.executing : counted.queued);
  if (ended.deadline.count() != 0) deadlines_.erase({ended.deadline, &ended});
  ended.state_ = request::state::free;
  if (ended.error_ != 0) {
    ++counted.failed;
    ended.settled(outcome::failed, -ended.error_);
  } else if (ended.has_cancelled_piece_) {
    ++counted.cancelled;
    const bool expired = ended.asked_ == request::ending::expired;
    if (expired) ++counted.expired;
    ended.settled(expired ? outcome::expired : outcome::cancelled,
                  expired ? -ETIMEDOUT : -ECANCELED);
  } else {
    count_done(counted, ended, now);
    ended.settled(outcome::done, static_cast<std::int64_t>(ended.carried_bytes_));
  }
}

void queue::count_done(class_metrics& counted, const request& ended,
                       std::chrono::nanoseconds now) noexcept {
  ++counted.done;
  class_metrics::carried& way = counted.by_direction[static_cast<std::size_t>(ended.wanted.way)];
  ++way.operations;
  way.bytes += ended.carried_bytes_;
  const auto spent = [](std::chrono::nanoseconds time) {
    return static_cast<std::uint64_t>(time.count());
  };
  counted.execution.record(spent(now - ended.started_at_));
  counted.total.record(spent(now - ended.submitted_at_));
}

}  // namespace stallscope::ioqueue
