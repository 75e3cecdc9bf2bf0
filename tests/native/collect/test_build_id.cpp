#include <doctest/doctest.h>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <limits>

#include "base/descriptor.hpp"
#include "collect/build_id.hpp"
#include "scratch.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

template <class T>
void append(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string note(std::uint32_t type, const std::string& name, const std::string& content) {
  std::string bytes;
  append(bytes, Elf64_Nhdr{static_cast<std::uint32_t>(name.size()),
                           static_cast<std::uint32_t>(content.size()), type});
  for (std::string part : {name, content}) {
    part.resize((part.size() + 3) / 4 * 4);
    bytes += part;
  }
  return bytes;
}

const std::string gnu{"GNU", 4};
const std::string id_text = "0123456789abcdefghij";

build_id id_of(const std::string& notes) {
  return build_id_of_notes(std::as_bytes(std::span{notes}));
}

build_id id_of_elf(const Elf64_Ehdr& header, const Elf64_Phdr& segment, const std::string& notes) {
  const test::scratch folder;
  std::string bytes;
  append(bytes, header);
  append(bytes, segment);
  const descriptor fd{::open(folder.write("elf", bytes + notes).c_str(), O_RDONLY | O_CLOEXEC)};
  return build_id_of_file(fd.get());
}

Elf64_Ehdr good_header() {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  return header;
}

Elf64_Phdr good_segment(std::size_t size) {
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  segment.p_filesz = size;
  return segment;
}

}  // namespace

TEST_CASE("the build id is read after other notes") {
  const auto id = id_of(note(1, "Linux", "abcde") + note(NT_GNU_BUILD_ID, gnu, id_text));
  REQUIRE(id.size() == 20);
  CHECK(std::memcmp(id.data(), id_text.data(), 20) == 0);
}

TEST_CASE("a note of another kind gives no build id") {
  CHECK(id_of("").empty());
  CHECK(id_of("short").empty());
  CHECK(id_of(note(NT_GNU_BUILD_ID, "XXXX", id_text)).empty());
  CHECK(id_of(note(NT_GNU_BUILD_ID, gnu, "")).empty());
  CHECK(id_of(note(NT_GNU_BUILD_ID, gnu, std::string(21, 'x'))).empty());
  auto cut = note(NT_GNU_BUILD_ID, gnu, id_text);
  cut.resize(cut.size() - 1);
  CHECK(id_of(cut).empty());
}

TEST_CASE("a size out of range ends the search for the build id") {
  std::string bytes;
  append(bytes, Elf64_Nhdr{0xffffffff, 0xffffffff, NT_GNU_BUILD_ID});
  CHECK(id_of(bytes + std::string(64, 'x')).empty());
}

TEST_CASE("the build id of ELF files is read, and hostile ELF files have none") {
  const auto notes = note(NT_GNU_BUILD_ID, gnu, id_text);
  auto header = good_header();
  auto segment = good_segment(notes.size());
  SUBCASE("as it should be") { CHECK(id_of_elf(header, segment, notes).size() == 20); }
  SUBCASE("headers beyond the file") {
    header.e_phoff = std::numeric_limits<std::uint64_t>::max() - 8;
    CHECK(id_of_elf(header, segment, notes).empty());
  }
  SUBCASE("a segment beyond the file") {
    segment.p_offset = std::numeric_limits<std::uint64_t>::max() - 8;
    CHECK(id_of_elf(header, segment, notes).empty());
  }
  SUBCASE("a segment of 16 exabytes is read as far as it goes") {
    segment.p_filesz = std::numeric_limits<std::uint64_t>::max();
    CHECK(id_of_elf(header, segment, notes).size() == 20);
  }
  SUBCASE("more headers than there are") {
    header.e_phnum = 0xffff;
    segment.p_type = PT_LOAD;
    CHECK(id_of_elf(header, segment, notes).empty());
  }
  SUBCASE("headers of another size") {
    header.e_phentsize = 8;
    CHECK(id_of_elf(header, segment, notes).empty());
  }
  SUBCASE("the other byte order") {
    header.e_ident[EI_DATA] = ELFDATA2MSB;
    CHECK(id_of_elf(header, segment, notes).empty());
  }
  SUBCASE("no ELF file") {
    header.e_ident[0] = 'x';
    CHECK(id_of_elf(header, segment, notes).empty());
  }
}

TEST_CASE("a mapping's file is opened through its process, and only if it is a regular file") {
  const procfs proc;
  memory_mapping mapping;
  proc.visit_mappings(::getpid(), [&mapping](const memory_mapping& entry) {
    mapping = entry;
    return true;
  });
  REQUIRE(mapping.end != 0);
  mapping.path = "/dev/zero";
  mapping.start = 0x1000;
  mapping.end = 0x2000;
  CHECK(build_id_of_mapping(proc, ::getpid(), mapping).empty());
  mapping.inode = 0;
  CHECK(build_id_of_mapping(proc, ::getpid(), mapping).empty());
}
