// One command of disk_executor in flight. Reused with its memory.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/shards/disk_access.hpp"
#include "server/shards/disk_executor.hpp"
#include "store/keyspace.hpp"

namespace stallscope::server {

// The read of the record of one key.
class disk_executor::value_read final : public value_log::io_request {
 public:
  value_read(operation& of_operation, std::string_view key, const value_log::location& where,
             value_log::shared_segment from);

  void submit(value_log::io_port& port) noexcept;
  void io_done(std::int64_t result) noexcept override;
  [[nodiscard]] bool done() const noexcept { return done_; }
  [[nodiscard]] std::string_view value() const { return value_; }
  [[nodiscard]] static std::uint64_t bytes_of(std::string_view key,
                                              const value_log::location& where);

 private:
  operation& operation_;
  std::string_view key_;
  value_log::location where_;
  value_log::shared_segment from_;  // stays open until read, even if the segment is removed
  value_log::aligned_memory memory_;
  std::string_view value_;
  bool done_ = false;
};

class disk_executor::operation final : public value_log::append_request,
                                       public value_log::key_locks::holder {
 public:
  struct operation_key {
    std::string_view key;
    std::optional<value_log::location> where;  // nothing if the key does not exist
    std::unique_ptr<value_read> read;          // null if the value is not needed
  };

  // The first read that failed.
  struct read_failure {
    int error;  // an errno; 0: the value is damaged
    value_log::location where;
  };

  explicit operation(disk_executor& of_executor)
      : owner(of_executor), scratch(of_executor.lock_seed_) {}

  void all_held() noexcept override {
    owner.ready_.push(*this);
    owner.wake();
  }
  void appended(int error) noexcept override;
  void read_done() noexcept;
  void reply_with_error(std::string_view error) noexcept;  // replaces the partial reply
  [[nodiscard]] std::string text_of(const read_failure& failure) const;

  disk_executor& owner;
  operation* next = nullptr;  // in a list of the executor
  disk_call* call = nullptr;
  disk_access access;
  std::vector<operation_key> keys;
  store::keyspace scratch;
  std::optional<read_failure> failed_read;
  std::size_t reads_left = 0;      // 0 before the first one is submitted
  bool cancelled = false;          // its client disconnected
  std::uint64_t needed_bytes = 0;  // memory for its values
  std::uint64_t held_bytes = 0;    // the part of the budget that it holds
};

template <typename Work>
void disk_executor::guarded(operation& op, Work work) noexcept {
  try {
    work();
  } catch (const std::bad_alloc&) {
    op.reply_with_error("OOM the system has no memory for this");
    answer(op);
  } catch (const std::exception& error) {
    std::array<char, 256> text{};  // std::string might throw
    std::snprintf(text.data(), text.size(), "ERR %s", error.what());
    op.reply_with_error(text.data());
    answer(op);
  }
}

}  // namespace stallscope::server
