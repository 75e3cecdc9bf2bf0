#include <doctest/doctest.h>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "base/descriptor.hpp"
#include "base/procfs.hpp"
#include "process_reading/program_symbols.hpp"

extern "C" int a_symbol_to_be_found(int value);
int a_symbol_to_be_found(int value) { return value + 1; }

namespace stallscope::process_reading {
namespace {

constexpr std::array<std::string_view, 2> searched{"a_symbol_to_be_found", "no_such_symbol"};

std::vector<std::byte> this_program() {
  const descriptor fd{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
  std::vector<std::byte> bytes(static_cast<std::size_t>(::lseek(fd.get(), 0, SEEK_END)));
  REQUIRE(::pread(fd.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return bytes;
}

descriptor file_of(std::span<const std::byte> bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), &std::fclose};
  if (!bytes.empty()) std::fwrite(bytes.data(), 1, bytes.size(), file.get());
  std::fflush(file.get());
  return descriptor{::dup(::fileno(file.get()))};
}

program_symbols symbols_of(const descriptor& file, symbol_scope scope = symbol_scope::linker) {
  read_budget budget{{}};
  return find_symbols(file.get(), searched, scope, budget);
}

// An ELF file of headers alone: symbol tables that all cover one range, which is a hole.
descriptor sparse_file(std::size_t tables, std::uint64_t table_bytes) {
  std::vector<Elf64_Shdr> sections(tables + 1);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  const std::uint64_t start = sizeof header + sections.size() * sizeof(Elf64_Shdr);
  sections[0].sh_type = SHT_STRTAB;
  sections[0].sh_offset = start;
  sections[0].sh_size = table_bytes;
  for (std::size_t i = 1; i < sections.size(); ++i) {
    sections[i] = sections[0];
    sections[i].sh_type = SHT_SYMTAB;
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(start));
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(&bytes[sizeof header], sections.data(), sections.size() * sizeof(Elf64_Shdr));
  for (const std::size_t copy : {std::size_t{0}, std::size_t{1}}) {
    const auto name = searched.at(copy);
    const auto* text = reinterpret_cast<const std::byte*>(name.data());
    bytes.insert(bytes.end(), text, text + name.size());
    bytes.push_back(std::byte{0});
  }
  auto file = file_of(bytes);
  REQUIRE(::ftruncate(file.get(), static_cast<off_t>(start + table_bytes)) == 0);
  return file;
}

}  // namespace

TEST_CASE("a symbol's address is in an executable segment, and unknown names have no address") {
  const descriptor fd{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
  const auto symbols = symbols_of(fd);
  REQUIRE(symbols.addresses.size() == 2);
  REQUIRE(symbols.addresses[0].has_value());
  CHECK_FALSE(symbols.addresses[1].has_value());
  CHECK((*symbols.addresses[0] & 0xfffU) ==
        (reinterpret_cast<std::uint64_t>(&a_symbol_to_be_found) & 0xfffU));
  REQUIRE(symbols.executable.size() == 1);
  const auto& segment = symbols.executable[0];
  CHECK(*symbols.addresses[0] - segment.address < segment.size_bytes);
  CHECK(address_of_offset(symbols, segment.file_offset) == segment.address);
  CHECK_FALSE(address_of_offset(symbols, segment.file_offset + segment.size_bytes).has_value());
}

TEST_CASE("truncated or corrupt files have no symbols") {
  auto bytes = this_program();
  SUBCASE("empty") { CHECK_FALSE(symbols_of(file_of({})).addresses[0].has_value()); }
  SUBCASE("cut anywhere") {
    for (std::size_t size = 1; size < bytes.size(); size += bytes.size() / 37 + 1)
      CHECK_FALSE(symbols_of(file_of(std::span{bytes}.first(size))).addresses[0].has_value());
  }
  SUBCASE("every section wrong") {
    Elf64_Ehdr header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    for (std::size_t i = 0; i < header.e_shnum; ++i)
      std::memset(bytes.data() + header.e_shoff + i * sizeof(Elf64_Shdr) + 8, 0xfe, 48);
    CHECK_FALSE(symbols_of(file_of(bytes)).addresses[0].has_value());
  }
}

TEST_CASE("an exported symbol is looked up by hash, with a few small reads") {
  constexpr std::array<std::string_view, 2> names{"malloc", "no_such_symbol"};
  std::string path;
  procfs{}.visit_mappings(::getpid(), [&path](const memory_mapping& mapping) {
    if (mapping.path.find("/libc.so") != std::string::npos) path = mapping.path;
    return path.empty();
  });
  REQUIRE_FALSE(path.empty());
  const descriptor libc{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  read_budget budget{{.bytes = 16'384}};
  const auto symbols = find_symbols(libc.get(), names, symbol_scope::dynamic, budget);
  CHECK(symbols.addresses[0].has_value());
  CHECK_FALSE(symbols.addresses[1].has_value());
  CHECK_FALSE(budget.exhausted());
}

TEST_CASE("many symbol tables over one range cost a single read of it") {
  const auto file = sparse_file(4000, std::uint64_t{8} << 20U);
  read_budget budget{{.bytes = std::uint64_t{17} << 20U, .cpu_ns = 60'000'000'000}};
  CHECK_FALSE(
      find_symbols(file.get(), searched, symbol_scope::linker, budget).addresses[0].has_value());
  CHECK_FALSE(budget.exhausted());
}

TEST_CASE("a symbol table beyond the limit is not read") {
  const auto file = sparse_file(1, std::uint64_t{255} << 20U);
  read_budget budget{{.bytes = 4096}};
  CHECK_FALSE(
      find_symbols(file.get(), searched, symbol_scope::linker, budget).addresses[0].has_value());
  CHECK_FALSE(budget.exhausted());
}

TEST_CASE("a search ends when its budget of bytes, of time, or its stop flag says so") {
  const auto file = sparse_file(1, std::uint64_t{32} << 20U);
  std::atomic<bool> stop = false;
  const auto exhausted = [&](const read_limits& limits) {
    read_budget budget{limits, &stop};
    CHECK_FALSE(
        find_symbols(file.get(), searched, symbol_scope::linker, budget).addresses[0].has_value());
    return budget.exhausted();
  };
  CHECK(exhausted({.bytes = std::uint64_t{1} << 20U}));
  CHECK(exhausted({.cpu_ns = 0}));
  stop = true;
  CHECK(exhausted({}));
}

}  // namespace stallscope::process_reading
