#include "ioqueue/simulated_device.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <stdexcept>

namespace stallscope::ioqueue {

simulated_device::simulated_device(const simulated_settings& settings, virtual_time& clock)
    : settings_{settings}, clock_{clock}, random_{settings.seed} {
  if (settings.servers == 0 || settings.service.count() <= 0) {
    throw std::invalid_argument(
        "a simulated device needs at least one server and a positive service time");
  }
}

bool simulated_device::later(const ending& left, const ending& right) noexcept {
  if (left.when != right.when) return left.when > right.when;
  return left.sequence > right.sequence;
}

bool simulated_device::start(operation& operation) {
  if (busy_ < settings_.servers) {
    serve(operation);
  } else {
    waiting_.push_back(&operation);
  }
  return true;
}

void simulated_device::serve(operation& next) {
  ++busy_;
  push({clock_.now() + service_time(), sequence_++, &next,
        static_cast<std::int64_t>(next.piece.size_bytes)});
}

void simulated_device::push(const ending& added) {
  endings_.push_back(added);
  std::push_heap(endings_.begin(), endings_.end(), later);
}

void simulated_device::cancel(operation& operation) noexcept {
  const auto place = std::find(waiting_.begin(), waiting_.end(), &operation);
  if (place == waiting_.end()) return;
  waiting_.erase(place);
  push({clock_.now(), sequence_++, &operation, -ECANCELED});
}

std::chrono::nanoseconds simulated_device::next_event() const noexcept {
  return endings_.empty() ? never : endings_.front().when;
}

bool simulated_device::step() {
  if (endings_.empty()) return false;
  const ending ended = endings_.front();
  std::pop_heap(endings_.begin(), endings_.end(), later);
  endings_.pop_back();
  clock_.move_to(ended.when);
  if (ended.result >= 0) {
    --busy_;
    if (!waiting_.empty()) {
      ioqueue::operation& next = *waiting_.front();
      waiting_.pop_front();
      serve(next);
    }
  }
  ended.served->complete(ended.result);
  return true;
}

// By inversion, so that a seed gives the same numbers everywhere. 53 bits; never log(0).
std::chrono::nanoseconds simulated_device::service_time() {
  if (!settings_.exponential) return settings_.service;
  const double uniform = (static_cast<double>(random_() >> 11U) + 0.5) * 0x1p-53;
  const double drawn = -std::log(uniform) * static_cast<double>(settings_.service.count());
  return std::chrono::nanoseconds(std::max<std::int64_t>(1, std::llround(drawn)));
}

}  // namespace stallscope::ioqueue
