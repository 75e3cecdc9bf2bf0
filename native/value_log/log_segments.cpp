#include "value_log/log_segments.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

namespace stallscope::value_log {
namespace {

// Share of a segment; moving the rest for less is not worth it.
constexpr std::uint64_t min_dead_part = 16;

}  // namespace

log_segments::log_segments(const data_directory& directory, std::uint32_t shard,
                           std::uint64_t segment_bytes)
    : directory_(directory),
      shard_(shard),
      segment_bytes_(segment_bytes),
      worker_(std::make_unique<file_worker>()) {}

log_segments::~log_segments() {
  worker_.reset();
  if (next_.file.file) directory_.remove({shard_, next_.number});
}

shared_segment log_segments::create() {
  try {
    return create_at_once();
  } catch (const std::system_error& refused) {
    if (refused.code() != std::errc::no_space_on_device) throw;
    worker_->finish();
    return create_at_once();
  }
}

bool log_segments::may_grow() noexcept {
  if (next_is_ready() || room_to_spare()) return true;
  worker_->finish();
  return next_is_ready() || room_to_spare();
}

shared_segment log_segments::create_at_once() {
  auto added = std::make_shared<segment>();
  const bool is_ready = next_is_ready();
  added->number = is_ready ? next_.number : next_number_;
  all_.emplace(added->number, added);
  segment_file made;
  if (is_ready) {
    const std::lock_guard lock(next_.mutex);
    made = std::move(next_.file);
    next_.requested = false;
  } else {
    try {
      made = directory_.create({shard_, added->number}, segment_bytes_);
    } catch (...) {
      all_.erase(added->number);
      throw;
    }
    ++next_number_;
  }
  added->file = std::move(made.file);
  added->direct = made.direct;
  return added;
}

void log_segments::prepare_next(const segment& filling) noexcept {
  if (filling.end < segment_bytes_ / 2) return;
  {
    const std::lock_guard lock(next_.mutex);
    if (next_.requested) return;
  }
  if (!room_to_spare()) return;
  const std::uint32_t number = next_number_++;
  next_.requested = true;
  try {
    worker_->post([this, number] { create_next(number); });
  } catch (const std::bad_alloc&) {
    next_.requested = false;
  }
}

void log_segments::create_next(std::uint32_t number) noexcept {
  segment_file made;
  try {
    made = directory_.create({shard_, number}, segment_bytes_);
  } catch (const std::exception&) {
    // The caller that needs the segment tries again and receives the error.
  }
  const std::lock_guard lock(next_.mutex);
  next_.requested = static_cast<bool>(made.file);
  next_.number = number;
  next_.file = std::move(made);
}

bool log_segments::next_is_ready() const {
  const std::lock_guard lock(next_.mutex);
  return static_cast<bool>(next_.file.file);
}

void log_segments::add(shared_segment existing) {
  next_number_ = std::max(next_number_, existing->number + 1);
  all_.emplace(existing->number, std::move(existing));
}

void log_segments::seal(const shared_segment& full) noexcept {
  if (full->sealed) return;
  full->sealed = true;
  full->unsynced = true;
  try {
    worker_->post([this, full] { finish_seal(*full); });
  } catch (const std::bad_alloc&) {
    finish_seal(*full);
  }
}

// If this fails, the next start treats the segment as unsealed.
void log_segments::finish_seal(const segment& full) const noexcept {
  const int file = full.file.get();
  [[maybe_unused]] const bool cut =
      ::ftruncate(file, static_cast<off_t>(padded(full.end, block_bytes))) == 0;
  [[maybe_unused]] const bool sealed =
      !full.gaps && directory_.seal(file, {shard_, full.number}, full.end);
}

void log_segments::clear(segment& of, std::uint64_t offset, std::uint64_t bytes) noexcept {
  of.gaps = true;
  constexpr int hole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  const auto from = static_cast<off_t>(offset);
  if (::fallocate(of.file.get(), hole, from, static_cast<off_t>(bytes)) == 0) return;
  // It may contain whole records that the index does not count, so deletions that supersede them
  // must be kept.
  of.damaged = true;
  of.counted_to = std::max<std::uint64_t>(of.counted_to, block_bytes);
}

void log_segments::remove(std::uint32_t number) noexcept {
  directory_.remove({shard_, number});
  const auto existing = all_.find(number);
  if (existing == all_.end()) return;
  let_go(std::move(existing->second));
  all_.erase(existing);
}

void log_segments::let_go(shared_segment unused) noexcept {
  try {
    worker_->post([last = std::move(unused)]() mutable { last.reset(); });
  } catch (const std::bad_alloc&) {  // closed here
  }
}

shared_segment log_segments::find(std::uint32_t number) const {
  const auto existing = all_.find(number);
  return existing == all_.end() ? nullptr : existing->second;
}

void log_segments::add_dead(std::uint32_t number, std::uint64_t bytes) noexcept {
  if (const auto existing = all_.find(number); existing != all_.end())
    existing->second->dead_bytes += bytes;
}

std::uint64_t log_segments::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [number, member] : all_) sum += member->sealed ? member->end : segment_bytes_;
  return sum;
}

std::uint64_t log_segments::dead_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [number, member] : all_) sum += member->dead_bytes;
  return sum;
}

std::optional<std::uint32_t> log_segments::most_dead(double min_share) const {
  const segment* most = nullptr;
  for (const auto& [number, member] : all_) {
    if (!member->sealed || member->damaged || member->dead_share() < min_share) continue;
    if (member->dead_bytes < segment_bytes_ / min_dead_part) continue;
    if (most == nullptr || member->dead_share() > most->dead_share()) most = member.get();
  }
  return most == nullptr ? std::nullopt : std::optional(most->number);
}

bool log_segments::any_partly_counted(std::uint32_t but) const {
  return std::ranges::any_of(all_, [&](const auto& member) {
    return member.second->counted_to != 0 && member.first != but;
  });
}

bool log_segments::room_to_spare() const {
  struct statvfs disk {};
  // If statvfs() fails, assume that there is room until a write fails.
  if (::fstatvfs(directory_.fd(), &disk) != 0) return true;
  const std::lock_guard lock(next_.mutex);
  const bool being_made = next_.requested && !next_.file.file;
  return disk.f_bavail * disk.f_frsize >= (being_made ? 3 : 2) * segment_bytes_;
}

}  // namespace stallscope::value_log
