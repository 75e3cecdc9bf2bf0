// The interface between the log and the disk. Class "queries" is for reads and writes of clients,
// class "compaction" for the log's own work. disk_port.hpp implements it with an I/O queue; tests
// complete requests by hand and can make them fail.
//
// Neither submit() nor sync() allocates, so that work in flight always completes.
//
// Thread: one. io_done() is called on the submitting thread, never from within submit(), but
// perhaps from within cancel().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ioqueue/request.hpp"

namespace stallscope::value_log {

enum class io_class : std::uint8_t { queries, compaction };
inline constexpr std::array<std::string_view, 2> io_class_names{"queries", "compaction"};

// The caller keeps the request and its memory in place until io_done().
class io_request : public ioqueue::request {
 public:
  io_class of = io_class::queries;

  void reads(int file, std::uint64_t offset, std::span<std::byte> memory) {
    io = {.kind = ioqueue::direction::read,
          .file = file,
          .offset = offset,
          .memory = memory.data(),
          .size_bytes = memory.size()};
  }
  void writes(int file, std::uint64_t offset, std::span<std::byte> memory) {
    reads(file, offset, memory);
    io.kind = ioqueue::direction::write;
  }

  // Receives the transferred bytes or a negative errno. May submit further requests, including this
  // one.
  virtual void io_done(std::int64_t result) noexcept = 0;

 protected:
  ~io_request() = default;

 private:
  void settled(ioqueue::outcome /*how*/, std::int64_t result) noexcept final { io_done(result); }
};

class io_port {
 public:
  io_port() = default;
  io_port(const io_port&) = delete;
  io_port& operator=(const io_port&) = delete;
  io_port(io_port&&) = delete;
  io_port& operator=(io_port&&) = delete;

  virtual void submit(io_request& request) noexcept = 0;
  // Cancels a submitted request that is not done. It ends with -ECANCELED: at once if it is still
  // queued, otherwise when the disk completes it, perhaps normally.
  virtual void cancel(io_request& request) noexcept = 0;
  // Makes the completed writes of the file durable. Bypasses the queue.
  virtual void sync(int file, io_request& request) noexcept = 0;

 protected:
  ~io_port() = default;
};

}  // namespace stallscope::value_log
