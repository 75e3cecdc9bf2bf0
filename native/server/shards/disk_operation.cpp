#include "server/shards/disk_operation.hpp"

#include <cerrno>
#include <system_error>

namespace stallscope::server {
namespace {

using value_log::block_bytes;

std::uint64_t first_block_of(const value_log::location& where) {
  return where.offset / block_bytes * block_bytes;
}

}  // namespace

std::uint64_t disk_executor::value_read::bytes_of(std::string_view key,
                                                  const value_log::location& where) {
  const std::uint64_t end = where.offset + where.bytes(key.size());
  return value_log::padded(end - first_block_of(where), block_bytes);
}

disk_executor::value_read::value_read(operation& of_operation, std::string_view key,
                                      const value_log::location& where,
                                      value_log::shared_segment from)
    : operation_(of_operation),
      key_(key),
      where_(where),
      from_(std::move(from)),
      memory_(bytes_of(key, where)) {}

void disk_executor::value_read::submit(value_log::io_port& port) noexcept {
  reads(from_->file.get(), first_block_of(where_), memory_.bytes());
  port.submit(*this);
}

void disk_executor::value_read::io_done(std::int64_t result) noexcept {
  done_ = true;
  if (operation_.cancelled && result == -ECANCELED) ++operation_.owner.counts_.cancelled_reads;
  bool whole = false;
  if (result >= 0) {
    const auto got =
        std::span<const std::byte>(memory_.bytes()).first(static_cast<std::size_t>(result));
    const std::uint64_t before = where_.offset - first_block_of(where_);
    const auto rest = got.size() > before ? got.subspan(before) : got.first(0);
    const auto decoded = value_log::decode(rest, where_.offset, operation_.owner.content_.secret(),
                                           operation_.owner.read_check_);
    whole = decoded.status == value_log::decode_status::whole &&
            decoded.what.sequence == where_.sequence && decoded.what.key == key_;
    if (whole) value_ = decoded.what.value;
  }
  if (!whole && !operation_.failed_read) {
    operation_.failed_read = {result < 0 ? static_cast<int>(-result) : 0, where_};
  }
  from_.reset();
  operation_.read_done();
}

void disk_executor::operation::read_done() noexcept {
  if (--reads_left == 0) owner.loaded(*this);
}

void disk_executor::operation::reply_with_error(std::string_view error) noexcept {
  call->reply_to->cut_back(0);
  resp::reply_writer(*call->reply_to, call->version).error(error);
}

std::string disk_executor::operation::text_of(const read_failure& failure) const {
  const std::string place = owner.content_.segments().name_of(failure.where.segment) +
                            " at offset " + std::to_string(failure.where.offset);
  if (failure.error == 0) return "ERR the value is damaged on the disk, in " + place;
  return "ERR reading " + place + ": " + std::generic_category().message(failure.error);
}

void disk_executor::operation::appended(int error) noexcept {
  owner.guarded(*this, [&] {
    if (error == EMSGSIZE) {
      reply_with_error("ERR the value is too long for a segment of the log: see --segment-bytes");
    } else if (error != 0) {
      reply_with_error("MISCONF Errors writing to the log: " +
                       std::generic_category().message(error));
    }
    owner.answer(*this);
  });
}

}  // namespace stallscope::server
