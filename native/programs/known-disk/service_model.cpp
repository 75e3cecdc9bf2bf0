#include "service_model.hpp"

#include <algorithm>
#include <cmath>

namespace stallscope::known_disk {
namespace {

constexpr std::size_t quantiles = 256;

// Midpoints of equally likely parts of the distribution, scaled to the mean.
std::vector<std::uint64_t> exponential_times(std::uint64_t mean_ns) {
  std::vector<double> times(quantiles);
  double sum = 0;
  for (std::size_t at = 0; at < quantiles; ++at) {
    times[at] = -std::log1p(-(static_cast<double>(at) + 0.5) / quantiles);
    sum += times[at];
  }
  const double unit_ns = static_cast<double>(mean_ns) * quantiles / sum;
  std::vector<std::uint64_t> times_ns(quantiles);
  std::transform(times.begin(), times.end(), times_ns.begin(),
                 [unit_ns](double time) { return static_cast<std::uint64_t>(time * unit_ns); });
  return times_ns;
}

}  // namespace

service_model::service_model(const service_plan& plan)
    : plan_{plan}, random_{plan.seed}, times_{exponential_times(plan.service_ns)} {
  std::shuffle(times_.begin(), times_.end(), random_);
  for (unsigned server = 0; server < plan.servers; ++server) free_at_.push(0);
}

answer service_model::admit(std::uint64_t arrived_ns) {
  ++admitted_;
  const std::uint64_t start_ns = std::max(slice_start(arrived_ns), free_at_.top());
  const std::uint64_t due_ns = start_ns + service();
  free_at_.pop();
  free_at_.push(due_ns);
  const bool failed = (plan_.fail_every != 0 && admitted_ % plan_.fail_every == 0) ||
                      (plan_.fail_after != 0 && admitted_ > plan_.fail_after);
  return {due_ns, failed};
}

std::uint64_t service_model::slice_start(std::uint64_t arrived_ns) {
  if (plan_.slice_requests == 0) return arrived_ns;
  const std::uint64_t current = arrived_ns / plan_.slice_ns;
  if (current > slice_) {
    slice_ = current;
    slice_used_ = 0;
  } else if (slice_used_ == plan_.slice_requests) {
    ++slice_;
    slice_used_ = 0;
  }
  ++slice_used_;
  return std::max(arrived_ns, slice_ * plan_.slice_ns);
}

std::uint64_t service_model::service() {
  if ((plan_.slow_every != 0 && admitted_ % plan_.slow_every == 0) ||
      (plan_.slow_after != 0 && admitted_ > plan_.slow_after)) {
    return plan_.slow_service_ns;
  }
  if (!plan_.exponential) return plan_.service_ns;
  const std::size_t at = admitted_ % times_.size();
  if (at == 0) std::shuffle(times_.begin(), times_.end(), random_);
  return times_[at];
}

}  // namespace stallscope::known_disk
