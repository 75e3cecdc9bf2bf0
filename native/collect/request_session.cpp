#include "collect/request_session.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "collect/refusal.hpp"

namespace stallscope::collect {
namespace {

constexpr int pass_ms = 20;
constexpr std::uint64_t listen_ns = 3'000'000'000;
constexpr std::uint64_t first_second_ns = 1'000'000'000;
constexpr std::uint64_t between_first_searches_ns = 50'000'000;
constexpr std::uint64_t between_searches_ns = 1'000'000'000;
constexpr std::size_t max_rings = 256;
constexpr std::size_t max_processes = 1'024;
constexpr std::uint64_t max_marks = std::uint64_t{4} << 20U;  // 256 MiB

}  // namespace

request_session::request_session(opened_recording& opened)
    : opened_{&opened},
      proc_{opened.prepared().proc},
      roots_{opened.facts().pids},
      start_ns_{opened.facts().start_monotonic_ns},
      file_{opened.files().directory().create(requests::request_file_name),
            requests::request_file_name},
      latencies_{opened.facts().options.slow_requests_ns} {
  const auto head = requests::file_head();
  file_.append(std::as_bytes(std::span{head}));
  if (opened.facts().options.flight_s > 0) file_.divert(&kept_.emplace(start_ns_));
  thread_ = std::thread{[this] { run(); }};
}

request_session::~request_session() {
  stop_.signal();
  if (thread_.joinable()) thread_.join();
}

void request_session::run() noexcept {
  try {
    pollfd entry{stop_.fd(), POLLIN, 0};
    while (::poll(&entry, 1, rings_.empty() ? pass_ms * 2 : pass_ms) <= 0) pass();
    pass();
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
}

void request_session::pass() {
  const auto now_ns = monotonic_ns();
  if (now_ns >= next_search_ns_) search(now_ns);
  read_rings(now_ns);
}

void request_session::search(std::uint64_t now_ns) {
  const bool early = now_ns - std::min(now_ns, start_ns_) < first_second_ns;
  next_search_ns_ = now_ns + (early ? between_first_searches_ns : between_searches_ns);
  forget_ended();
  for (const pid_t pid : target_processes()) search_process(pid);
}

// The ring of an ended process is read once more, so it is kept until the search after the one that
// has noticed the end.
void request_session::forget_ended() {
  std::erase_if(rings_, [this](const listened_ring& listened) {
    if (!listened.process_ended) return false;
    lost_ += listened.reader.lost();
    invalid_ += listened.reader.invalid();
    forgotten_.insert(listened.ring.inode());
    return true;
  });
  for (auto& listened : rings_)
    listened.process_ended = ::access(("/proc/" + std::to_string(listened.pid)).c_str(), F_OK) != 0;
}

std::vector<pid_t> request_session::target_processes() const {
  std::vector<pid_t> processes = roots_;
  std::set<pid_t> seen{processes.begin(), processes.end()};
  for (std::size_t i = 0; i < processes.size() && processes.size() < max_processes; ++i) {
    for (const pid_t child : proc_.children(processes[i])) {
      if (seen.insert(child).second) processes.push_back(child);
    }
  }
  return processes;
}

void request_session::search_process(pid_t pid) {
  auto search = requests::rings_of(pid, [this](std::uint64_t inode) {
    return forgotten_.contains(inode) ||
           std::any_of(rings_.begin(), rings_.end(), [inode](const listened_ring& listened) {
             return listened.ring.inode() == inode;
           });
  });
  if (search.error != 0 && search.error != ENOENT) search_error_ = search.error;
  refused_ring_ = refused_ring_ || search.refused;
  for (auto& ring : search.rings) {
    if (rings_.size() >= max_rings) {
      too_many_rings_ = true;
      return;
    }
    requests::ring_reader reader{ring.memory(), start_ns_};
    rings_.push_back({pid, std::move(ring), reader, namespace_threads{proc_, pid}});
  }
}

void request_session::read_rings(std::uint64_t now_ns) {
  const std::scoped_lock lock{kept_mutex_};
  std::vector<requests::file_record> records;
  for (auto& listened : rings_) {
    records.clear();
    listened.reader.listen_until(now_ns + listen_ns);
    listened.reader.read(now_ns, [&](const requests::request_mark& mark) {
      latencies_.note(mark, listened.pid);
      if (!kept_ && marks_ + records.size() >= max_marks) {
        ++dropped_;
      } else {
        auto& record = records.emplace_back(requests::record_of(mark, listened.pid));
        record.tid = listened.threads.recorder_tid(mark.tid, now_ns);
      }
    });
    if (records.empty()) continue;
    file_.append(std::as_bytes(std::span{records}));
    marks_ += records.size();
  }
  if (kept_) kept_->cut(now_ns);
}

std::vector<std::uint64_t> request_session::latency_counts() {
  const std::scoped_lock lock{kept_mutex_};
  return latencies_.counts();
}

std::uint64_t request_session::kept_bytes() {
  const std::scoped_lock lock{kept_mutex_};
  return kept_ ? kept_->size_bytes() : 0;
}

void request_session::drop_before(std::uint64_t ns) {
  const std::scoped_lock lock{kept_mutex_};
  while (kept_ && kept_->oldest_ended_before(ns)) kept_->drop_oldest();
}

file_entry request_session::write_kept() {
  const std::scoped_lock lock{kept_mutex_};
  file_.divert(nullptr);
  if (kept_) {
    for (const auto& block : kept_->all()) file_.append(block.bytes);
  }
  return {requests::request_file_name, "stallscope.requests", file_.size_bytes()};
}

void request_session::finish() {
  stop_.signal();
  if (thread_.joinable()) thread_.join();
  add_warnings();
  opened_->facts().files.push_back(
      {requests::request_file_name, "stallscope.requests", file_.size_bytes()});
}

void request_session::add_warnings() {
  auto& warnings = opened_->facts().warnings;
  std::uint64_t lost = lost_;
  std::uint64_t invalid = invalid_;
  for (const auto& listened : rings_) {
    lost += listened.reader.lost();
    invalid += listened.reader.invalid();
  }
  if (lost != 0) {
    warnings.push_back({"request-marks-lost", std::to_string(lost) +
                                                  " marks of requests were overwritten before they "
                                                  "were read; their requests are left out"});
  }
  if (invalid != 0) {
    warnings.push_back({"request-marks-invalid",
                        std::to_string(invalid) + " marks of requests have an unknown action"});
  }
  if (dropped_ != 0) {
    warnings.push_back({"request-marks-limit", "after " + std::to_string(max_marks) +
                                                   " marks of requests, " +
                                                   std::to_string(dropped_) + " were dropped"});
  }
  if (refused_ring_) {
    warnings.push_back({"request-ring-refused",
                        "a process of the target shares marks of requests in another format; "
                        "compile it with stallscope_request.h of this version"});
  }
  if (too_many_rings_) {
    warnings.push_back(
        {"request-rings-limit",
         "more than " + std::to_string(max_rings) +
             " processes of the target mark requests at the same time: requests of further "
             "processes are missing"});
  }
  if (rings_.empty() && search_error_ != 0) {
    warnings.push_back(
        {"request-rings-unreadable",
         "the descriptors of the target cannot be read: " + error_text(search_error_) +
             "; run as root or as the user of the target"});
  }
  if (!failure_.empty()) {
    warnings.push_back({"request-marks-stopped",
                        "marks of requests could not be recorded to the "
                        "end: " +
                            failure_});
  }
}

}  // namespace stallscope::collect
