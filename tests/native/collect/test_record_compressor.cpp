#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/perf_event.h>

#include <array>
#include <cstring>
#include <string>

#include "collect/record_compressor.hpp"
#include "perf_events/perf_format.hpp"
#include "scratch.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

struct compressed_file {
  test::scratch folder;
  sample_file file{
      descriptor{::open(folder.at("samples").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)}};

  // Returns the sizes of the records in the file, all of which must be compressed ones.
  [[nodiscard]] std::vector<std::size_t> sizes() const {
    const std::string bytes = folder.read("samples");
    std::vector<std::size_t> all;
    for (std::size_t at = 0; at < bytes.size(); at += all.back()) {
      perf_event_header header{};
      REQUIRE(at + sizeof header <= bytes.size());
      std::memcpy(&header, bytes.data() + at, sizeof header);
      CHECK(header.type == static_cast<std::uint32_t>(perf_format::user_record::compressed));
      REQUIRE(header.size > sizeof header);
      all.push_back(header.size);
    }
    return all;
  }
};

iovec piece_of(std::string& text) { return {text.data(), text.size()}; }

}  // namespace

TEST_CASE("content that repeats itself takes a small part of its size") {
  if (!record_compressor::available()) return;
  compressed_file f;
  record_compressor compressor;
  std::string stack(100'000, 's');
  const std::array pieces{piece_of(stack), piece_of(stack)};
  compressor.append(pieces, f.file);
  compressor.flush(f.file);
  CHECK(f.sizes().size() == 1);
  CHECK(f.file.size_bytes() < 2'000);
}

TEST_CASE("content that does not shrink is split into records of at most 64 KiB") {
  if (!record_compressor::available()) return;
  compressed_file f;
  record_compressor compressor;
  std::string noise(700'000, '\0');
  std::uint64_t state = 1;
  for (char& byte : noise) {
    state = state * 6'364'136'223'846'793'005U + 1;
    byte = static_cast<char>(state >> 56U);
  }
  const std::array pieces{piece_of(noise)};
  compressor.append(pieces, f.file);
  compressor.flush(f.file);
  CHECK(f.sizes().size() >= 11);
  CHECK(f.file.size_bytes() > 700'000);
}

TEST_CASE("nothing is written for nothing") {
  if (!record_compressor::available()) return;
  compressed_file f;
  record_compressor compressor;
  compressor.append({}, f.file);
  compressor.flush(f.file);
  CHECK(f.file.size_bytes() == 0);
}
