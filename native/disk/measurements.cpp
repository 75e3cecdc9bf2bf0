#include "disk/measurements.hpp"

#include <algorithm>

namespace stallscope::disk {

void latency_sum::add(const latency_sum& other) noexcept {
  count += other.count;
  total_ns += other.total_ns;
  min_ns = std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
}

std::uint64_t measurements::failed() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& [number, count] : errors) sum += count;
  return sum;
}

void measurements::add(const measurements& other) {
  for (auto half : {&measurements::reads, &measurements::writes}) {
    (this->*half).sum.add((other.*half).sum);
    (this->*half).values.add((other.*half).values);
  }
  split.requests += other.split.requests;
  split.queued_ns += other.split.queued_ns;
  split.submitting_ns += other.split.submitting_ns;
  split.device_ns += other.split.device_ns;
  for (const auto& [number, count] : other.errors) errors[number] += count;
  outstanding_ns += other.outstanding_ns;
  if (series.size() < other.series.size()) series.resize(other.series.size());
  for (std::size_t slice = 0; slice < other.series.size(); ++slice) {
    series[slice] += other.series[slice];
  }
  begin_ns = begin_ns == 0 ? other.begin_ns : std::min(begin_ns, other.begin_ns);
  end_ns = std::max(end_ns, other.end_ns);
  interrupted = interrupted || other.interrupted;
}

}  // namespace stallscope::disk
