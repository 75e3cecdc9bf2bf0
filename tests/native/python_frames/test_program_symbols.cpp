#include <doctest/doctest.h>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "base/descriptor.hpp"
#include "python_frames/program_symbols.hpp"

extern "C" int a_symbol_to_be_found(int value);
int a_symbol_to_be_found(int value) { return value + 1; }

namespace stallscope::python_frames {
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

}  // namespace

TEST_CASE("a symbol's address is in an executable segment, and unknown names have no address") {
  const descriptor fd{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
  const auto symbols = find_symbols(fd.get(), searched, symbol_scope::linker);
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
  SUBCASE("empty") {
    CHECK_FALSE(
        find_symbols(file_of({}).get(), searched, symbol_scope::linker).addresses[0].has_value());
  }
  SUBCASE("cut anywhere") {
    for (std::size_t size = 1; size < bytes.size(); size += bytes.size() / 37 + 1)
      CHECK_FALSE(
          find_symbols(file_of(std::span{bytes}.first(size)).get(), searched, symbol_scope::linker)
              .addresses[0]
              .has_value());
  }
  SUBCASE("every section wrong") {
    Elf64_Ehdr header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    for (std::size_t i = 0; i < header.e_shnum; ++i)
      std::memset(bytes.data() + header.e_shoff + i * sizeof(Elf64_Shdr) + 8, 0xfe, 48);
    CHECK_FALSE(find_symbols(file_of(bytes).get(), searched, symbol_scope::linker)
                    .addresses[0]
                    .has_value());
  }
}

}  // namespace stallscope::python_frames
