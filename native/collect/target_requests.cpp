#include "collect/target_requests.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "collect/runtime_kinds.hpp"
#include "collect/synthesize.hpp"
#include "collect/thread_readings.hpp"
#include "python_frames/interpreter.hpp"
#include "unwind/table.hpp"

namespace stallscope::collect {
namespace {

// A process may have more mappings, for example of a JIT compiler; the rest has no tables.
constexpr std::size_t max_code_mappings = 20'000;

class byte_writer {
 public:
  template <class T>
  void put(const T& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
  }
  void put(const memory_mapping& mapping) {
    put(mapping.start);
    put(mapping.end);
    put(mapping.page_offset);
    put(mapping.major);
    put(mapping.minor);
    put(mapping.inode);
    put(mapping.protection);
    put(static_cast<std::uint32_t>(mapping.path.size()));
    const auto* path = reinterpret_cast<const std::byte*>(mapping.path.data());
    bytes_.insert(bytes_.end(), path, path + mapping.path.size());
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class message_reader {
 public:
  explicit message_reader(std::span<const std::byte> bytes) : bytes_{bytes} {}
  template <class T>
  bool get(T& value) {
    if (bytes_.size() < sizeof value) return false;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return true;
  }
  bool get_mapping(memory_mapping& mapping) {
    std::uint32_t size = 0;
    if (!get(mapping.start) || !get(mapping.end) || !get(mapping.page_offset) ||
        !get(mapping.major) || !get(mapping.minor) || !get(mapping.inode) ||
        !get(mapping.protection) || !get(size) || size > bytes_.size() ||
        mapping.end <= mapping.start)
      return false;
    mapping.path.assign(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
};

std::uint64_t inode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

void send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw std::system_error(errno, std::generic_category(), "send");
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

bool receive_all(int socket, std::span<std::byte> into) {
  while (!into.empty()) {
    const auto received = ::recv(socket, into.data(), into.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(received));
  }
  return true;
}

void send_piece(int socket, std::span<const std::byte> bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  send_all(socket, std::as_bytes(std::span{&size, 1}));
  send_all(socket, bytes);
}

std::vector<std::byte> table_bytes(const procfs& proc, const target_request& request) {
  const auto file = open_mapped_file(proc, request.pid, request.mapping);
  if (!file) return {};
  try {
    return unwind::table::compile(file.get()).to_bytes();
  } catch (const unwind::table_error&) {
  } catch (const std::system_error&) {
  }
  return {};
}

}  // namespace

std::vector<std::byte> encode(const target_request& request) {
  byte_writer out;
  out.put(request.kind);
  out.put(request.pid);
  out.put(request.mapping);
  return out.take();
}

target_request decode_request(std::span<const std::byte> bytes) {
  message_reader in{bytes};
  target_request request;
  if (!in.get(request.kind) || !in.get(request.pid)) return {};
  if (!in.get_mapping(request.mapping)) request.mapping = {};
  return request;
}

std::vector<std::byte> encode(const code_mappings& code) {
  byte_writer out;
  out.put(code.executable_inode);
  for (const auto& mapping : code.mappings) out.put(mapping);
  return out.take();
}

code_mappings decode_mappings(std::span<const std::byte> bytes) {
  message_reader in{bytes};
  code_mappings code;
  if (!in.get(code.executable_inode)) return code;
  for (memory_mapping mapping; in.get_mapping(mapping) && code.mappings.size() < max_code_mappings;)
    code.mappings.push_back(mapping);
  return code;
}

code_mappings read_code_mappings(const procfs& proc, pid_t pid) {
  code_mappings code;
  code.executable_inode = inode_of((proc.root() / std::to_string(pid) / "exe").string());
  proc.visit_mappings(pid, [&code](const memory_mapping& mapping) {
    if ((mapping.protection & PROT_EXEC) != 0) code.mappings.push_back(mapping);
    return code.mappings.size() < max_code_mappings;
  });
  return code;
}

void serve_targets(const procfs& proc, int socket) {
  const auto send_records = [socket](std::span<const std::byte> bytes) {
    if (!bytes.empty()) send_piece(socket, bytes);
  };
  synthesizer plain{proc, send_records, false, [] {}};
  synthesizer with_tables{proc, send_records, true, [] {}};
  for (std::uint32_t size = 0; receive_all(socket, std::as_writable_bytes(std::span{&size, 1})) &&
                               size <= max_request_bytes;) {
    std::vector<std::byte> bytes(size);
    if (!receive_all(socket, bytes)) return;
    const auto request = decode_request(bytes);
    switch (request.kind) {
      case request_kind::records:
        plain.process(request.pid);
        break;
      case request_kind::records_with_tables:
        with_tables.process(request.pid);
        break;
      case request_kind::mappings:
        send_records(encode(read_code_mappings(proc, request.pid)));
        break;
      case request_kind::table:
        send_records(table_bytes(proc, request));
        break;
      case request_kind::python: {
        process_reading::read_budget budget{{}};
        if (python_frames::find_interpreter(proc, request.pid, budget).present)
          send_records(std::vector<std::byte>(1));
        break;
      }
      case request_kind::runtime: {
        const auto name = runtime_of(proc, request.pid);
        send_records(std::as_bytes(std::span{name}));
        break;
      }
      case request_kind::readings_at_start:
      case request_kind::readings_at_end: {
        const bool at_start = request.kind == request_kind::readings_at_start;
        const std::string moment = at_start ? "start" : "end";
        const auto threads = thread_lines(proc, request.pid, moment);
        const auto descriptors = descriptor_lines(proc, request.pid, moment);
        send_records(std::as_bytes(std::span{threads}));
        send_records(std::as_bytes(std::span{descriptors}));
        break;
      }
    }
    send_piece(socket, {});
  }
}

}  // namespace stallscope::collect
