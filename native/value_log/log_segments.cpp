#include "value_log/log_segments.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace stallscope::value_log {
namespace {

// Of a segment: less is not worth the moving of the rest.
constexpr std::uint64_t least_dead_part = 16;

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

bool log_segments::may_grow() {
  if (next_is_ready() || room_to_spare()) return true;
  worker_->finish();
  return next_is_ready() || room_to_spare();
}

shared_segment log_segments::create_at_once() {
  auto added = std::make_shared<segment>();
  segment_file made;
  {
    const std::lock_guard lock(next_.mutex);
    if (next_.file.file) {
      made = std::move(next_.file);
      added->number = next_.number;
      next_.asked_for = false;
    }
  }
  if (!made.file) {
    made = directory_.create({shard_, next_number_}, segment_bytes_);
    added->number = next_number_++;
  }
  added->file = std::move(made.file);
  added->direct = made.direct;
  all_.emplace(added->number, added);
  return added;
}

void log_segments::prepare_next(const segment& filling) {
  if (filling.end < segment_bytes_ / 2) return;
  {
    const std::lock_guard lock(next_.mutex);
    if (next_.asked_for) return;
  }
  if (!room_to_spare()) return;
  const std::uint32_t number = next_number_++;
  next_.asked_for = true;
  worker_->post([this, number] {
    segment_file made;
    try {
      made = directory_.create({shard_, number}, segment_bytes_);
    } catch (const std::system_error&) {
      // Whoever needs it tries again, and is told.
    }
    const std::lock_guard lock(next_.mutex);
    next_.asked_for = static_cast<bool>(made.file);
    next_.number = number;
    next_.file = std::move(made);
  });
}

bool log_segments::next_is_ready() const {
  const std::lock_guard lock(next_.mutex);
  return static_cast<bool>(next_.file.file);
}

void log_segments::add(shared_segment found) {
  next_number_ = std::max(next_number_, found->number + 1);
  all_.emplace(found->number, std::move(found));
}

void log_segments::seal(const shared_segment& full) {
  if (full->sealed) return;
  full->sealed = true;
  full->unsynced = true;
  worker_->post([this, full] {
    const int file = full->file.get();
    // Refused, the next start finds it as it was while it was written to.
    [[maybe_unused]] const bool cut =
        ::ftruncate(file, static_cast<off_t>(padded(full->end, block_bytes))) == 0;
    [[maybe_unused]] const bool said =
        !full->gaps && directory_.seal(file, {shard_, full->number}, full->end);
  });
}

void log_segments::clear(segment& of, std::uint64_t offset, std::uint64_t bytes) {
  of.gaps = true;
  constexpr int hole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  const auto from = static_cast<off_t>(offset);
  if (::fallocate(of.file.get(), hole, from, static_cast<off_t>(bytes)) == 0) return;
  // Whole records may be in it that nobody counts: nothing that has to outlive them is forgotten.
  of.damaged = true;
  of.counted_to = std::max<std::uint64_t>(of.counted_to, block_bytes);
}

void log_segments::remove(std::uint32_t number) {
  directory_.remove({shard_, number});
  const auto found = all_.find(number);
  if (found == all_.end()) return;
  let_go(std::move(found->second));
  all_.erase(found);
}

void log_segments::let_go(shared_segment unused) {
  worker_->post([last = std::move(unused)]() mutable { last.reset(); });
}

shared_segment log_segments::find(std::uint32_t number) const {
  const auto found = all_.find(number);
  return found == all_.end() ? nullptr : found->second;
}

void log_segments::add_dead(std::uint32_t number, std::uint64_t bytes) {
  if (const auto found = all_.find(number); found != all_.end()) found->second->dead_bytes += bytes;
}

std::uint64_t log_segments::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [number, one] : all_) sum += one->sealed ? one->end : segment_bytes_;
  return sum;
}

std::uint64_t log_segments::dead_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [number, one] : all_) sum += one->dead_bytes;
  return sum;
}

std::optional<std::uint32_t> log_segments::most_dead(double least_share) const {
  const segment* most = nullptr;
  for (const auto& [number, one] : all_) {
    if (!one->sealed || one->damaged || one->dead_share() < least_share) continue;
    if (one->dead_bytes < segment_bytes_ / least_dead_part) continue;
    if (most == nullptr || one->dead_share() > most->dead_share()) most = one.get();
  }
  return most == nullptr ? std::nullopt : std::optional(most->number);
}

bool log_segments::any_partly_counted(std::uint32_t but) const {
  return std::ranges::any_of(
      all_, [&](const auto& one) { return one.second->counted_to != 0 && one.first != but; });
}

bool log_segments::room_to_spare() const {
  struct statvfs disk {};
  // Whose filesystem does not say is believed to have room until it refuses.
  if (::fstatvfs(directory_.fd(), &disk) != 0) return true;
  const std::lock_guard lock(next_.mutex);
  const bool being_made = next_.asked_for && !next_.file.file;
  return disk.f_bavail * disk.f_frsize >= (being_made ? 3 : 2) * segment_bytes_;
}

}  // namespace stallscope::value_log
