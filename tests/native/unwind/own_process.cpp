#include "own_process.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace unwind = stallscope::unwind;

own_process::own_process() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unwind::mapped_code mapping;
    char modes[5] = {};
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n",
                    &mapping.start, &mapping.end, modes, &mapping.file_offset, &path_at) != 4 ||
        modes[2] != 'x') {
      continue;
    }
    const std::string path = line.substr(static_cast<std::size_t>(path_at));
    auto& table = tables_[path];
    if (!table && path == "[vdso]") {
      const auto image = copy(mapping.start, mapping.end - mapping.start);
      table = std::make_unique<unwind::table>(unwind::table::compile(image));
    } else if (!table && path.starts_with("/")) {
      const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
      table = std::make_unique<unwind::table>(unwind::table::compile(file));
      close(file);
    }
    mapping.table = table.get();
    code_.push_back(mapping);
  }
}

const unwind::mapped_code* own_process::find(std::uint64_t address) {
  for (const unwind::mapped_code& mapping : code_) {
    if (address >= mapping.start && address < mapping.end) return &mapping;
  }
  return nullptr;
}

std::vector<std::byte> own_process::copy(std::uint64_t address, std::size_t max_bytes) {
  // Writing to a pipe also lets the kernel copy the memory; emulators do not support
  // process_vm_readv.
  std::vector<std::byte> bytes;
  int ends[2];
  if (pipe(ends) != 0) return bytes;
  std::array<std::byte, 512> piece{};
  while (bytes.size() < max_bytes) {
    const std::size_t count = std::min(piece.size(), max_bytes - bytes.size());
    const auto* from = reinterpret_cast<const void*>(address + bytes.size());
    const auto written = syscall(SYS_write, ends[1], from, count);  // unseen by sanitizers
    if (written <= 0 || read(ends[0], piece.data(), count) != written) break;
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + written);
  }
  close(ends[0]);
  close(ends[1]);
  return bytes;
}
