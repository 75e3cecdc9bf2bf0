#include "collect/reporter.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>

#include "base/json.hpp"
#include "base/program.hpp"
#include "base/visible_text.hpp"

namespace stallscope::collect {
namespace {

std::string dump(const json& document) { return document.dump() + "\n"; }

// A stalled reader must not block the drain. A writable pipe takes PIPE_BUF bytes at once; the
// write to a full pipe is abandoned after the timeout.
void write_all(int fd, const std::string& text, int patience_ms) {
  std::size_t done = 0;
  while (done < text.size()) {
    pollfd ready{fd, POLLOUT, 0};
    if (::poll(&ready, 1, patience_ms) <= 0) return;
    const auto length = std::min<std::size_t>(text.size() - done, PIPE_BUF);
    const auto wrote = ::write(fd, text.data() + done, length);
    if (wrote <= 0) return;  // the reader has closed the pipe; the recording continues
    done += static_cast<std::size_t>(wrote);
  }
}

json numbers_of(const char* event, const progress_numbers& numbers) {
  if (numbers.windows) {
    return {{"event", event},
            {"windows", *numbers.windows},
            {"bytes", numbers.bytes},
            {"seconds", numbers.seconds}};
  }
  json document = {{"event", event},
                   {"samples", numbers.samples},
                   {"lost", numbers.lost},
                   {"bytes", numbers.bytes},
                   {"seconds", numbers.seconds}};
  if (!numbers.requests.empty()) document["requests"] = numbers.requests;
  return document;
}

json warnings_of(std::span<const warning> warnings) {
  json list = json::array();
  for (const auto& item : warnings)
    list.push_back({{"code", item.code}, {"message", item.message}});
  return list;
}

}  // namespace

reporter::reporter(int progress_fd) : fd_{progress_fd} {
  // If the descriptor is not open, messages go to standard error. The command does not inherit it:
  // a daemon that survives the command would keep the pipe open and the reader waiting.
  if (fd_ >= 0 && ::fcntl(fd_, F_SETFD, FD_CLOEXEC) != 0) fd_ = -1;
  if (fd_ < 0) return;
  line(dump({{"event", "hello"}, {"version", STALLSCOPE_VERSION}, {"protocol", protocol_version}}));
}

void reporter::line(const std::string& text, int patience_ms) const {
  write_all(fd(), text, patience_ms);
}

int reporter::fd() const { return fd_ < 0 ? STDERR_FILENO : fd_; }

void reporter::sentence(const std::string& text) const {
  line("stallscope-collect: " + visible_text(text) + "\n");
}

void reporter::print_warnings(std::span<const warning> warnings) {
  for (const auto& item : warnings) sentence("warning: " + item.message);
}

void reporter::ready() {
  if (fd_ >= 0) line(dump({{"event", "ready"}}));
}

void reporter::started(const start_notice& notice) {
  directory_ = notice.directory;
  reported_warnings_ = notice.warnings.size();
  if (fd_ >= 0) {
    line(dump({{"event", "started"},
               {"mode", notice.mode},
               {"source", notice.event},
               {"pids", notice.pids},
               {"stacks", {{"chosen", notice.stacks}, {"text", notice.stacks_why}}},
               {"warnings", warnings_of(notice.warnings)}}));
    return;
  }
  print_warnings(notice.warnings);
  sentence("stacks " + notice.stacks_why);
  sentence("recording " + notice.event + " to " + notice.directory);
}

void reporter::counting(const counting_notice& notice) {
  directory_ = notice.directory;
  reported_warnings_ = notice.warnings.size();
  if (fd_ >= 0) {
    line(dump({{"event", "started"},
               {"mode", notice.mode},
               {"pids", notice.pids},
               {"events", notice.events},
               {"groups", notice.groups},
               {"warnings", warnings_of(notice.warnings)}}));
    return;
  }
  print_warnings(notice.warnings);
  sentence("counting " + std::to_string(notice.events) + " events in " +
           std::to_string(notice.groups) + " groups to " + notice.directory);
}

void reporter::progress(const progress_numbers& numbers) {
  if (fd_ >= 0) line(dump(numbers_of("progress", numbers)), 0);  // the next line replaces it
}

void reporter::finished(const progress_numbers& numbers, exit_code code, const std::string& reason,
                        std::span<const warning> warnings) {
  const auto late = warnings.subspan(std::min(reported_warnings_, warnings.size()));
  if (fd_ >= 0) {
    json document = numbers_of("finished", numbers);
    document["exit_code"] = static_cast<int>(code);
    document["reason"] = reason;
    document["warnings"] = warnings_of(late);
    line(dump(document));
    return;
  }
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.1f", numbers.seconds);
  const std::string what = numbers.windows ? std::to_string(*numbers.windows) + " windows, "
                                           : std::to_string(numbers.samples) + " samples, " +
                                                 std::to_string(numbers.lost) + " lost, ";
  print_warnings(late);
  sentence(what + std::to_string(numbers.bytes) + " bytes in " + seconds.data() + " s (" + reason +
           "): " + directory_);
}

void reporter::error(const failure& problem) { line(format(problem)); }

std::string reporter::format(const failure& problem) const {
  if (fd_ < 0) return error_lines("stallscope-collect", problem.what(), problem.remedy());
  return dump({{"event", "error"},
               {"message", problem.what()},
               {"remedy", problem.remedy()},
               {"exit_code", static_cast<int>(problem.code())}});
}

}  // namespace stallscope::collect
