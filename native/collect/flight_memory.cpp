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

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A line that is not a snapshot defines something.
bool is_definition(std::string_view line) { return !line.starts_with("{\"t\":"); }

}  // namespace

void flight_lines::drop_before(std::uint64_t ns) {
  while (blocks_.oldest_ended_before(ns)) {
    const auto block = blocks_.drop_oldest();
    auto lines = text_of(block.bytes);
    while (!lines.empty()) {
      const auto size = std::min(lines.find('\n'), lines.size() - 1) + 1;
      if (is_definition(lines.substr(0, size))) definitions_ += lines.substr(0, size);
      lines.remove_prefix(size);
    }
  }
}

std::string flight_lines::text() const {
  auto text = definitions_;
  for (const auto& block : blocks_.all()) text += text_of(block.bytes);
  return text;
}

flight_memory::flight_memory(opened_recording& opened)
    : opened_{&opened},
      keep_ns_{static_cast<std::uint64_t>(opened.facts().options.flight_s * 1e9)},
      max_bytes_{opened.facts().options.flight_bytes},
      samples_{monotonic_ns()},
      side_{max_bytes_ / side_share,
            [&proc = opened.prepared().proc](pid_t pid) {
              return ::access((proc.root() / std::to_string(pid)).c_str(), F_OK) == 0;
            }},
      python_{monotonic_ns()},
      runtimes_{monotonic_ns()} {}

void flight_memory::divert() {
  auto& facts = opened_->facts().flight.emplace();
  facts.began_ns = facts.from_ns = opened_->facts().start_monotonic_ns;
  opened_->files().samples().divert(&samples_);
  if (auto* python = opened_->python()) python->divert(&python_.blocks());
  if (auto* runtimes = opened_->runtimes()) runtimes->divert(&runtimes_.blocks());
}

void flight_memory::pass() {
  const auto now_ns = monotonic_ns();
  if (samples_.cut(now_ns)) counts_at_ends_.push_back(opened_->records().counts());
  python_.blocks().cut(now_ns);
  runtimes_.blocks().cut(now_ns);
  const auto horizon_ns = now_ns - std::min(now_ns, keep_ns_);
  while (samples_.oldest_ended_before(horizon_ns)) drop_oldest();
  const auto used = [this] {
    return samples_.size_bytes() + python_.size_bytes() + runtimes_.size_bytes() +
           side_.bytes().size();
  };
  auto& facts = *opened_->facts().flight;
  do {
    if (used() > max_bytes_ && samples_.has_complete()) drop_oldest();
    python_.drop_before(facts.from_ns);
    runtimes_.drop_before(facts.from_ns);
  } while (used() > max_bytes_ && samples_.has_complete());
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

void flight_memory::finish() {
  auto& facts = opened_->facts();
  write_samples();
  if (auto* python = opened_->python()) {
    python->divert(nullptr);
    python->append(python_.text());
  }
  if (auto* runtimes = opened_->runtimes()) {
    runtimes->divert(nullptr);
    runtimes->append(runtimes_.text());
  }
  auto& flight = *facts.flight;
  flight.side_records_dropped = side_.dropped();
  flight.memory_limited =
      flight.from_ns > flight.began_ns && facts.end.monotonic_ns - flight.from_ns < keep_ns_;
  flight.trigger = opened_->watch().trigger();
  facts.start_realtime_ns += flight.from_ns - facts.start_monotonic_ns;
  facts.start_monotonic_ns = flight.from_ns;
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
}

}  // namespace stallscope::collect
