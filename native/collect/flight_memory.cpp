#include "collect/flight_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <span>

#include "base/clock.hpp"
#include "perf_events/perf_format.hpp"

namespace stallscope::collect {
namespace {

// Share of the memory for side records.
constexpr std::size_t side_share = 4;
// Share of the memory for the definitions of one file.
constexpr std::size_t definition_share = 8;

}  // namespace

flight_memory::flight_memory(opened_recording& opened, wait_recording* waits)
    : opened_{&opened},
      waits_{waits},
      keep_ns_{static_cast<std::uint64_t>(opened.facts().options.flight_s * 1e9)},
      max_bytes_{opened.facts().options.flight_bytes},
      samples_{monotonic_ns()},
      side_{max_bytes_ / side_share,
            [&proc = opened.prepared().proc](pid_t pid) {
              return ::access((proc.root() / std::to_string(pid)).c_str(), F_OK) == 0;
            }},
      python_{monotonic_ns(), max_bytes_ / definition_share},
      runtimes_{monotonic_ns(), max_bytes_ / definition_share} {}

void flight_memory::divert() {
  auto& facts = opened_->facts().flight.emplace();
  facts.began_ns = facts.from_ns = opened_->facts().start_monotonic_ns;
  opened_->files().samples().divert(&samples_);
  if (auto* python = opened_->python()) python->divert(&python_.blocks());
  if (auto* runtimes = opened_->runtimes()) runtimes->divert(&runtimes_.blocks());
}

std::uint64_t flight_memory::used_bytes() const {
  auto used =
      samples_.size_bytes() + python_.size_bytes() + runtimes_.size_bytes() + side_.bytes().size();
  if (waits_ != nullptr) used += waits_->kept_lines().size_bytes();
  if (requests_ != nullptr) used += requests_->kept_bytes();
  return used;
}

void flight_memory::drop_lines(std::uint64_t before_ns) {
  python_.drop_before(before_ns);
  runtimes_.drop_before(before_ns);
  if (waits_ != nullptr) waits_->kept_lines().drop_before(before_ns);
  if (requests_ != nullptr) requests_->drop_before(before_ns);
}

void flight_memory::pass() {
  const auto now_ns = monotonic_ns();
  if (samples_.cut(now_ns)) counts_at_ends_.push_back(opened_->records().counts());
  python_.blocks().cut(now_ns);
  runtimes_.blocks().cut(now_ns);
  if (waits_ != nullptr) waits_->kept_lines().blocks().cut(now_ns);
  const auto horizon_ns = now_ns - std::min(now_ns, keep_ns_);
  while (samples_.oldest_ended_before(horizon_ns)) drop_oldest();
  const auto& facts = *opened_->facts().flight;
  do {
    if (used_bytes() > max_bytes_ && samples_.has_complete()) drop_oldest();
    drop_lines(facts.from_ns);
  } while (used_bytes() > max_bytes_ && samples_.has_complete());
}

void flight_memory::drop_oldest() {
  const auto block = samples_.drop_oldest();
  side_.take(block.bytes);
  dropped_ = counts_at_ends_.front();
  counts_at_ends_.pop_front();
  auto& facts = *opened_->facts().flight;
  facts.overwritten_bytes += block.bytes.size();
  facts.overwritten_samples = dropped_.samples;
  facts.from_ns = block.end_ns;
}

drain_counts flight_memory::counts() const {
  const auto& total = opened_->records().counts();
  return total - dropped_;
}

void flight_memory::write_samples() {
  auto& file = opened_->files().samples();
  file.divert(nullptr);
  side_.compact();
  file.append(side_.bytes());
  perf_event_header round_end{};
  round_end.type = static_cast<std::uint32_t>(perf_format::user_record::finished_round);
  round_end.size = sizeof round_end;
  file.append(std::as_bytes(std::span{&round_end, 1}));
  for (const auto& block : samples_.all()) file.append(block.bytes);
}

void flight_memory::write_lines() {
  if (auto* python = opened_->python()) {
    python->divert(nullptr);
    python->append(python_.text());
  }
  if (auto* runtimes = opened_->runtimes()) {
    runtimes->divert(nullptr);
    runtimes->append(runtimes_.text());
  }
  auto& files = opened_->facts().files;
  const auto resize = [&files](const file_entry& written) {
    for (auto& file : files) {
      if (file.name == written.name) file.bytes = written.bytes;
    }
  };
  if (waits_ != nullptr) resize(waits_->write_kept_lines());
  if (requests_ != nullptr) resize(requests_->write_kept());
}

void flight_memory::finish() {
  auto& facts = opened_->facts();
  write_samples();
  write_lines();
  auto& flight = *facts.flight;
  flight.side_records_dropped = side_.dropped();
  flight.definitions_dropped = python_.dropped() + runtimes_.dropped();
  flight.memory_limited =
      flight.from_ns > flight.began_ns && facts.end.monotonic_ns - flight.from_ns < keep_ns_;
  flight.trigger = opened_->watch().trigger();
  facts.start_realtime_ns += flight.from_ns - facts.start_monotonic_ns;
  facts.start_monotonic_ns = flight.from_ns;
  warn();
}

void flight_memory::warn() {
  auto& facts = opened_->facts();
  const auto& flight = *facts.flight;
  if (flight.memory_limited) {
    const auto kept_s = static_cast<double>(facts.end.monotonic_ns - flight.from_ns) / 1e9;
    facts.warnings.push_back(
        {"flight-memory", "only the last " + std::to_string(static_cast<int>(kept_s)) +
                              " s are kept: " + std::to_string(max_bytes_ >> 20U) +
                              " MiB hold no more (--flight-memory)"});
  }
  if (flight.side_records_dropped != 0) {
    facts.warnings.push_back(
        {"flight-side-records",
         std::to_string(flight.side_records_dropped) +
             " records of mappings and names did not fit into the memory (--flight-memory): some "
             "samples will have no names"});
  }
  if (flight.definitions_dropped != 0) {
    facts.warnings.push_back(
        {"flight-definitions",
         std::to_string(flight.definitions_dropped) +
             " functions and stacks of runtimes did not fit into the memory (--flight-memory): "
             "some samples will have no frames of their runtime"});
  }
}

}  // namespace stallscope::collect
