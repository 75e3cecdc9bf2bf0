// When the known disk answers: P servers behind one queue, in the order of arrival, each request
// taking a service time S, fixed or exponential; and what is planted beside that. A request costs
// a heap operation; owned by one thread.
//
// Answering late does not slow the servers down: each begins its next request when the one before
// was due, not when its answer was written. Beyond depth P the throughput is P/S, exactly.
// Exponential times are drawn without putting back from equally likely ones, so that a short run
// has the mean it should.
#pragma once

#include <cstdint>
#include <queue>
#include <random>
#include <vector>

namespace stallscope::known_disk {

struct service_plan {
  unsigned servers = 8;
  std::uint64_t service_ns = 2'000'000;
  bool exponential = false;
  std::uint64_t seed = 1;
  std::uint64_t fail_every = 0;  // every Nth request fails; 0: none
  std::uint64_t fail_after = 0;  // all fail after so many; 0: none
  std::uint64_t slow_every = 0;  // every Nth takes slow_service_ns; 0: none
  std::uint64_t slow_after = 0;  // all take it after so many; 0: none
  std::uint64_t slow_service_ns = 0;
  std::uint64_t slice_requests = 0;  // so many begin in a slice of time, as a rate limiter has it
  std::uint64_t slice_ns = 0;
};

struct answer {
  std::uint64_t due_ns;
  bool failed;
};

class service_model {
 public:
  explicit service_model(const service_plan& plan);

  // The answer to a request that arrived now; arrivals are given in order.
  [[nodiscard]] answer admit(std::uint64_t arrived_ns);

 private:
  [[nodiscard]] std::uint64_t slice_start(std::uint64_t arrived_ns);
  [[nodiscard]] std::uint64_t service();

  service_plan plan_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> times_;  // exponential, in an order of chance
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> free_at_;
  std::uint64_t admitted_ = 0;
  std::uint64_t slice_ = 0;
  std::uint64_t slice_used_ = 0;
};

}  // namespace stallscope::known_disk
