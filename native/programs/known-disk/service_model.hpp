// Computes when the known disk completes requests: P servers behind a first-in first-out queue with
// a service time S, fixed or exponential, and planted faults. A request costs a heap operation. One
// thread.
//
// A late reply does not slow the servers: a server starts its next request when the previous one
// was due, not when its reply was written. Above depth P the throughput is exactly P/S. Exponential
// times are drawn without replacement from equally likely values, so that a short run has the
// correct mean.
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
  std::uint64_t fail_after = 0;  // all requests fail after N; 0: none
  std::uint64_t slow_every = 0;  // every Nth request takes slow_service_ns; 0: none
  std::uint64_t slow_after = 0;  // all requests are slow after N; 0: none
  std::uint64_t slow_service_ns = 0;
  std::uint64_t slice_requests = 0;  // rate limit: requests started per time slice
  std::uint64_t slice_ns = 0;
};

struct answer {
  std::uint64_t due_ns;
  bool failed;
};

class service_model {
 public:
  explicit service_model(const service_plan& plan);

  // Returns when the request that arrives now completes. Call it in order of arrival.
  [[nodiscard]] answer admit(std::uint64_t arrived_ns);

 private:
  [[nodiscard]] std::uint64_t slice_start(std::uint64_t arrived_ns);
  [[nodiscard]] std::uint64_t service();

  service_plan plan_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> times_;  // exponential, shuffled
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> free_at_;
  std::uint64_t admitted_ = 0;
  std::uint64_t slice_ = 0;
  std::uint64_t slice_used_ = 0;
};

}  // namespace stallscope::known_disk
