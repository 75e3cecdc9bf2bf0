#include "collect/record_buffer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <climits>

namespace stallscope::collect {
namespace {

constexpr std::uint16_t fork_without_maps = 1U << 13U;  // PERF_RECORD_MISC_FORK_EXEC

}  // namespace

void record_buffer::begin(std::uint32_t type, std::uint16_t misc) {
  start_ = bytes_.size();
  put(perf_event_header{type, misc, 0});
}

void record_buffer::put_bytes(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void record_buffer::put_padded(std::string_view text, std::size_t alignment) {
  text = text.substr(0, PATH_MAX - 1);
  put_bytes(std::as_bytes(std::span{text}));
  const std::size_t padding = alignment - text.size() % alignment;
  bytes_.insert(bytes_.end(), padding, std::byte{0});
}

void record_buffer::put_sample_id(pid_t pid, pid_t tid) {
  put(pid);
  put(tid);
  put(std::array<std::uint64_t, 3>{});  // time, cpu, identifier
}

void record_buffer::end() {
  const auto size = static_cast<std::uint16_t>(bytes_.size() - start_);
  std::memcpy(bytes_.data() + start_ + offsetof(perf_event_header, size), &size, sizeof size);
}

void put_comm(record_buffer& out, const thread_identity& thread, std::string_view name) {
  out.begin(PERF_RECORD_COMM);
  out.put(thread.pid);
  out.put(thread.tid);
  out.put_padded(name);
  out.put_sample_id(thread.pid, thread.tid);
  out.end();
}

void put_fork(record_buffer& out, const thread_identity& thread) {
  // The child does not copy its parent's mappings: separate records follow for them.
  out.begin(PERF_RECORD_FORK, fork_without_maps);
  out.put(thread.pid);
  out.put(thread.parent_pid);
  out.put(thread.tid);
  out.put(thread.parent_tid);
  out.put(std::uint64_t{0});
  out.put_sample_id(thread.pid, thread.tid);
  out.end();
}

void put_mapping(record_buffer& out, pid_t pid, const memory_mapping& mapping, const build_id& id) {
  const std::uint16_t id_bit = id.empty() ? 0 : PERF_RECORD_MISC_MMAP_BUILD_ID;
  const std::uint16_t data_bit =
      (mapping.protection & PROT_EXEC) != 0 ? 0 : PERF_RECORD_MISC_MMAP_DATA;
  out.begin(PERF_RECORD_MMAP2,
            static_cast<std::uint16_t>(PERF_RECORD_MISC_USER | id_bit | data_bit));
  out.put(pid);
  out.put(pid);
  out.put(mapping.start);
  out.put(mapping.end - mapping.start);
  out.put(mapping.page_offset);
  if (id.empty()) {
    out.put(mapping.major);
    out.put(mapping.minor);
    out.put(mapping.inode);
    out.put(std::uint64_t{0});  // the inode's generation is not in /proc
  } else {
    std::array<std::byte, max_build_id_bytes> padded{};
    std::copy(id.begin(), id.end(), padded.begin());
    out.put(std::array<std::uint8_t, 4>{static_cast<std::uint8_t>(id.size())});
    out.put(padded);
  }
  out.put(mapping.protection);
  out.put(static_cast<std::uint32_t>(mapping.shared ? MAP_SHARED : MAP_PRIVATE));
  // The kernel's own records call anonymous memory //anon.
  out.put_padded(mapping.path.empty() ? "//anon" : mapping.path);
  out.put_sample_id(pid, pid);
  out.end();
}

}  // namespace stallscope::collect
