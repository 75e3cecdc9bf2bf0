#include "collect/wait_recording.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iomanip>
#include <random>
#include <set>
#include <sstream>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/clock.hpp"
#include "collect/refusal.hpp"
#include "collect/thread_readings.hpp"

namespace stallscope::collect {
namespace {

// Kernel call chains double the cost of a switch, so only targets with few switches have them.
constexpr double max_rate_with_kernel_chains = 2'000;
constexpr auto rate_interval = std::chrono::milliseconds{30};
constexpr std::uint64_t between_wait_passes_ns = 100'000'000;
// Full rings wake the collector earlier.
constexpr std::uint64_t between_window_passes_ns = 250'000'000;
constexpr std::uint64_t between_totals_ns = 200'000'000;
constexpr std::uint64_t between_readings_ns = 20'000'000;
// If only the last seconds are kept, they begin with the first reading in them.
constexpr std::uint64_t between_last_totals_ns = 1'000'000'000;
// Of the memory for the last seconds, for the lines that later ones refer to.
constexpr std::size_t share_of_lines = 8;

// The CPU time of the target by its samples.
std::uint64_t run_ns_of(const recording_facts& facts) {
  if (facts.choice.event.counts_ns) return facts.counts.periods;
  const auto rate = facts.choice.how.frequency_hz;
  return facts.choice.how.period != 0 ? 0 : facts.counts.samples * 1'000'000'000 / rate;
}

wait_reading reading_of(const recording_facts& facts) {
  const auto& counts = facts.counts;
  return {.at_ns = monotonic_ns(),
          .switches = facts.waits.of_threads.empty() ? counts.switches / 2 : counts.switch_samples,
          .run_ns = run_ns_of(facts),
          .kept = counts.samples + counts.wait_samples + counts.switches,
          .lost = counts.lost_samples};
}

}  // namespace

wait_recording::wait_recording(opened_recording& opened)
    : opened_{&opened},
      names_{opened},
      log_{opened.files().directory().create(wait_log_name)},
      budget_{opened.facts().options.max_cost, 0, 1} {
  const auto& options = opened.facts().options;
  if (options.flight_s > 0) {
    kept_lines_.emplace(monotonic_ns(), options.flight_bytes / share_of_lines);
    log_.divert(&kept_lines_->blocks());
  }
  measure_rate();
  budget_ = {opened.facts().options.max_cost, cost_of_switch(opened.facts().waits),
             opened.rings().rings.size()};
  if (switches_per_s_) excess_at_start_ = budget_.excess_at(*switches_per_s_, run_share_);
  if (excess_at_start_) disable_all_switches();
  for (auto& warning : opened.facts().waits.warnings) opened.facts().warnings.push_back(warning);
}

void wait_recording::measure_rate() {
  auto& facts = opened_->facts();
  if (facts.options.kind != target_kind::process) return;
  const auto& proc = opened_->prepared().proc;
  const auto begin_ns = monotonic_ns();
  const auto before = runs_of(proc, facts.options.pids);
  std::this_thread::sleep_for(rate_interval);
  const auto after = runs_of(proc, facts.options.pids);
  const auto elapsed_s = static_cast<double>(monotonic_ns() - begin_ns) / 1e9;
  switches_per_s_ = static_cast<double>(after.runs - std::min(after.runs, before.runs)) / elapsed_s;
  // The run time of a thread that runs now is counted at its next tick or switch.
  run_share_ =
      static_cast<double>(after.run_ns - std::min(after.run_ns, before.run_ns)) / 1e9 / elapsed_s;
  if (*switches_per_s_ < max_rate_with_kernel_chains) return;
  for (auto* events : {&facts.waits.of_threads, &facts.waits.of_cpus}) {
    for (auto& event : *events) {
      if (event.role == wait_role::switch_samples) event.attribute.exclude_callchain_kernel = 1;
    }
  }
}

void wait_recording::disable_all_switches() {
  auto& waits = opened_->facts().waits;
  for (auto& event : waits.of_threads) event.attribute.disabled = 1;
  for (auto& event : waits.of_cpus) {
    if (event.role == wait_role::switches) event.attribute.disabled = 1;
  }
}

void wait_recording::open_cpu_events() {
  const auto& plan = opened_->facts().waits;
  if (plan.of_cpus.empty()) return;
  cpu_events_.emplace(plan.of_cpus, opened_->rings().rings);
  if (cpu_events_->error() != 0) {
    give_up_cpu_events(cpu_events_->error());
  } else if (!excess_at_start_) {
    // Members that join a running group start with it only when it is enabled again.
    cpu_events_->disable();
    cpu_events_->enable();
  }
}

void wait_recording::give_up_cpu_events(int error) {
  auto& facts = opened_->facts();
  cpu_events_.reset();
  facts.waits.of_cpus.clear();
  facts.waits.formats.points.clear();
  facts.warnings.push_back(
      {"waits-without-cpus",
       "the events of whole CPUs could be tried and not opened: perf_event_open returns " +
           error_text(error) +
           "; switches of the target are recorded, and neither wake-ups nor other threads"});
  for (auto& source : facts.waits.sources) {
    if (!source.available || source.name == "switches" || source.name == "switch_samples") continue;
    source = {source.name, false, "perf_event_open returns " + error_text(error),
              "raise the limit of open files (ulimit -n), and mount tracefs"};
  }
  if (facts.waits.of_threads.empty()) {
    facts.waits.switches_in_sampled_event = true;
    opened_->record_switches();
  } else {
    facts.waits.of_threads.front().attribute.context_switch = 1;
  }
}

void wait_recording::start(event_table& events, sieve* inner) {
  events_ = &events;
  const auto& facts = opened_->facts();
  std::unordered_map<std::uint64_t, bool> wait_ids;
  const auto add = [&wait_ids](const std::vector<std::uint64_t>& ids, wait_role role) {
    for (const auto id : ids) wait_ids.emplace(id, role == wait_role::switch_samples);
  };
  for (std::size_t i = 0; i < facts.waits.of_threads.size(); ++i)
    add(events.ids_of_companion(i), facts.waits.of_threads[i].role);
  for (std::size_t i = 0; cpu_events_ && i < facts.waits.of_cpus.size(); ++i) {
    const auto role = facts.waits.of_cpus[i].role;
    const auto& ids = cpu_events_->ids_of(i);
    if (role == wait_role::cpu_samples) {
      opened_->records().set_whole_cpu_events({ids.begin(), ids.end()});
    } else {
      add(ids, role);
    }
  }
  opened_->records().set_wait_events(std::move(wait_ids));
  auto& sieve = sieve_.emplace(inner);
  for (std::uint32_t i = 0; i < opened_->attributes().size(); ++i)
    sieve.add_known(events.ids_of(i));
  for (std::size_t i = 0; i < facts.waits.of_threads.size(); ++i)
    sieve.add_known(events.ids_of_companion(i));
  for (std::size_t i = 0; cpu_events_ && i < facts.waits.of_cpus.size(); ++i) {
    const auto role = facts.waits.of_cpus[i].role;
    sieve.add_known(cpu_events_->ids_of(i));
    if (role == wait_role::wake_ups) {
      sieve.add_wake_ups(cpu_events_->ids_of(i), facts.waits.formats.points.front().pid_offset);
    } else if (role == wait_role::switches) {
      sieve.add_events_of_all(cpu_events_->ids_of(i));
    } else {
      sieve.add_events_of_runner(cpu_events_->ids_of(i));
    }
  }
  for (const pid_t pid : facts.pids) sieve.add_process(pid);
  opened_->records().set_sieve(&sieve);
  // Threads created from now on are announced to the sieve; older ones are listed.
  for (const pid_t pid : facts.pids) {
    for (const pid_t tid : opened_->prepared().proc.threads(pid)) sieve.add_thread(tid);
  }
}

void wait_recording::pass() {
  auto& facts = opened_->facts();
  opened_->watch().wake_at(monotonic_ns() +
                           (limited_ ? between_window_passes_ns : between_wait_passes_ns));
  if (!limited_) {
    const auto excess = budget_.observe(reading_of(facts));
    if (excess) limit_cost(*excess);
  }
  if (windows_) windows_->set_pace(pace_->observe(monotonic_ns(), process_cpu_ns()));
  write_windows();
  if (cpu_events_) names_.pass();
  if (kept_lines_ && monotonic_ns() >= totals_read_ns_ + between_last_totals_ns) read_last_totals();
}

void wait_recording::read_last_totals() {
  totals_read_ns_ = monotonic_ns();
  for (const auto& cgroup : cgroups_) log_.append_cgroup("tick", cgroup);
  log_.append_cpus("tick");
}

file_entry wait_recording::write_kept_lines() {
  log_.divert(nullptr);
  log_.append_lines(kept_lines_->text());
  return log_.entry();
}

void wait_recording::write_windows() {
  std::string lines;
  if (ticks_) ticks_->pass(lines);
  if (!lines.empty()) log_.append_lines(lines);
  if (windows_) log_.append_windows(windows_->take());
}

double wait_recording::longest_window_ns(const wait_excess& excess) const {
  const auto& facts = opened_->facts();
  return collect::longest_window_ns(excess, facts.attach.ring_bytes,
                                    facts.options.wait_stack_bytes);
}

void wait_recording::limit_cost(wait_excess excess) {
  limited_ = true;
  excess.window_share = std::min(
      excess.window_share, longest_window_ns(excess) / static_cast<double>(excess.mean_period_ns));
  auto& facts = opened_->facts();
  events_->retire();
  const bool whole_cpus = cpu_events_.has_value();
  // If the rate was too high from the start, no switch has been recorded so far.
  const auto from_ns = excess_at_start_ ? facts.start_monotonic_ns : monotonic_ns();
  log_.append_mode(whole_cpus ? "windows" : "ticks", excess.switches_per_s, from_ns);
  ticks_.reset();
  ticks_.emplace(tick_settings{.proc = opened_->prepared().proc,
                               .pids = facts.pids,
                               .with_children = facts.options.kind == target_kind::command,
                               .cpu_share = excess.tick_share});
  const auto percent = [](double share) {
    std::ostringstream text;
    if (share < 0.1)
      text << std::setprecision(2) << share * 100;
    else
      text << std::lround(share * 100);
    text << " %";
    return text.str();
  };
  const std::string cause = std::to_string(static_cast<std::uint64_t>(excess.switches_per_s)) +
                            " switches per second would cost " + percent(excess.cost_share) +
                            " of the target's CPU time (limit: " + percent(facts.options.max_cost) +
                            ", --max-cost): ";
  if (whole_cpus) {
    start_windows(excess);
    facts.warnings.push_back(
        {"waits-in-windows", cause + "switches are recorded in random windows, which are " +
                                 percent(excess.window_share) + " of the time" +
                                 (excess.with_wake_ups ? "" : ", without wake-ups")});
    return;
  }
  facts.warnings.push_back({"waits-by-ticks", cause +
                                                  "only readings of /proc remain, because this "
                                                  "user may not trace whole CPUs; " +
                                                  privilege_remedy()});
}

void wait_recording::start_windows(const wait_excess& excess) {
  sieve_->filter_tasks();
  const auto open = excess.with_wake_ups ? between_windows::all : between_windows::all_but_wake_ups;
  const auto& events = opened_->facts().waits.of_cpus;
  // Switch records of whole CPUs cost time at each switch for a second after they are closed.
  const bool has_tracepoint = std::ranges::any_of(events, [](const wait_event& event) {
    return event.in_windows && event.role == wait_role::switches &&
           event.attribute.type == PERF_TYPE_TRACEPOINT;
  });
  const bool closed = excess.closed_between && has_tracepoint;
  // Only wake-ups show which threads a storm wakes in vain. The other windows have none if their
  // events are too expensive; this one costs no more than a short burst may.
  if (excess_at_start_ && !excess.with_wake_ups) {
    const auto length_ns = std::min(longest_window_ns(excess), burst_ns(excess));
    log_.append_windows(record_one_window(*cpu_events_, length_ns));
  }
  if (closed) sieve_->set_aliases(&cpu_events_->aliases());
  cpu_events_->start_windows(closed ? between_windows::none : open);
  pace_.emplace(excess.own_share);
  windows_.emplace(*cpu_events_, window_schedule{excess.window_share, excess.mean_period_ns,
                                                 std::random_device{}()});
}

void wait_recording::write_names_of_others() {
  if (cpu_events_) names_.write_all();
}

void wait_recording::read_target(const std::string& moment) {
  if (moment == "start") {
    log_sources();
    if (!excess_at_start_)
      log_.append_mode("all", switches_per_s_.value_or(0), opened_->facts().attach.opened_ns);
    if (excess_at_start_) limit_cost(*excess_at_start_);
    if (!excess_at_start_) read_totals();
  }
  auto& prepared = opened_->prepared();
  for (const pid_t pid : opened_->facts().pids) {
    const auto append = [this](std::span<const std::byte> lines) {
      log_.append_lines({reinterpret_cast<const char*>(lines.data()), lines.size()});
    };
    prepared.targets->write_readings(pid, moment, append, [this] { opened_->records().relieve(); });
    const auto cgroup =
        cpu_cgroup_of(read_text(prepared.proc.root() / std::to_string(pid) / "cgroup", 1 << 16));
    if (!cgroup.empty()) cgroups_.insert(cgroup);
  }
  for (const auto& cgroup : cgroups_) log_.append_cgroup(moment, cgroup);
  log_.append_cpus(moment);
}

// The threads of a command start and end within the recording; only readings meanwhile show their
// CPU time as the scheduler counts it. Without registers at switches, readings show why threads
// wait, if they wait for long.
void wait_recording::read_totals() {
  const auto& facts = opened_->facts();
  const bool is_command = facts.options.kind == target_kind::command;
  const bool has_registers = !facts.waits.of_threads.empty();
  if (!is_command && has_registers && !kept_lines_) return;
  auto interval_ns = has_registers ? between_totals_ns : between_readings_ns;
  if (kept_lines_ && has_registers && !is_command) interval_ns = between_last_totals_ns;
  ticks_.emplace(tick_settings{.proc = opened_->prepared().proc,
                               .pids = facts.pids,
                               .with_children = is_command,
                               .least_interval_ns = interval_ns});
}

void wait_recording::log_sources() {
  for (const auto& source : opened_->facts().waits.sources) log_.append_source(source);
}

void wait_recording::finish() {
  if (windows_) windows_->stop();
  write_windows();
  ticks_.reset();
  if (cpu_events_) cpu_events_->disable();
  if (sieve_ && sieve_->unknown_samples() != 0) {
    opened_->facts().warnings.push_back(
        {"switches-of-others",
         "another program samples context switches at the same time, and the kernel mixes up their "
         "identifiers: " +
             std::to_string(sieve_->unknown_samples()) + " samples are left out"});
  }
  read_target("end");
  write_names_of_others();
  opened_->facts().files.push_back(log_.entry());
}

}  // namespace stallscope::collect
