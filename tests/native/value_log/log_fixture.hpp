// A log in a temporary directory with manual I/O completion and a manual loop, and the state that a
// restart after a crash at this moment would recover.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "collect/scratch.hpp"
#include "stages/hand_driven_scheduler.hpp"
#include "value_log/appender.hpp"
#include "value_log/compactor.hpp"
#include "value_log/recovery.hpp"

namespace stallscope::value_log {

inline constexpr std::uint64_t small_segment = std::uint64_t{64} << 10U;

// The background thread may truncate a file during the copy; then copy again.
inline void copy_folder(const std::filesystem::path& from, const std::filesystem::path& to) {
  constexpr auto overwrite = std::filesystem::copy_options::overwrite_existing;
  for (const auto& file : std::filesystem::directory_iterator(from)) {
    std::error_code changed{EIO, std::generic_category()};
    for (int tries = 0; changed && tries < 3; ++tries) {
      std::filesystem::copy_file(file, to / file.path().filename(), overwrite, changed);
    }
    if (changed) throw std::system_error(changed, file.path());
  }
}

// Requests wait until released, one at a time.
class manual_port final : public io_port {
 public:
  int fail_writes_with = 0;
  int fail_syncs_with = 0;
  int lose_answers_with = 0;        // reported errno of writes that succeeded
  std::vector<std::string> synced;  // file names

  void submit(io_request& request) noexcept override { waiting_.push_back({&request, -1}); }
  void cancel(io_request& request) noexcept override {
    std::erase_if(waiting_, [&](const auto& pair) { return pair.first == &request; });
    request.io_done(-ECANCELED);
  }
  void sync(int file, io_request& request) noexcept override {
    synced.push_back(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file)));
    waiting_.push_back({&request, file});
  }

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  // Completes the oldest or the newest request.
  void let_go(bool oldest = true) {
    const auto [request, synced_file] = oldest ? waiting_.front() : waiting_.back();
    if (oldest) {
      waiting_.pop_front();
    } else {
      waiting_.pop_back();
    }
    request->io_done(synced_file >= 0 ? -fail_syncs_with : carry(*request));
  }

 private:
  std::int64_t carry(const io_request& request) const {
    const ioqueue::transfer& transfer = request.io;
    const auto offset = static_cast<off_t>(transfer.offset);
    if (transfer.kind == ioqueue::direction::read) {
      const ssize_t got = ::pread(transfer.file, transfer.memory, transfer.size_bytes, offset);
      return got < 0 ? -errno : got;
    }
    if (fail_writes_with != 0) return -fail_writes_with;
    const ssize_t put = ::pwrite(transfer.file, transfer.memory, transfer.size_bytes, offset);
    if (lose_answers_with != 0) return -lose_answers_with;
    return put < 0 ? -errno : put;
  }

  std::deque<std::pair<io_request*, int>> waiting_;
};

using contents = std::map<std::string, std::string>;

// The value of a record in a segment.
inline std::string value_at(const log_content& content, const location& where,
                            std::size_t key_bytes) {
  const shared_segment in = content.segments().find(where.segment);
  const std::uint64_t first = where.offset / block_bytes * block_bytes;
  const aligned_memory memory(where.offset + where.bytes(key_bytes) - first);
  const ssize_t got =
      ::pread(in->file.get(), memory.bytes().data(), memory.size(), static_cast<off_t>(first));
  if (got < 0) throw std::runtime_error("pread");
  const auto held = std::span<const std::byte>(memory.bytes()).first(static_cast<std::size_t>(got));
  const decoded values = decode(held.subspan(where.offset - first), where.offset, content.secret());
  if (values.status != decode_status::whole) throw std::runtime_error("no whole record");
  return std::string(values.what.value);
}

inline std::optional<std::string> value_in(log_content& content, const std::string& key) {
  const auto where = content.find(key, 1);
  return where ? std::optional(value_at(content, *where, key.size())) : std::nullopt;
}

// Recovers a copy of the directory and returns the values of these keys.
inline contents found_after_crash(const std::filesystem::path& folder, const contents& keys) {
  const test::scratch copy;
  copy_folder(folder, copy.at(""));
  const data_directory directory(copy.at(""), 1);
  log_content content(directory, 0, small_segment);
  recover(content);
  contents values;
  for (const auto& [key, value] : keys) {
    if (const auto held = value_in(content, key)) values[key] = *held;
  }
  return values;
}

class log_fixture {
 public:
  explicit log_fixture(const std::filesystem::path& folder)
      : directory(folder, 1),
        content(directory, 0, small_segment),
        newest(content, port, loop, {}),
        compaction(
            content, newest, port, loop,
            {.chunk_bytes = 8192, .max_chunks = 3, .now_ms = [] { return std::int64_t{1}; }}),
        report(recover(content)) {}

  class one_append final : public append_request {
   public:
    int result = -1;
    std::string key;
    std::string value;
    void appended(int error) noexcept override { result = error; }
  };

  // Runs until no work is left.
  void finish() {
    for (;;) {
      loop.run_all();
      compaction.next_turn();
      if (loop.scheduled() != 0) continue;
      if (port.waiting() == 0) return;
      port.let_go();
    }
  }
  int put(const std::string& key, const std::string& value) { return write(key, &value); }
  int erase(const std::string& key) { return write(key, nullptr); }
  void begin(one_append& made, const std::string& key, const std::string* value) {
    made.key = key;
    made.value = value != nullptr ? *value : "";
    made.needs_room = value != nullptr;
    made.items = {{.kind = value != nullptr ? record_kind::value : record_kind::deleted,
                   .key = made.key,
                   .value = made.value}};
    newest.append(made);
  }

  data_directory directory;
  stages::hand_driven_scheduler loop;
  manual_port port;
  log_content content;
  appender newest;
  compactor compaction;
  recovery_report report;

 private:
  int write(const std::string& key, const std::string* value) {
    one_append made;
    begin(made, key, value);
    finish();
    return made.result;
  }
};

}  // namespace stallscope::value_log
