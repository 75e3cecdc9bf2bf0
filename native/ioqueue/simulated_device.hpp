// A device whose answers are known: so many servers, each busy with one operation for the service
// time, and one line in front of them. In virtual time, so that nothing is waited for and nothing
// disturbs it: at depth N it does min(N, servers) / service operations a second, and with a fixed
// service time its knee is exactly at `servers`. Some 0.1 us an operation; one thread.
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
  std::chrono::nanoseconds service = std::chrono::milliseconds{1};  // the mean of exponential ones
  bool exponential = false;
  std::uint64_t seed = 1;
};

class simulated_device final : public device {
 public:
  static constexpr std::chrono::nanoseconds never = std::chrono::nanoseconds::max();

  // The clock outlives it. Throws std::invalid_argument where there is no server or no service
  // time.
  simulated_device(const simulated_settings& settings, virtual_time& clock);

  [[nodiscard]] bool start(operation& begun) override;
  // One in line ends at the next step(), one being served when it is served.
  void cancel(operation& unwanted) noexcept override;

  // When the next operation completes; never: nothing is in flight.
  [[nodiscard]] std::chrono::nanoseconds next_event() const noexcept;
  // Moves the clock there and completes it: false where there is none.
  bool step();

  [[nodiscard]] std::size_t in_line() const noexcept { return line_.size(); }

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
  std::deque<operation*> line_;
};

}  // namespace stallscope::ioqueue
