#include "capture/timeline.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "capture/address_spaces.hpp"
#include "capture/resolver.hpp"
#include "capture/stack_walker.hpp"
#include "capture/time_order.hpp"

namespace stallscope::capture {
namespace {

// Returns the samples' positions in the file, sorted by time.
column<std::uint32_t> sort_samples(sample_columns& samples, memory_budget& budget) {
  column<std::uint32_t> order = time_order(samples.time_ns, budget);
  if (std::is_sorted(order.values().begin(), order.values().end())) {
    return order;
  }
  reorder(samples.time_ns, order, budget);
  reorder(samples.period, order, budget);
  reorder(samples.thread, order, budget);
  reorder(samples.stack, order, budget);
  reorder(samples.cpu, order, budget);
  reorder(samples.event, order, budget);
  for (column<std::uint32_t>* rows :
       {&samples.read, &samples.access, &samples.register_row, &samples.raw}) {
    if (rows->size() != 0) {
      reorder(*rows, order, budget);
    }
  }
  return order;
}

// Follows the processes: their threads, names and mappings.
class process_state {
 public:
  process_state(first_pass& parsed, memory_budget& budget, const read_options& options)
      : parsed_(parsed), spaces_(budget, options.copied_mappings_limit) {}

  void apply(const sideband_event& event) {
    switch (event.kind) {
      case sideband_kind::kernel_map:
        spaces_.map(address_spaces::kernel_space, range_of(event));
        return;
      case sideband_kind::map:
        spaces_.map(space_of(parsed_.threads.process(event.pid)), range_of(event));
        return;
      case sideband_kind::exec:
        spaces_.clear(space_of(parsed_.threads.process(event.pid)));
        [[fallthrough]];
      case sideband_kind::name:
        parsed_.threads.rename(arrive(event.pid, event.tid), parsed_.side.name(event));
        return;
      case sideband_kind::fork:
        return fork(event);
      case sideband_kind::exit:
        return leave(event);
    }
  }

  [[nodiscard]] const map_table& user_maps(std::uint32_t thread) const {
    return spaces_.at(space_of(parsed_.threads.process_of(thread)));
  }
  [[nodiscard]] const map_table& kernel_maps() const {
    return spaces_.at(address_spaces::kernel_space);
  }

 private:
  struct life {
    std::uint32_t threads = 0;
    bool leader_left = false;
  };

  static std::uint32_t space_of(std::uint32_t process) { return process + 1; }
  static mapped_range range_of(const sideband_event& event) {
    return {event.start, {event.end, event.page_offset, event.object, event.executable}};
  }

  life& life_of(std::uint32_t process) {
    if (process >= lives_.size()) {
      lives_.resize(process + std::size_t{1});
    }
    return lives_[process];
  }
  std::uint32_t arrive(std::int32_t pid, std::int32_t tid) {
    const std::uint32_t thread = parsed_.threads.intern(pid, tid);
    if (thread >= alive_.size()) {
      alive_.resize(thread + std::size_t{1});
    }
    if (!alive_[thread]) {
      alive_[thread] = true;
      ++life_of(parsed_.threads.process_of(thread)).threads;
    }
    return thread;
  }
  void fork(const sideband_event& event) {
    const std::uint32_t parent = parsed_.threads.intern(event.parent_pid, event.parent_tid);
    const std::uint32_t child = arrive(event.pid, event.tid);
    parsed_.threads.inherit_name(child, parent);
    if (event.pid == event.parent_pid) {
      return;
    }
    const std::uint32_t process = parsed_.threads.process_of(child);
    life_of(process).leader_left = false;
    if (event.copies_maps) {
      spaces_.fork(space_of(parsed_.threads.process_of(parent)), space_of(process));
    }
  }
  // The mappings of a process end with its last thread. Threads without records may outlive other
  // threads, but not the leader and all known threads.
  void leave(const sideband_event& event) {
    const std::uint32_t thread = arrive(event.pid, event.tid);
    const std::uint32_t process = parsed_.threads.process_of(thread);
    life& state = life_of(process);
    alive_[thread] = false;
    --state.threads;
    state.leader_left = state.leader_left || event.pid == event.tid;
    if (state.leader_left && state.threads == 0) {
      spaces_.clear(space_of(process));
    }
  }

  first_pass& parsed_;
  address_spaces spaces_;
  std::vector<life> lives_;
  std::vector<bool> alive_;
};

// Resolves the stacks of samples in time order.
class stack_maker {
 public:
  stack_maker(first_pass& parsed, capture_content& into, memory_budget& budget,
              const read_options& options)
      : parsed_(parsed),
        into_(into),
        managed_(options.managed),
        interpreters_(options.interpreters),
        stacks_(parsed.raw, parsed.side.objects(), into.stacks, budget) {
    if (const auto arch = architecture_of(into); arch && !parsed.copies.empty()) {
      walker_ = std::make_unique<stack_walker>(*arch, parsed.side.objects(), options, budget);
    }
  }

  // Samples are numbered in file order.
  std::uint32_t make(std::size_t row, std::uint32_t sample, const process_state& state) {
    const sample_columns& samples = into_.samples;
    const map_table& user = state.user_maps(samples.thread[row]);
    const map_table& kernel = state.kernel_maps();
    const auto& thread = parsed_.threads.threads()[samples.thread[row]];
    const auto runs = managed_.of(samples.time_ns[row], thread.tid);
    const auto code = interpreters_.find(thread.pid);
    const auto* interpreted = code != interpreters_.end() ? &code->second : nullptr;
    // Runs of managed frames lead far up the stack.
    const auto first_bytes =
        runs.empty() ? copied_stacks::usual_bytes : std::numeric_limits<std::size_t>::max();
    auto copy = walker_ ? parsed_.copies.read(sample, first_bytes) : std::nullopt;
    if (!copy) {
      return stacks_.resolve(samples.stack[row], user, kernel);
    }
    const std::uint64_t mask = into_.attributes[samples.event[row]].registers_user;
    walked_stack walked = walker_->walk(*copy, mask, user, runs, interpreted);
    if (walked.missed_stack && !copy->whole) {
      copy = parsed_.copies.read(sample, std::numeric_limits<std::size_t>::max());
      walked = walker_->walk(*copy, mask, user, {}, interpreted);
    }
    return stacks_.resolve(samples.stack[row], walked, user, kernel);
  }

  std::vector<object> finish() { return stacks_.finish(); }

 private:
  first_pass& parsed_;
  capture_content& into_;
  const managed_samples& managed_;
  const std::unordered_map<std::int32_t, interpreter>& interpreters_;
  resolver stacks_;
  std::unique_ptr<stack_walker> walker_;
};

}  // namespace

std::span<const unwind::managed_run> managed_samples::of(std::uint64_t at_ns,
                                                         std::int32_t thread) const {
  const auto first = std::lower_bound(time_ns.begin(), time_ns.end(), at_ns);
  for (auto at = first; at != time_ns.end() && *at == at_ns; ++at) {
    const auto row = static_cast<std::size_t>(at - time_ns.begin());
    if (tid[row] == thread)
      return std::span{runs}.subspan(offset[row], offset[row + 1] - offset[row]);
  }
  return {};
}

std::optional<std::uint64_t> interpreter::number_at(std::uint64_t counter) const {
  const auto after = std::upper_bound(
      codes.begin(), codes.end(), counter,
      [](std::uint64_t address, const code& range) { return address < range.begin; });
  if (after == codes.begin()) return std::nullopt;
  const auto& range = *std::prev(after);
  return counter <= range.end ? std::optional{range.number} : std::nullopt;
}

void resolve_in_time_order(first_pass& parsed, capture_content& into, memory_budget& budget,
                           const read_options& options) {
  parsed.side.sort();
  wait_records::pad(into.samples);
  const auto order = sort_samples(into.samples, budget);
  stack_maker stacks(parsed, into, budget, options);
  process_state state(parsed, budget, options);
  const auto events = parsed.side.events();
  std::size_t next = 0;
  for (std::size_t row = 0; row < order.size(); ++row) {
    const std::uint64_t time = into.samples.time_ns[row];
    while (next < events.size() &&
           (events[next].time_ns < time ||
            (events[next].time_ns == time && events[next].samples_before <= order[row]))) {
      state.apply(events[next++]);
    }
    into.samples.stack[row] = stacks.make(row, order[row], state);
  }
  for (; next < events.size(); ++next) {
    state.apply(events[next]);
  }
  parsed.waits.finish(parsed.threads, parsed.side, into);
  into.objects = stacks.finish();
  into.threads = parsed.threads.finish();
}

}  // namespace stallscope::capture
