#include "collect/stack_probe.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "base/clock.hpp"
#include "collect/stack_choice.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t probe_hz = 997;
constexpr std::uint32_t probed_stack_bytes = 8192;
constexpr std::size_t probe_ring_bytes = std::size_t{1} << 20U;
constexpr std::size_t enough_samples = 64;  // per process
constexpr std::size_t max_samples = 2048;   // in total, some 17 MB
constexpr int between_drains_ms = 10;
constexpr std::size_t max_frames = 100;  // a chain of the kernel has at most 127 by default

// Returns whether the chain by frame pointers is whole. Returns nullopt without anything to compare
// it with: no user code (kernel threads, a thread that is ending), or mappings that were removed
// before they were read.
std::optional<bool> is_whole(const copied_sample& sample, process_code& code) {
  if (sample.registers_abi == PERF_SAMPLE_REGS_ABI_NONE) return std::nullopt;
  // A 32-bit process: only frame pointers are supported.
  if (sample.registers_abi == PERF_SAMPLE_REGS_ABI_32) return true;
  constexpr auto arch = this_architecture();
  const auto first = unwind::from_perf(arch, unwind::perf_mask(arch), sample.registers);
  const auto stack_pointer =
      arch == unwind::architecture::arm64 ? unwind::arm64::sp : unwind::x86_64::rsp;
  std::vector<unwind::frame> frames;
  const auto end = unwind::unwinder{arch}.walk(first, {first.at(stack_pointer), sample.stack}, code,
                                               frames, max_frames);
  if (code.take_unread()) return false;
  if (end == unwind::chain_end::unmapped && frames.size() <= 1) return std::nullopt;
  return covers(sample.user_chain, frames, end == unwind::chain_end::complete);
}

}  // namespace

perf_event_attr probe_attribute(bool user_only) {
  perf_events::sampling how;
  how.frequency_hz = probe_hz;
  how.wakeup_bytes = probe_ring_bytes / 4;
  how.user_only = user_only;
  how.inherit = false;
  how.build_ids = false;
  how.count_lost = false;
  auto attribute = perf_events::sampling_attribute(perf_events::cpu_clock(),
                                                   with_copies(how, probed_stack_bytes));
  attribute.exclude_callchain_user = 0;
  attribute.exclude_callchain_kernel = 1;
  attribute.mmap = attribute.mmap2 = attribute.mmap_data = 0;
  attribute.comm = attribute.comm_exec = attribute.task = 0;
  return attribute;
}

stack_probe::stack_probe(const perf_event_attr& attribute, std::span<const int> cpus,
                         const procfs& proc, table_store& tables)
    : register_count_{static_cast<std::size_t>(std::popcount(attribute.sample_regs_user))},
      rings_{perf_events::open_rings(cpus, probe_ring_bytes)},
      events_{{attribute}, rings_.rings},
      proc_{&proc},
      tables_{&tables} {}

int stack_probe::open_processes(std::span<const pid_t> pids, std::size_t max_descriptors) {
  target_pids_.insert(pids.begin(), pids.end());
  std::vector<pid_t> threads;
  for (const pid_t pid : pids) {
    const auto of_process = proc_->threads(pid);
    threads.insert(threads.end(), of_process.begin(), of_process.end());
  }
  const std::size_t max_threads = std::max<std::size_t>(1, max_descriptors / rings_.rings.size());
  if (threads.size() <= max_threads) return open_threads(threads);
  if (open_cpus(-1, 0) == 0) return 0;
  // It is unknown which threads are busy: take every nth.
  const std::size_t step = (threads.size() + max_threads - 1) / max_threads;
  std::vector<pid_t> selected;
  for (std::size_t i = 0; i < threads.size(); i += step) selected.push_back(threads[i]);
  return open_threads(selected);
}

int stack_probe::open_threads(std::span<const pid_t> threads) {
  int error = 0;
  for (const pid_t tid : threads) {
    for (std::uint32_t i = 0; i < rings_.rings.size(); ++i) {
      const int refusal = events_.open(tid, i);
      if (refusal != 0 && refusal != ESRCH) error = refusal;
      if (refusal != 0) break;
    }
  }
  return events_.open_count() != 0 ? 0 : error;
}

int stack_probe::open_cpus(pid_t pid, unsigned long flags) {
  for (std::uint32_t i = 0; i < rings_.rings.size(); ++i) {
    if (const int error = events_.open(pid, i, flags); error != 0) return error;
  }
  return 0;
}

void stack_probe::wait() const {
  std::vector<pollfd> polled;
  polled.reserve(rings_.rings.size());
  for (const auto& ring : rings_.rings) polled.push_back({ring.fd().get(), POLLIN, 0});
  ::poll(polled.data(), polled.size(), between_drains_ms);
}

void stack_probe::collect(std::size_t processes, std::uint64_t deadline_ns) {
  while (satisfied_ < processes && kept_ < max_samples && monotonic_ns() < deadline_ns) {
    wait();
    for (const auto& ring : rings_.rings) drain(ring.view());
  }
  events_.close_all();
}

void stack_probe::drain(const perf_events::ring_view& view) {
  const auto head = view.head();
  auto position = view.tail();
  while (position < head) {
    const perf_events::record_view record{view, position};
    if (record.size() < sizeof(perf_event_header) || record.end() > head) break;
    if (record.type() == PERF_RECORD_SAMPLE) keep(record, view);
    position = record.end();
  }
  view.release(head);
}

void stack_probe::keep(const perf_events::record_view& record, const perf_events::ring_view& view) {
  std::vector<std::byte> bytes;
  bytes.reserve(record.size());
  for (const auto piece : view.pieces(record.position(), record.end()))
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  auto sample = parse_copied_sample(bytes, register_count_);
  if (!sample || kept_ >= max_samples || sample->pid == ::getpid() ||
      (!target_pids_.empty() && !target_pids_.contains(sample->pid)))
    return;
  auto& of_process =
      processes_.try_emplace(sample->pid, *proc_, sample->pid, *tables_).first->second.samples;
  if (of_process.size() >= enough_samples) return;
  of_process.push_back(std::move(*sample));
  ++kept_;
  if (of_process.size() == enough_samples) ++satisfied_;
}

std::map<pid_t, probe_tally> stack_probe::judge(const time_limit& limit) {
  std::map<pid_t, probe_tally> tallies;
  for (auto& [pid, process] : processes_) {
    for (const auto& sample : process.samples) {
      if (limit.passed()) return tallies;
      const auto whole = is_whole(sample, process.code);
      if (!whole) continue;
      auto& tally = tallies[pid];
      tally.name = process.name;
      ++tally.samples;
      tally.whole += *whole ? 1 : 0;
    }
  }
  return tallies;
}

}  // namespace stallscope::collect
