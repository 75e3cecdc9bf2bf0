#include "collect/wait_recording.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "collect/refusal.hpp"
#include "collect/thread_readings.hpp"

namespace stallscope::collect {
namespace {

// The names of more threads would delay the start of the recording.
constexpr std::size_t max_names_of_others = 8'192;
constexpr std::size_t names_at_once = 256;

}  // namespace

wait_recording::wait_recording(opened_recording& opened)
    : opened_{&opened}, log_{opened.files().directory().create(wait_log_name)} {
  for (auto& warning : opened.facts().waits.warnings) opened.facts().warnings.push_back(warning);
}

void wait_recording::open_cpu_events() {
  const auto& plan = opened_->facts().waits;
  if (plan.of_cpus.empty()) return;
  cpu_events_.emplace(plan.of_cpus, opened_->rings().rings);
  if (cpu_events_->error() != 0) give_up_cpu_events(cpu_events_->error());
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

void wait_recording::start(const event_table& events, sieve* inner) {
  const auto& facts = opened_->facts();
  std::unordered_set<std::uint64_t> wait_ids;
  const auto add = [&wait_ids](const std::vector<std::uint64_t>& ids) {
    wait_ids.insert(ids.begin(), ids.end());
  };
  for (std::size_t i = 0; i < facts.waits.of_threads.size(); ++i) add(events.ids_of_companion(i));
  for (std::size_t i = 0; cpu_events_ && i < facts.waits.of_cpus.size(); ++i)
    add(cpu_events_->ids_of(i));
  opened_->records().set_wait_events(std::move(wait_ids));
  if (!cpu_events_) return;
  auto& sieve = sieve_.emplace(inner);
  for (std::size_t i = 0; i < facts.waits.of_cpus.size(); ++i) {
    const auto role = facts.waits.of_cpus[i].role;
    if (role == wait_role::lock_contention) sieve.add_events_of_runner(cpu_events_->ids_of(i));
    if (role == wait_role::wake_ups)
      sieve.add_wake_ups(cpu_events_->ids_of(i), facts.waits.formats.points.front().pid_offset);
  }
  for (const pid_t pid : facts.pids) sieve.add_process(pid);
  opened_->records().set_sieve(&sieve);
  // Threads created from now on are announced to the sieve; older ones are listed.
  for (const pid_t pid : facts.pids) {
    for (const pid_t tid : opened_->prepared().proc.threads(pid)) sieve.add_thread(tid);
  }
}

void wait_recording::write_names_of_others() {
  if (!cpu_events_) return;
  const auto& proc = opened_->prepared().proc;
  const auto& pids = opened_->facts().pids;
  record_buffer names;
  std::size_t count = 0;
  put_comm(names, {0, 0}, "swapper");
  for (const pid_t pid : proc.processes()) {
    if (std::find(pids.begin(), pids.end(), pid) != pids.end()) continue;
    for (const pid_t tid : proc.threads(pid)) {
      if (++count > max_names_of_others) break;
      put_comm(names, {pid, tid}, proc.thread_name(pid, tid));
      if (count % names_at_once == 0) opened_->records().relieve();
    }
  }
  opened_->files().samples().append(names.bytes());
}

void wait_recording::read_target(const std::string& moment) {
  if (moment == "start") log_sources();
  std::set<std::string> cgroups;
  auto& prepared = opened_->prepared();
  for (const pid_t pid : opened_->facts().pids) {
    const auto append = [this](std::span<const std::byte> lines) {
      log_.append_lines({reinterpret_cast<const char*>(lines.data()), lines.size()});
    };
    prepared.targets->write_readings(pid, moment, append, [this] { opened_->records().relieve(); });
    cgroups.insert(
        cpu_cgroup_of(read_text(prepared.proc.root() / std::to_string(pid) / "cgroup", 1 << 16)));
  }
  for (const auto& cgroup : cgroups) {
    if (!cgroup.empty()) log_.append_cgroup(moment, cgroup);
  }
  log_.append_cpus(moment);
}

void wait_recording::log_sources() {
  for (const auto& source : opened_->facts().waits.sources) log_.append_source(source);
}

void wait_recording::finish() {
  if (cpu_events_) cpu_events_->disable();
  read_target("end");
  opened_->facts().files.push_back(log_.entry());
}

}  // namespace stallscope::collect
