#include "collect/wait_events.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <string_view>

#include "base/procfs.hpp"
#include "collect/refusal.hpp"
#include "collect/stack_choice.hpp"
#include "collect/wait_budget.hpp"

namespace stallscope::collect {
namespace {

constexpr std::array wait_tracefs_mounts{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
// In the flags of a tracepoint: the code runs in a hard interrupt (8) or a soft interrupt (16).
constexpr const char* in_interrupt = "common_flags & 24";
constexpr const char* in_task = "!(common_flags & 24)";
// The reader of captures recognises the samples by this name.
constexpr const char* waker_stacks_name = "sched:waker_stacks";
// Stacks of wake-ups per second and CPU: 3 us and 4 KiB each.
constexpr std::uint64_t waker_stacks_per_s = 997;

// The attribute of an event that samples every occurrence, without call chains.
perf_event_attr every_occurrence(const event_choice& choice, std::uint32_t type,
                                 std::uint64_t config) {
  perf_events::event_spec event;
  event.type = type;
  event.config = config;
  auto how = choice.how;
  how.period = 1;
  how.stack_bytes = 0;
  how.user_only = false;
  how.read_group = false;
  how.wake_per_sample = false;
  auto attribute = perf_events::sampling_attribute(event, how);
  // Only the sampled event announces mappings, names and threads.
  attribute.mmap = attribute.mmap2 = attribute.build_id = 0;
  attribute.comm = attribute.comm_exec = attribute.task = 0;
  attribute.exclude_callchain_kernel = attribute.exclude_callchain_user = 1;
  return attribute;
}

void add_user_stack(perf_event_attr& attribute, const collect_options& options) {
  attribute.sample_type |= PERF_SAMPLE_REGS_USER;
  attribute.sample_regs_user = unwind::perf_mask(this_architecture());
  if (options.stacks == stack_method::frame_pointers) {
    attribute.exclude_callchain_user = 0;
  } else if (options.wait_stack_bytes != 0) {
    attribute.sample_type |= PERF_SAMPLE_STACK_USER;
    attribute.sample_stack_user = options.wait_stack_bytes;
  }
}

perf_event_attr switch_sample_attribute(const event_choice& choice,
                                        const collect_options& options) {
  auto attribute = every_occurrence(choice, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
  attribute.exclude_callchain_kernel = options.wait_kernel_chains ? 0 : 1;
  add_user_stack(attribute, options);
  return attribute;
}

// Events of whole CPUs start when they are opened and are not inherited.
void apply_to_cpus(perf_event_attr& attribute) {
  attribute.inherit = 0;
  attribute.disabled = 0;
  attribute.enable_on_exec = 0;
}

int try_wait_event(perf_event_attr attribute, pid_t pid, int cpu) {
  attribute.disabled = 1;
  return perf_events::open_event(attribute, {pid, cpu}).error;
}

wait_source refused_source(const std::string& name, int error) {
  return {name, false, "perf_event_open returns " + error_text(error) + " " + denial(),
          error == EACCES || error == EPERM ? privilege_remedy()
                                            : "this kernel does not have the event"};
}

class wait_chooser {
 public:
  wait_chooser(const event_choice& choice, const collect_options& options,
               std::span<const char* const> mounts)
      : choice_{&choice}, options_{&options}, mounts_{mounts}, cpu_{place_of_trials(options).cpu} {}

  wait_plan choose() {
    plan_.active = true;
    const bool whole_cpus = choose_cpu_switches();
    choose_switch_samples(whole_cpus);
    choose_wake_ups(whole_cpus);
    choose_lock_contention(whole_cpus);
    if (whole_cpus) choose_window_events();
    warn();
    return std::move(plan_);
  }

 private:
  // Returns whether this user may trace whole CPUs.
  bool choose_cpu_switches() {
    auto attribute = every_occurrence(*choice_, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
    apply_to_cpus(attribute);
    // Names of all processes would come with their forks and exits, which attaching takes for those
    // of the target.
    attribute.context_switch = 1;
    const int error = try_wait_event(attribute, -1, cpu_);
    if (error == 0) {
      plan_.of_cpus.push_back({wait_role::switches, "switches", attribute});
      plan_.sources.push_back({"switches_of_cpus", true});
    } else {
      plan_.sources.push_back(refused_source("switches_of_cpus", error));
    }
    return error == 0;
  }

  void choose_switch_samples(bool whole_cpus) {
    auto attribute = switch_sample_attribute(*choice_, *options_);
    // One event per thread records its switches, none if the events of whole CPUs do.
    attribute.context_switch = whole_cpus ? 0 : 1;
    int error =
        options_->scope == privilege_scope::user ? EACCES : try_wait_event(attribute, 0, cpu_);
    if (error == EINVAL && attribute.sample_stack_user != 0) {
      attribute.sample_type &= ~static_cast<std::uint64_t>(PERF_SAMPLE_STACK_USER);
      attribute.sample_stack_user = 0;
      error = try_wait_event(attribute, 0, cpu_);
    }
    if (error == 0) {
      plan_.of_threads.push_back({wait_role::switch_samples, "context-switches", attribute});
      plan_.sources.push_back({"switch_samples", true});
    } else {
      // With exclude_kernel the event opens but never samples: switches happen in the kernel.
      plan_.sources.push_back(refused_source("switch_samples", error));
      plan_.switches_in_sampled_event = !whole_cpus;
    }
    plan_.sources.push_back({"switches", true});
  }

  // Returns the tracepoint; nullptr, with an entry in the sources, if it cannot be used.
  const tracepoint* find(const std::string& source, const char* system, const char* name,
                         bool whole_cpus) {
    if (!whole_cpus) {
      plan_.sources.push_back({source, false, "it needs the right to trace whole CPUs",
                               "run as root, or with CAP_PERFMON and a readable tracefs"});
      return nullptr;
    }
    auto point = find_tracepoint(mounts_, system, name);
    if (point.id == 0) {
      const bool mounted = !read_text(std::string{mounts_.front()} + "/tracing_on", 8).empty() ||
                           !read_text(std::string{mounts_.back()} + "/tracing_on", 8).empty();
      plan_.sources.push_back(
          {source, false,
           mounted ? std::string{"this kernel has no tracepoint "} + system + ":" + name
                   : "tracefs is not mounted, or this user may not read it",
           mounted ? "use a kernel with this tracepoint"
                   : "mount it (mount -t tracefs none /sys/kernel/tracing) and run as root"});
      return nullptr;
    }
    if (plan_.formats.points.empty()) read_headers();
    plan_.formats.points.push_back(std::move(point));
    return &plan_.formats.points.back();
  }

  void read_headers() {
    for (const char* mount : mounts_) {
      const auto events = std::string{mount} + "/events/";
      plan_.formats.header_page = read_text(events + "header_page", 1 << 14);
      plan_.formats.header_event = read_text(events + "header_event", 1 << 14);
      if (!plan_.formats.header_page.empty()) return;
    }
  }

  perf_event_attr tracepoint_attribute(const tracepoint& point) const {
    auto attribute = every_occurrence(*choice_, PERF_TYPE_TRACEPOINT, point.id);
    apply_to_cpus(attribute);
    attribute.sample_type |= PERF_SAMPLE_RAW;
    return attribute;
  }

  void add_tracepoint(const std::string& source, wait_role role, const tracepoint& point,
                      std::span<const wait_event> events) {
    if (const int error = try_wait_event(events.front().attribute, -1, cpu_); error != 0) {
      plan_.sources.push_back(refused_source(source, error));
      plan_.formats.points.pop_back();
      return;
    }
    for (const auto& event : events) {
      plan_.of_cpus.push_back(event);
      plan_.of_cpus.back().role = role;
      plan_.of_cpus.back().name = point.system + ":" + point.name;
    }
    plan_.sources.push_back({source, true});
  }

  void choose_wake_ups(bool whole_cpus) {
    const auto* point = find("sched_waking", "sched", "sched_waking", whole_cpus);
    if (point == nullptr) return;
    // In an interrupt the running thread is a bystander, and the kernel's call chain names the
    // cause.
    wait_event from_interrupt{wait_role::wake_ups, "", tracepoint_attribute(*point), in_interrupt};
    from_interrupt.attribute.exclude_callchain_kernel = 0;
    const wait_event from_task{wait_role::wake_ups, "", tracepoint_attribute(*point), in_task};
    add_tracepoint("sched_waking", wait_role::wake_ups, *point,
                   std::array{from_interrupt, from_task});
    if (plan_.sources.back().available) choose_waker_stacks(*point);
  }

  // The stacks of all wake-ups would cost the target as much as those of all switches.
  void choose_waker_stacks(const tracepoint& point) {
    wait_event event{wait_role::waker_stacks, waker_stacks_name, tracepoint_attribute(point),
                     in_task};
    event.attribute.freq = 1;
    event.attribute.sample_freq = waker_stacks_per_s;
    event.attribute.exclude_callchain_kernel = 0;
    add_user_stack(event.attribute, *options_);
    if (const int error = try_wait_event(event.attribute, -1, cpu_); error != 0) {
      plan_.sources.push_back(refused_source("waker_stacks", error));
      return;
    }
    plan_.of_cpus.push_back(std::move(event));
    plan_.sources.push_back({"waker_stacks", true});
  }

  void choose_lock_contention(bool whole_cpus) {
    for (const char* name : {"contention_begin", "contention_end"}) {
      const std::string source = std::string{"lock_"} + name;
      const auto* point = find(source, "lock", name, whole_cpus);
      if (point == nullptr) continue;
      wait_event event{wait_role::lock_contention, "", tracepoint_attribute(*point)};
      event.attribute.exclude_callchain_kernel = std::string_view{name} == "contention_end" ? 1 : 0;
      add_tracepoint(source, wait_role::lock_contention, *point, std::array{event});
    }
  }

  // These replace the events of threads and those that record every switch, which cost time at each
  // switch even if they are disabled. The first one leads the group of a CPU. Stacks of wakers
  // would cost as much as the rest of a window.
  void choose_window_events() {
    auto events = plan_.of_threads;
    std::copy_if(plan_.of_cpus.begin(), plan_.of_cpus.end(), std::back_inserter(events),
                 [](const wait_event& event) {
                   return event.role == wait_role::wake_ups ||
                          event.role == wait_role::lock_contention;
                 });
    plan_.of_cpus.push_back(switches_of_windows());
    for (auto& event : events) {
      apply_to_cpus(event.attribute);
      event.in_windows = true;
      plan_.of_cpus.push_back(event);
    }
    choose_cpu_samples();
  }

  // An event with PERF_RECORD_SWITCH costs 100 ns per switch while it is disabled, a disabled
  // tracepoint 20 ns.
  wait_event switches_of_windows() {
    auto event = plan_.of_cpus.front();
    auto point = find_tracepoint(mounts_, "sched", "sched_switch");
    if (point.id != 0) {
      if (plan_.formats.points.empty()) read_headers();
      const auto attribute = tracepoint_attribute(point);
      if (try_wait_event(attribute, -1, cpu_) == 0) {
        event = {wait_role::switches, "sched:sched_switch", attribute};
        plan_.formats.points.push_back(std::move(point));
      }
    }
    event.attribute.disabled = 1;
    event.in_windows = true;
    return event;
  }

  void choose_cpu_samples() {
    auto how = choice_->how;
    how.inherit = false;
    how.enable_on_exec = false;
    how.read_group = false;
    if (how.period == 0)
      how.frequency_hz = std::min(how.frequency_hz, most_samples_per_s(options_->max_cost));
    wait_event samples{wait_role::cpu_samples, choice_->event.name,
                       perf_events::sampling_attribute(choice_->event, how)};
    samples.attribute.disabled = 1;
    samples.attribute.exclude_idle = 1;
    samples.in_windows = true;
    plan_.of_cpus.push_back(samples);
  }

  void warn() {
    for (const auto& source : plan_.sources) {
      if (source.available) continue;
      plan_.warnings.push_back(
          {"waits-without-" + source.name, "waits are recorded without " + source.name + ": " +
                                               source.reason + "; " + source.remedy});
    }
  }

  const event_choice* choice_;
  const collect_options* options_;
  std::span<const char* const> mounts_;
  int cpu_;
  wait_plan plan_;
};

}  // namespace

std::span<const char* const> tracefs_mounts() { return wait_tracefs_mounts; }

tracepoint parse_format(const std::string& text) {
  tracepoint point;
  point.format = text;
  const auto number_after = [&text](std::string_view key, std::size_t from) -> std::uint64_t {
    const auto place = text.find(key, from);
    if (place == std::string::npos) return 0;
    std::uint64_t value = 0;
    const char* begin = text.data() + place + key.size();
    while (begin < text.data() + text.size() && *begin == ' ') ++begin;
    std::from_chars(begin, text.data() + text.size(), value);
    return value;
  };
  point.id = number_after("ID:", 0);
  const auto field = text.find("field:pid_t pid;");
  if (field != std::string::npos)
    point.pid_offset = static_cast<std::uint32_t>(number_after("offset:", field));
  return point;
}

tracepoint find_tracepoint(std::span<const char* const> mounts, const std::string& system,
                           const std::string& name) {
  for (const char* mount : mounts) {
    std::string path{mount};
    path.append("/events/").append(system).append("/").append(name).append("/format");
    const auto text = read_text(path, 1 << 16);
    if (text.empty()) continue;
    auto point = parse_format(text);
    point.system = system;
    point.name = name;
    if (point.id != 0) return point;
  }
  return {};
}

wait_plan choose_wait_events(const event_choice& choice, const collect_options& options,
                             std::span<const char* const> mounts) {
  if (!options.waits) return {};
  return wait_chooser{choice, options, mounts}.choose();
}

}  // namespace stallscope::collect
