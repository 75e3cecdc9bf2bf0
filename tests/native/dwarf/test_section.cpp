// Sections in files: plain and compressed ones, read in parts, and places that are impossible.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "dwarf/malformed.hpp"
#include "dwarf/section.hpp"

namespace {

using namespace stallscope::dwarf;
using stallscope::descriptor;

constexpr std::size_t content_bytes = 100'000;  // several blocks

std::string content() {
  std::string text;
  for (unsigned number = 0; text.size() < content_bytes; ++number)
    text += std::to_string(number) + '\0';
  text.resize(content_bytes);
  return text;
}

descriptor file_of(std::string_view text) {
  descriptor file(::memfd_create("section", MFD_CLOEXEC));
  REQUIRE(::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  return file;
}

std::string zlib_of(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string packed(size, '\0');
  REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                   reinterpret_cast<const Bytef*>(text.data()), text.size()) == Z_OK);
  packed.resize(size);
  return packed;
}

std::string zstd_of(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  return packed;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Reads from the end to the start, so that a stream is not read in its order.
void check_content(section& stored, const std::string& expected) {
  REQUIRE(stored.size() == expected.size());
  for (const std::size_t offset : {std::size_t{99'000}, std::size_t{40'000}, std::size_t{0}}) {
    CHECK(as_text(stored.bytes(offset, 1000)) == std::string_view(expected).substr(offset, 1000));
  }
  CHECK(as_text(stored.from(0)) == expected);
}

}  // namespace

TEST_CASE("a plain section has the bytes of its part of the file") {
  const std::string text = content();
  const descriptor file = file_of("head" + text + "tail");
  section stored(file.get(), {.offset = 4, .stored_bytes = text.size(), .size_bytes = text.size()});
  check_content(stored, text);
  CHECK(stored.text(0) == "0");
  CHECK(stored.number(0, 1) == '0');
}

TEST_CASE("a compressed section has the bytes before compression") {
  const std::string text = content();
  for (const bool zstd : {false, true}) {
    const std::string packed = zstd ? zstd_of(text) : zlib_of(text);
    const descriptor file = file_of(packed);
    section stored(file.get(), {.stored_bytes = packed.size(),
                                .size_bytes = text.size(),
                                .format = zstd ? compression::zstd : compression::zlib});
    check_content(stored, text);
  }
}

TEST_CASE("a compressed section that is damaged, or shorter than its header says, is malformed") {
  const std::string text = content();
  for (const bool zstd : {false, true}) {
    std::string packed = zstd ? zstd_of(text) : zlib_of(text);
    const auto format = zstd ? compression::zstd : compression::zlib;
    const descriptor file = file_of(packed);
    section longer(
        file.get(),
        {.stored_bytes = packed.size(), .size_bytes = text.size() + 1, .format = format});
    CHECK_THROWS_AS(longer.from(0), malformed);
    CHECK_THROWS_AS(longer.from(0), malformed);  // the stream is not read on
    section cut(file.get(),
                {.stored_bytes = packed.size() / 2, .size_bytes = text.size(), .format = format});
    CHECK_THROWS_AS(cut.from(0), malformed);
  }
}

TEST_CASE("bytes outside a section, and a section outside its file, are malformed") {
  const descriptor file = file_of("text");
  section stored(file.get(), {.stored_bytes = 4, .size_bytes = 4});
  CHECK_THROWS_AS(stored.bytes(3, 2), malformed);
  CHECK_THROWS_AS(stored.bytes(UINT64_MAX, 2), malformed);
  CHECK_THROWS_AS(stored.text(0), malformed);  // no null byte
  CHECK_THROWS_AS(stored.number(1, 4), malformed);
  section beyond(file.get(), {.offset = 2, .stored_bytes = 4, .size_bytes = 4});
  CHECK_THROWS_AS(beyond.bytes(0, 4), malformed);
  CHECK_THROWS_AS(section(file.get(), {.stored_bytes = 4, .size_bytes = 5}), malformed);
  CHECK_THROWS_AS(section(file.get(), {.size_bytes = UINT64_MAX}), malformed);
}

TEST_CASE("a missing section is empty") {
  section missing;
  CHECK(missing.size() == 0);
  CHECK(missing.from(0).empty());
  CHECK_THROWS_AS(missing.text(0), malformed);
}
