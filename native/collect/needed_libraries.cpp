#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "collect/command_files.hpp"

namespace stallscope::collect {
namespace {

constexpr std::size_t max_program_headers = 128;
constexpr std::size_t max_entries = 4096;
constexpr std::size_t longest_library_name = 256;
constexpr std::uint64_t max_offset = std::uint64_t{1} << 62U;

// Reads up to `count` items; fewer at the end of the file.
template <class T>
std::vector<T> read_items(int fd, std::uint64_t offset, std::uint64_t count) {
  std::vector<T> items(static_cast<std::size_t>(count));
  if (offset > max_offset) return {};
  const auto read_bytes =
      ::pread(fd, items.data(), items.size() * sizeof(T), static_cast<off_t>(offset));
  items.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read_bytes)) / sizeof(T));
  return items;
}

// Returns the file offset of a virtual address; an offset past the end if it is in no segment.
std::uint64_t offset_of(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
  for (const auto& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return address - segment.p_vaddr + segment.p_offset;
  }
  return max_offset + 1;
}

}  // namespace

std::vector<std::string> needed_libraries(const descriptor& file) {
  std::vector<std::string> names;
  const auto headers = read_items<Elf64_Ehdr>(file.get(), 0, 1);
  if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      headers[0].e_ident[EI_CLASS] != ELFCLASS64 || headers[0].e_phentsize != sizeof(Elf64_Phdr))
    return names;
  const auto segments =
      read_items<Elf64_Phdr>(file.get(), headers[0].e_phoff,
                             std::min<std::size_t>(headers[0].e_phnum, max_program_headers));
  const auto dynamic = std::find_if(segments.begin(), segments.end(), [](const auto& segment) {
    return segment.p_type == PT_DYNAMIC;
  });
  if (dynamic == segments.end()) return names;
  const auto entries = read_items<Elf64_Dyn>(
      file.get(), dynamic->p_offset,
      std::min<std::uint64_t>(dynamic->p_filesz / sizeof(Elf64_Dyn), max_entries));
  const auto strings = std::find_if(entries.begin(), entries.end(),
                                    [](const auto& entry) { return entry.d_tag == DT_STRTAB; });
  if (strings == entries.end()) return names;
  const auto start = offset_of(segments, strings->d_un.d_ptr);
  for (const auto& entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag != DT_NEEDED || entry.d_un.d_val > max_offset - std::min(start, max_offset))
      continue;
    const auto text = read_items<char>(file.get(), start + entry.d_un.d_val, longest_library_name);
    const auto end = std::find(text.begin(), text.end(), '\0');
    if (end != text.begin() && end != text.end()) names.emplace_back(text.begin(), end);
  }
  return names;
}

}  // namespace stallscope::collect
