// Writes the records that compaction keeps, in pieces and with many writes in flight, to new
// segments. The index points to a record's new location after its piece is written.
//
//   piece_writer writer(content, port, memory, {.failed = fail, .progress = wake});
//   writer.append(record_bytes, old_location);
//   writer.flush();                            // submits the last, partial piece
//   if (writer.in_flight() == 0) writer.seal_full();
//
// Errors are reported through `failed`, with an errno. Cost: a copy of each record and memory for
// the pieces in flight. Thread: that of the shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "value_log/chunk_memory.hpp"
#include "value_log/io_port.hpp"
#include "value_log/log_content.hpp"

namespace stallscope::value_log {

struct piece_callbacks {
  std::function<void(int error)> failed;
  std::function<void()> progress;  // a write completed
};

class piece_writer {
 public:
  piece_writer(log_content& content, io_port& port, chunk_memory& memory, piece_callbacks callbacks)
      : content_(content), port_(port), memory_(memory), callbacks_(std::move(callbacks)) {}

  // Adds a record; submits the current piece first if the record does not fit into it. Throws
  // std::bad_alloc without adding the record.
  void append(std::span<const std::byte> record, const location& from);
  // Submits the current piece, if any. Returns false if no segment could be created; throws
  // std::bad_alloc without effect.
  bool flush();
  // Drops the current piece.
  void drop() noexcept { filling_.reset(); }

  [[nodiscard]] std::size_t in_flight() const noexcept { return pieces_.size(); }
  [[nodiscard]] std::uint64_t bytes_written() const noexcept { return bytes_written_; }
  [[nodiscard]] std::uint64_t records_moved() const noexcept { return records_moved_; }

  // Seals the full segments. No write may be in flight.
  void seal_full();
  // Seals all segments, including the current one.
  void end();

 private:
  struct piece final : io_request {
    struct kept_record {
      location from;
      std::uint32_t offset;  // in the piece
    };
    piece(piece_writer& of_writer, aligned_memory room)
        : owner(of_writer), memory(std::move(room)) {
      of = io_class::compaction;
    }
    void io_done(std::int64_t result) noexcept override { owner.written(*this, result); }

    piece_writer& owner;
    aligned_memory memory;
    std::uint64_t bytes = 0;
    std::vector<kept_record> records;
    shared_segment to;
    std::uint64_t at = 0;
  };

  [[nodiscard]] bool open_segment(std::uint64_t bytes);
  void written(piece& done, std::int64_t result);
  void commit(const piece& done);

  log_content& content_;
  io_port& port_;
  chunk_memory& memory_;
  piece_callbacks callbacks_;
  shared_segment output_;
  std::vector<shared_segment> full_;  // earlier outputs; writes may still be in flight
  std::unique_ptr<piece> filling_;
  std::vector<std::unique_ptr<piece>> pieces_;  // being written
  std::uint64_t bytes_written_ = 0;
  std::uint64_t records_moved_ = 0;
};

}  // namespace stallscope::value_log
