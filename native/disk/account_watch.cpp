#include "disk/account_watch.hpp"

#include "base/clock.hpp"
#include "base/run_delay.hpp"

namespace stallscope::disk {

void account_watch::begin() {
  if (punts_ != nullptr) punts_before_ = punts_->read();
  cpu_ns_ = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  run_delay_ns_ = thread_run_delay_ns();
  wall_ns_ = monotonic_ns();
}

void account_watch::end() {
  account_.wall_ns = monotonic_ns() - wall_ns_;
  account_.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns_;
  const auto delay_ns = thread_run_delay_ns();
  account_.run_delay_ns.reset();
  if (delay_ns && run_delay_ns_) account_.run_delay_ns = *delay_ns - *run_delay_ns_;
  if (!punts_before_) return;
  if (const auto now = punts_->read()) account_.punts = *now - *punts_before_;
}

}  // namespace stallscope::disk
