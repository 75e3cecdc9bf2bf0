// A device with known answers: N servers, each of which serves one operation for the service time,
// behind one waiting line. It runs in virtual time, without waiting and without disturbance: at
// depth D it completes min(D, servers) / service operations per second, and with a fixed service
// time its knee is exactly at `servers`. Some 0.1 us per operation. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "ioqueue/device.hpp"
#include "ioqueue/time_source.hpp"

namespace stallscope::ioqueue {

struct simulated_settings {
  std::uint32_t servers = 1;
  std::chrono::nanoseconds service = std::chrono::milliseconds{1};  // mean, if exponential
  bool exponential = false;
  std::uint64_t seed = 1;
};

class simulated_device final : public device {
 public:
  static constexpr std::chrono::nanoseconds never = std::chrono::nanoseconds::max();

  // The clock must outlive the device. Throws std::invalid_argument without a server or a service
  // time.
  simulated_device(const simulated_settings& settings, virtual_time& clock);

  [[nodiscard]] bool start(operation& operation) override;
  // A waiting operation ends at the next step(); one in service completes normally.
  void cancel(operation& operation) noexcept override;

  // When the next operation completes; `never` if nothing is in flight.
  [[nodiscard]] std::chrono::nanoseconds next_event() const noexcept;
  // Moves the clock to the next completion and completes it; false if there is none.
  bool step();

  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

 private:
  struct ending {
    std::chrono::nanoseconds when;
    std::uint64_t sequence;
    operation* served;
    std::int64_t result;
  };
  [[nodiscard]] static bool later(const ending& left, const ending& right) noexcept;
  void serve(operation& next);
  void push(const ending& added);
  [[nodiscard]] std::chrono::nanoseconds service_time();

  simulated_settings settings_;
  virtual_time& clock_;
  std::mt19937_64 random_;
  std::uint64_t sequence_ = 0;
  std::uint32_t busy_ = 0;
  std::vector<ending> endings_;  // a heap
  std::deque<operation*> waiting_;
};

}  // namespace stallscope::ioqueue
