#include "load/measurements.hpp"

#include <unistd.h>

#include <algorithm>

namespace stallscope::load {
namespace {

constexpr std::size_t max_kinds = 32;
constexpr std::size_t longest_kind = 32;
constexpr std::size_t spare_measurements = 3;

}  // namespace

void error_counts::add(std::string_view kind, std::uint64_t times) {
  if (times == 0) return;
  auto entry = kinds_.find(kind);
  if (entry == kinds_.end()) {
    entry = kinds_.try_emplace(kinds_.size() < max_kinds ? std::string(kind) : "other").first;
  }
  entry->second += times;
}

void error_counts::add(const error_counts& others) {
  for (const auto& [kind, times] : others.kinds_) add(kind, times);
}

std::uint64_t error_counts::total() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& [kind, times] : kinds_) sum += times;
  return sum;
}

std::string_view error_kind(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  const bool named =
      !word.empty() && word.size() <= longest_kind && std::ranges::all_of(word, [](char letter) {
        return (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
               letter == '_' || letter == '-';
      });
  return named ? word : "unnamed-error";
}

void measurements::record(const sent_request& request, std::uint64_t now_ns) {
  ++requests;
  intended.record(now_ns - request.intended_ns);
  service.record(now_ns - request.sent_ns);
  lag.record(request.sent_ns - request.intended_ns);
  own_lag.record(request.own_lag_ns);
}

void measurements::add(const measurements& other) {
  intended.add(other.intended);
  service.add(other.service);
  lag.add(other.lag);
  own_lag.add(other.own_lag);
  requests += other.requests;
  answered += other.answered;
  nil += other.nil;
  sent_bursts.add(other.sent_bursts);
  reply_bursts.add(other.reply_bursts);
  errors.add(other.errors);
}

void measurements::reset() {
  for (histogram::histogram* latencies : {&intended, &service, &lag, &own_lag}) latencies->reset();
  requests = answered = nil = 0;
  sent_bursts = reply_bursts = {};
  errors = {};
}

measurement_exchange::measurement_exchange(int notice) : notice_{notice} {
  for (std::size_t i = 0; i < spare_measurements; ++i) {
    empty_.push_back(std::make_unique<measurements>());
  }
}

std::unique_ptr<measurements> measurement_exchange::swap(std::unique_ptr<measurements> full,
                                                         unsigned second) {
  const std::scoped_lock lock(mutex_);
  if (empty_.empty()) return full;
  full_.push_back({second, std::move(full)});
  complete_to_ = second + 1;
  auto fresh = std::move(empty_.back());
  empty_.pop_back();
  notify();
  return fresh;
}

void measurement_exchange::finish(std::unique_ptr<measurements> full,
                                  const thread_account& account) {
  const std::scoped_lock lock(mutex_);
  full_.push_back({last_second, std::move(full)});
  complete_to_ = last_second;
  account_ = account;
  notify();
}

bool measurement_exchange::has(unsigned second) {
  const std::scoped_lock lock(mutex_);
  return complete_to_ > second;
}

void measurement_exchange::take(unsigned second, measurements& into) {
  std::unique_lock lock(mutex_);
  while (!full_.empty() && full_.front().second <= second) {
    auto values = std::move(full_.front().values);
    full_.pop_front();
    lock.unlock();  // adding and resetting takes longer than a loader thread may wait
    into.add(*values);
    values->reset();
    lock.lock();
    empty_.push_back(std::move(values));
  }
}

std::optional<thread_account> measurement_exchange::account() {
  const std::scoped_lock lock(mutex_);
  return account_;
}

void measurement_exchange::notify() const noexcept {
  const std::uint64_t increment = 1;
  // A full counter has already signalled the reporter.
  if (::write(notice_, &increment, sizeof increment) < 0) return;
}

}  // namespace stallscope::load
