#include "random_schedule.hpp"

#include <algorithm>
#include <cerrno>

using stallscope::ioqueue::class_id;
using stallscope::ioqueue::direction;
using stallscope::ioqueue::operation;

random_schedule::queue_settings random_schedule::draw_settings(std::mt19937_64& random,
                                                               const schedule_kind& kind) {
  queue_settings drawn;
  drawn.histogram_digits = 1;  // they are not looked at, and large ones take time to clear
  if (random() % 2 == 0) {
    drawn.costs = {.read = {.base = 1 + static_cast<std::uint32_t>(random() % 9), .block = 1},
                   .write = {.base = 1, .block = 1 + static_cast<std::uint32_t>(random() % 5)}};
  }
  if (random() % 4 != 0) drawn.limit = 1 + random() % 40;
  if (random() % 3 == 0) drawn.split_bytes = 0;
  if (random() % 3 == 0) drawn.most_bytes = 4096 * (1 + random() % 8);
  drawn.costs.per_s = kind.with_credit ? 20'000.0 : 0;
  if (kind.with_tokens) {
    drawn.tokens = stallscope::ioqueue::token_rate{.per_s = 1000, .burst = 1 + random() % 50};
  }
  return drawn;
}

random_schedule::random_schedule(std::uint64_t seed, const schedule_kind& kind)
    : random_{seed},
      kind_{kind},
      settings_{draw_settings(random_, kind)},
      line_{disk_, clock_, settings_},
      fairness_{kind.with_credit ? 100.0 : 0.0} {
  disk_.room = 4 + below(60);
  classes_ = 2 + below(4);
  add_classes();
}

class_id random_schedule::id(std::size_t number) {
  return class_id{static_cast<std::uint32_t>(number)};
}

void random_schedule::add_classes() {
  for (std::size_t i = 0; i < classes_; ++i) {
    const auto shares = static_cast<std::uint32_t>(1 + below(below(2) == 0 ? 10 : 1000));
    const auto number = line_.add_class({.name = "any", .shares = shares, .max_queued = 30});
    counted_.push_back(&line_.metrics(number));
    fairness_.add(shares);
  }
  next_offset_.assign(classes_, 1);
  last_started_.assign(classes_, 0);
}

void random_schedule::step() {
  switch (below(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return submit_some();
    case 4:
      return cancel_one();
    case 5:
      return below(20) == 0 ? change_shares()
                            : clock_.move_to(clock_.now() + std::chrono::microseconds(below(3000)));
    default:
      return complete_one();
  }
}

// The requests of a class have increasing offsets, far apart: offsets show their order.
void random_schedule::submit_some() {
  const std::size_t number = below(classes_);
  for (std::uint64_t i = 0; i < 1 + below(12); ++i) {
    noted_request& added = requests_.emplace_back();
    added.io.file = static_cast<int>(number);
    added.io.kind = below(2) == 0 ? direction::read : direction::write;
    added.io.offset = next_offset_[number]++ << 32U;
    added.io.size_bytes = below(16) == 0 ? below(200'000) : 512 * (1 + below(32));
    if (kind_.with_deadlines && below(3) == 0) {
      added.deadline = clock_.now() + std::chrono::microseconds(1 + below(20'000));
    }
    added.then = [this] { ++settled_; };
    if (line_.submit(id(number), added)) {
      ++submitted_;
    } else {
      ++rejected_;
      requests_.pop_back();
    }
  }
}

void random_schedule::complete_one() {
  if (disk_.started.empty()) return;
  const std::size_t at = below(disk_.started.size());
  operation* const ended = disk_.started[at];
  const auto cancel_request =
      std::find(disk_.cancel_requests.begin(), disk_.cancel_requests.end(), ended);
  auto result = static_cast<std::int64_t>(ended->piece.size_bytes);
  if (cancel_request != disk_.cancel_requests.end()) {
    disk_.cancel_requests.erase(cancel_request);
    if (below(2) == 0) result = -ECANCELED;
  } else if (below(10) == 0) {
    result = -EIO;
  } else if (below(10) == 0) {
    result /= 2;
  }
  disk_.complete(at, result);
  seen_ = disk_.started.size();
}

void random_schedule::cancel_one() {
  if (requests_.empty()) return;
  line_.cancel(
      requests_[requests_.size() - 1 - below(std::min<std::size_t>(requests_.size(), 60))]);
}

void random_schedule::change_shares() {
  const std::size_t number = below(classes_);
  const auto shares = static_cast<std::uint32_t>(1 + below(100));
  line_.set_shares(id(number), shares);
  fairness_.set_shares(number, shares);
}

void random_schedule::look_at_device() {
  for (; seen_ < disk_.started.size(); ++seen_) {
    const auto& piece = disk_.started[seen_]->piece;
    const auto number = static_cast<std::size_t>(piece.file);
    fairness_.served(number, settings_.costs.of(piece.kind, piece.size_bytes));
    out_of_order_ = out_of_order_ || piece.offset < last_started_[number];
    last_started_[number] = piece.offset;
  }
}

std::string random_schedule::judge(bool dispatched) {
  look_at_device();
  for (std::size_t i = 0; i < classes_; ++i) {
    fairness_.waits(i, counted_[i]->queued > 0);
  }
  if (out_of_order_) return "a class's requests were not started in their order";
  if (auto wrong = judge_sums(); !wrong.empty()) return wrong;
  if (dispatched) {
    if (auto wrong = judge_idleness(); !wrong.empty()) return wrong;
  }
  return fairness_.judge();
}

std::string random_schedule::judge_sums() {
  std::uint64_t unsettled = 0;
  std::uint64_t submitted = 0;
  std::uint64_t rejected = 0;
  for (std::size_t i = 0; i < classes_; ++i) {
    const auto& counted = *counted_[i];
    const auto ended = counted.done + counted.failed + counted.cancelled;
    if (counted.submitted != ended + counted.queued + counted.executing) return "a class's sum";
    if (counted.queued > 30) return "more queued than the class holds";
    unsettled += counted.queued + counted.executing;
    submitted += counted.submitted;
    rejected += counted.rejected;
  }
  if (submitted != submitted_ || rejected != rejected_) return "submissions counted";
  if (unsettled != submitted_ - settled_) return "settled, but not counted so";
  std::uint64_t held = 0;
  for (const operation* started : disk_.started) {
    const auto cost = settings_.costs.of(started->piece.kind, started->piece.size_bytes);
    held += settings_.limit == 0 ? cost : std::min(cost, settings_.limit);
  }
  if (held != line_.in_flight_cost()) return "cost in flight is not that of what is in flight";
  if (settings_.limit != 0 && held > settings_.limit) return "in flight above the limit";
  if (disk_.started.size() != line_.in_flight()) return "operations in flight";
  return {};
}

// Right after dispatch(): what waits does so for a reason.
std::string random_schedule::judge_idleness() {
  if (settings_.tokens || disk_.started.size() >= disk_.room) return {};
  bool waiting = false;
  for (std::size_t i = 0; i < classes_; ++i) waiting |= counted_[i]->queued > 0;
  if (!waiting) return {};
  if (disk_.started.empty()) return "idle with work queued";
  if (settings_.limit == 0) return "work queued below no limit";
  const bool alike = settings_.costs.read.block == 0;
  if (alike && line_.in_flight_cost() != settings_.limit) return "work queued below the limit";
  return {};
}

std::string random_schedule::run(int steps) {
  for (int i = 0; i < steps; ++i) {
    step();
    if (auto wrong = judge(false); !wrong.empty()) return wrong;
    if (below(3) == 0) continue;
    line_.dispatch();
    if (auto wrong = judge(true); !wrong.empty()) return wrong;
  }
  return drain();
}

std::string random_schedule::drain() {
  for (int turn = 0; settled_ < submitted_; ++turn) {
    if (turn > 100'000) return "some are never settled";
    line_.dispatch();
    if (auto wrong = judge(true); !wrong.empty()) return wrong;
    if (disk_.started.empty()) {
      const auto wake = line_.next_wake();
      if (wake == stallscope::ioqueue::queue::never || wake <= clock_.now()) return "stuck";
      clock_.move_to(wake);
    }
    complete_one();
  }
  for (const noted_request& request : requests_) {
    if (request.settled_times != 1) return "a request was not settled once";
    if (!request.is_free()) return "a settled request is not free";
  }
  if (line_.in_flight_cost() != 0) return "cost is left in flight";
  return {};
}
