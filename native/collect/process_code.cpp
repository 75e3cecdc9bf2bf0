#include "collect/process_code.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace stallscope::collect {
namespace {

constexpr const char* vdso_name = "[vdso]";

std::optional<unwind::table> compile(const auto& from) {
  try {
    return unwind::table::compile(from);
  } catch (const unwind::table_error&) {
  } catch (const std::system_error&) {
  }
  return std::nullopt;
}

// The vdso image as mapped into this process; the kernel maps the same one into all processes.
// Empty if there is none.
std::vector<std::byte> own_vdso() {
  std::vector<std::byte> image;
  procfs{}.visit_mappings(::getpid(), [&image](const memory_mapping& mapping) {
    if (mapping.path != vdso_name) return true;
    image.resize(mapping.end - mapping.start);
    const descriptor memory{::open("/proc/self/mem", O_RDONLY | O_CLOEXEC)};
    const auto got =
        ::pread(memory.get(), image.data(), image.size(), static_cast<off_t>(mapping.start));
    image.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    return false;
  });
  return image;
}

}  // namespace

const unwind::table* table_store::compiled(const file_key& key, const descriptor& file) {
  if (!file || limit_.passed()) return nullptr;
  const auto& table = tables_.emplace(key, compile(file.get())).first->second;
  return table ? &*table : nullptr;
}

const unwind::table* table_store::of_mapping(const procfs& proc, pid_t pid,
                                             const memory_mapping& mapping) {
  const file_key key{mapping.major, mapping.minor, mapping.inode, mapping.path};
  const auto entry = tables_.find(key);
  if (entry != tables_.end()) return entry->second ? &*entry->second : nullptr;
  if (reader_ == nullptr) return compiled(key, open_mapped_file(proc, pid, mapping));
  if (limit_.passed()) return nullptr;
  const auto& table = tables_.emplace(key, reader_->table_of(pid, mapping)).first->second;
  return table ? &*table : nullptr;
}

const unwind::table* table_store::of_file(const descriptor& file) {
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return nullptr;
  const file_key key{status.st_dev, ~std::uint64_t{0}, status.st_ino, {}};
  const auto entry = tables_.find(key);
  if (entry != tables_.end()) return entry->second ? &*entry->second : nullptr;
  return compiled(key, file);
}

code_mappings table_store::mappings_of(const procfs& proc, pid_t pid) {
  return reader_ != nullptr ? reader_->mappings_of(pid) : read_code_mappings(proc, pid);
}

const unwind::table* table_store::of_vdso() {
  if (!vdso_) {
    const auto image = own_vdso();
    vdso_ = image.empty() ? std::nullopt : compile(std::span<const std::byte>{image});
  }
  return *vdso_ ? &**vdso_ : nullptr;
}

process_code::process_code(const procfs& proc, pid_t pid, table_store& tables)
    : proc_{&proc}, pid_{pid}, tables_{&tables} {
  auto code = tables.mappings_of(proc, pid);
  executable_inode_ = code.executable_inode;
  for (auto& mapping : code.mappings) {
    const unwind::mapped_code range{mapping.start, mapping.end, mapping.page_offset};
    mappings_.push_back({std::move(mapping), false, range});
  }
}

void process_code::look_up(mapped& entry) {
  entry.looked_up = true;
  if (entry.mapping.path == vdso_name) {
    entry.code.table = tables_->of_vdso();
  } else if (entry.mapping.inode != 0) {
    entry.code.table = tables_->of_mapping(*proc_, pid_, entry.mapping);
  }
}

const unwind::mapped_code* process_code::find(std::uint64_t address) {
  const auto after = std::upper_bound(
      mappings_.begin(), mappings_.end(), address,
      [](std::uint64_t value, const mapped& entry) { return value < entry.mapping.start; });
  if (after == mappings_.begin()) return nullptr;
  auto& entry = *std::prev(after);
  if (address >= entry.mapping.end) return nullptr;
  if (!entry.looked_up) look_up(entry);
  unread_ = unread_ || (entry.mapping.inode != 0 && entry.code.table == nullptr);
  return &entry.code;
}

std::optional<double> process_code::frame_pointer_share() {
  std::vector<code_share> parts;
  for (auto& entry : mappings_) {
    if (entry.mapping.inode == 0) continue;
    if (!entry.looked_up) look_up(entry);
    if (entry.code.table == nullptr) continue;
    parts.push_back({entry.code.table->frame_pointer_share(),
                     entry.mapping.end - entry.mapping.start,
                     entry.mapping.inode == executable_inode_});
  }
  return collect::frame_pointer_share(parts);
}

std::optional<double> frame_pointer_share(const std::vector<code_share>& parts) {
  // The shares of time in a program's code and in its libraries are unknown beforehand, so both
  // have the same weight.
  double of_executable = 0;
  double of_libraries = 0;
  std::uint64_t executable_bytes = 0;
  std::uint64_t library_bytes = 0;
  for (const auto& part : parts) {
    (part.executable ? of_executable : of_libraries) +=
        part.share * static_cast<double>(part.bytes);
    (part.executable ? executable_bytes : library_bytes) += part.bytes;
  }
  if (executable_bytes + library_bytes == 0) return std::nullopt;
  if (executable_bytes == 0) return of_libraries / static_cast<double>(library_bytes);
  of_executable /= static_cast<double>(executable_bytes);
  if (library_bytes == 0) return of_executable;
  return (of_executable + of_libraries / static_cast<double>(library_bytes)) / 2;
}

}  // namespace stallscope::collect
