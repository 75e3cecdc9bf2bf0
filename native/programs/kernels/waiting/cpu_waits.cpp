#include "kernels/waiting/cpu_waits.hpp"

#include <unistd.h>

#include <optional>
#include <system_error>

#include "kernels/pinning.hpp"
#include "kernels/waiting/child_process.hpp"
#include "kernels/waiting/cpu_cgroup.hpp"
#include "kernels/waiting/waiting_kernel.hpp"

namespace stallscope::kernels {
namespace {

// All threads compute 5 ms and sleep 1 ms; with more threads than CPUs they wait for a CPU. The
// look-alike sleeps as often and computes 0.1 ms.
class oversubscribed_kernel : public waiting_kernel {
 public:
  explicit oversubscribed_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads), look_alike_(setting.look_alike) {}

 private:
  bool iterate(unsigned thread, const std::atomic<bool>&) override {
    compute_for(look_alike_ ? 100 * us : 5 * ms);
    pause_for(look_alike_ ? 5 * ms : ms, times(thread));
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned) const override { return "worker"; }

  bool look_alike_;
};

// A process that computes without pause on one CPU.
class busy_process {
 public:
  explicit busy_process(int cpu)
      : process_("neighbour", [cpu] {
          pin_to(cpu);
          for (;;) compute_for(10 * ms);
        }) {}

  // Moves the process to its own cgroup, if this process may make one.
  void separate() {
    try {
      group_.emplace("stallscope-neighbour");
      group_->add(process_.pid());
    } catch (const std::system_error&) {
      group_.reset();
    }
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const {
    return {{"neighbour_pid", static_cast<std::uint64_t>(process_.pid())},
            {"neighbour_cgroup", group_ ? group_->path() : std::string()}};
  }
  [[nodiscard]] std::uint64_t cpu_ns() const noexcept { return process_.cpu_ns(); }

 private:
  std::optional<cpu_cgroup> group_;  // outlives the process
  child_process process_;
};

// A thread on the first CPU that computes 5 ms and sleeps 1 ms, beside a process that never sleeps
// on the same CPU, in another cgroup if possible. In the look-alike the process runs on the last
// CPU.
class busy_neighbour_kernel : public waiting_kernel {
 public:
  explicit busy_neighbour_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads),
        cpus_(allowed_cpus()),
        neighbour_(setting.look_alike ? cpus_.back() : cpus_.front()) {
    neighbour_.separate();
  }

  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return neighbour_.parameters();
  }
  [[nodiscard]] std::vector<kernel_parameter> account() const override {
    return {{"neighbour_cpu_ns", neighbour_.cpu_ns()}};
  }

 private:
  bool iterate(unsigned thread, const std::atomic<bool>&) override {
    if (cpus_.size() > 1 && allowed_cpus().size() == cpus_.size()) pin_to(cpus_.front());
    compute_for(5 * ms);
    pause_for(ms, times(thread));
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned) const override { return "worker"; }

  std::vector<int> cpus_;
  busy_process neighbour_;
};

// A thread that computes without pause in a cgroup with a quota of 20 of 100 ms. The look-alike has
// no quota: a process that computes on the same CPU takes its time.
class cgroup_throttled_kernel : public waiting_kernel {
 public:
  explicit cgroup_throttled_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads), cpus_(allowed_cpus()) {
    if (setting.look_alike) {
      neighbour_.emplace(cpus_.front());
    } else if (!setting.cured) {
      group_.emplace("stallscope-kernels");
      group_->set_quota(quota_us, period_us);
      group_->add(getpid());
    }
  }

  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    if (neighbour_) return neighbour_->parameters();
    if (!group_) return {};
    return {{"cgroup", group_->path()}};
  }
  [[nodiscard]] std::vector<kernel_parameter> account() const override {
    if (!group_) return {};
    return {{"throttled_ns", group_->throttled_ns()}};
  }

 private:
  static constexpr unsigned quota_us = 20'000;
  static constexpr unsigned period_us = 100'000;

  bool iterate(unsigned thread, const std::atomic<bool>&) override {
    if (cpus_.size() > 1 && allowed_cpus().size() == cpus_.size()) pin_to(cpus_.front());
    compute_for(5 * ms);
    if (group_) times(thread).set_throttled_ns(group_->throttled_ns());
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned) const override { return "spinner"; }

  std::vector<int> cpus_;
  std::optional<cpu_cgroup> group_;
  std::optional<busy_process> neighbour_;
};

}  // namespace

std::unique_ptr<kernel_base> make_oversubscribed(const kernel_settings& setting) {
  return std::make_unique<oversubscribed_kernel>(setting);
}

std::unique_ptr<kernel_base> make_busy_neighbour(const kernel_settings& setting) {
  return std::make_unique<busy_neighbour_kernel>(setting);
}

std::unique_ptr<kernel_base> make_cgroup_throttled(const kernel_settings& setting) {
  return std::make_unique<cgroup_throttled_kernel>(setting);
}

}  // namespace stallscope::kernels
