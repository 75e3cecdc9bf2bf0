#include "collect/build_id.hpp"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace stallscope::collect {
namespace {

constexpr std::size_t max_notes_bytes = std::size_t{64} << 10U;
constexpr unsigned max_segments = 512;

template <class T>
bool read_at(int fd, std::uint64_t offset, T& value) {
  if (offset > (std::uint64_t{1} << 62U)) return false;
  return ::pread(fd, &value, sizeof value, static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(sizeof value);
}

template <class Header, class Segment>
build_id build_id_of_class(int fd) {
  Header header{};
  if (!read_at(fd, 0, header) || header.e_phentsize != sizeof(Segment)) return {};
  const unsigned count = std::min<unsigned>(header.e_phnum, max_segments);
  for (unsigned i = 0; i < count; ++i) {
    Segment segment{};
    if (!read_at(fd, std::uint64_t{header.e_phoff} + std::uint64_t{i} * sizeof segment, segment))
      return {};
    if (segment.p_type != PT_NOTE || segment.p_offset > (std::uint64_t{1} << 62U)) continue;
    std::vector<std::byte> notes(
        static_cast<std::size_t>(std::min<std::uint64_t>(segment.p_filesz, max_notes_bytes)));
    const auto got = ::pread(fd, notes.data(), notes.size(), static_cast<off_t>(segment.p_offset));
    if (got <= 0) continue;
    auto id = build_id_of_notes(std::span{notes}.first(static_cast<std::size_t>(got)));
    if (!id.empty()) return id;
  }
  return {};
}

std::size_t aligned(std::uint32_t size) { return (std::size_t{size} + 3U) & ~std::size_t{3U}; }

}  // namespace

build_id build_id_of_notes(std::span<const std::byte> notes) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note{};
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t name_bytes = aligned(note.n_namesz);
    const std::size_t id_bytes = aligned(note.n_descsz);
    const std::size_t total = sizeof note + name_bytes + id_bytes;
    if (total > notes.size()) return {};
    const auto name = notes.subspan(sizeof note, name_bytes);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(name.data(), "GNU", 4) == 0 && note.n_descsz > 0 &&
        note.n_descsz <= max_build_id_bytes) {
      const auto id = notes.subspan(sizeof note + name_bytes, note.n_descsz);
      return {id.begin(), id.end()};
    }
    notes = notes.subspan(total);
  }
  return {};
}

build_id build_id_of_file(int fd) {
  std::array<unsigned char, EI_NIDENT> ident{};
  if (!read_at(fd, 0, ident) || std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0) return {};
  constexpr unsigned char host_order =
      __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
  if (ident[EI_DATA] != host_order) return {};
  if (ident[EI_CLASS] == ELFCLASS64) return build_id_of_class<Elf64_Ehdr, Elf64_Phdr>(fd);
  if (ident[EI_CLASS] == ELFCLASS32) return build_id_of_class<Elf32_Ehdr, Elf32_Phdr>(fd);
  return {};
}

build_id build_id_of_mapping(const procfs& proc, pid_t pid, const memory_mapping& mapping) {
  const auto fd = open_mapped_file(proc, pid, mapping);
  return fd ? build_id_of_file(fd.get()) : build_id{};
}

}  // namespace stallscope::collect
