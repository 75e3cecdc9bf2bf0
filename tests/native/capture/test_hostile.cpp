// Captures that are cut off, wrong or made to do harm: one error with the place, nothing worse.
#include <doctest/doctest.h>
#include <zstd.h>

#include <random>

#include "capture_builder.hpp"
#include "long_tests.hpp"

using namespace capture_tests;
using stallscope::capture::capture_error;

namespace {

capture_builder small(order byte_order) {
  event_spec event;
  event.ids = {3};
  capture_builder made(byte_order, {event});
  made.comm(1, 1, "x", 0).mmap2(1, 0x1000, 0x1000, 0, "/bin/x", 0);
  made.sample(0x1004, 1, 1, 5).sample(0x1008, 1, 1, 6);
  made.feature(stallscope::perf_format::feature::hostname, made.body().header_string("box"));
  return made;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a capture cut at any byte is an error, or is tolerated and the offset reported") {
  for (const order byte_order : {order::little, order::big}) {
    for (const std::string& whole : {small(byte_order).file(), small(byte_order).pipe()}) {
      for (std::size_t size = 0; size < whole.size(); ++size) {
        CAPTURE(size);
        const std::string part = whole.substr(0, size);
        std::uint64_t offset = 0;
        try {
          read(part);
        } catch (const capture_error& error) {
          offset = error.offset();
          CHECK(offset <= whole.size());
        }
        try {
          const auto kept = read(part, true);
          CHECK((!kept.truncated_at || *kept.truncated_at <= size));
        } catch (const capture_error&) {
          // The header or a section of the file is cut.
        }
      }
    }
  }
}

TEST_CASE("a truncated capture names the record's offset and keeps what is whole") {
  const std::string whole = small(order::little).pipe();
  const std::string part = whole.substr(0, whole.size() - 3);
  CHECK(contains(error_of(part), "truncated"));
  const auto kept = read(part, true);
  CHECK(kept.samples.time_ns.size() == 1);
  CHECK(kept.truncated_at == whole.size() - 32);
}

TEST_CASE("a file cut within its feature sections keeps its samples") {
  const std::string whole = small(order::little).file();
  const auto complete = read(whole);
  REQUIRE(complete.records_end);
  CHECK(!complete.truncated_at);
  const std::string part = whole.substr(0, *complete.records_end + 3);
  CHECK(contains(error_of(part), "beyond the end of the file"));
  const auto kept = read(part, true);
  CHECK(kept.samples.time_ns.size() == complete.samples.time_ns.size());
  CHECK(kept.truncated_at == complete.records_end);
}

TEST_CASE("perf that was killed leaves a data size of 0") {
  capture_builder made = small(order::little);
  std::string bytes = made.file();
  bytes.replace(48, 8, std::string(8, '\0'));
  CHECK(contains(error_of(bytes), "did not end properly"));
  // Nothing stands behind the data of such a file.
  bytes.resize(bytes.size() - 16 - 68);
  const auto kept = read(bytes, true);
  CHECK(kept.truncated_at == bytes.size());
  CHECK(kept.samples.time_ns.size() == 2);
}

TEST_CASE("a file that is not a capture is an error") {
  CHECK(contains(error_of(""), "expected PERFILE2"));
  CHECK(contains(error_of("\x7f"
                          "ELF 1234567890"),
                 "expected PERFILE2"));
  CHECK(contains(error_of("PERFFILE12345678"), "first version"));
  CHECK(contains(error_of(std::string("PERFILE2\x20\0\0\0\0\0\0\0", 16)), "expected 16"));
  std::string directory = small(order::little).file();
  directory[72 + 3] = 1;
  CHECK(contains(error_of(directory), "directory"));
}

TEST_CASE("records with wrong sizes or contents are errors") {
  const auto with = [](const wire& record) {
    return error_of(capture_builder(order::little, {event_spec{}}).append(record.bytes()).pipe());
  };
  CHECK(contains(with(wire(order::little).u32(9).u16(0).u16(7)), "at least 8"));
  CHECK(contains(with(wire(order::little).u32(9).u16(0).u16(16).u64(1)), "expected"));
  // A name without its end.
  wire name(order::little);
  name.u32(3).u16(0).u16(8 + 8 + 8 + 16).u32(1).u32(1).raw("AAAAAAAA").u64(0).u64(0);
  CHECK(contains(with(name), "terminating NUL"));
  // An AUX trace beyond the end.
  wire aux(order::little);
  aux.u32(71).u16(0).u16(16).u64(~std::uint64_t{0} - 100);
  CHECK(contains(with(aux), "truncated"));
  wire nested(order::little);
  nested.u32(81).u16(0).u16(8 + 4).raw("abcd");
  CHECK(contains(with(nested), "zstd"));
}

TEST_CASE("sections beyond the file and invalid ids are errors") {
  const std::string whole = small(order::little).file();
  for (const std::size_t at : {24U, 32U, 40U, 16U, 104U + 136U, 104U + 144U}) {
    for (const char byte : {'\x01', '\x7f', '\xff'}) {
      CAPTURE(at);
      std::string bytes = whole;
      bytes[at + 6] = byte;
      CHECK_FALSE(error_of(bytes).empty());
    }
  }
}

TEST_CASE("a zstd bomb and a spent budget are errors") {
  const std::string zeros(std::size_t{64} << 20U, '\0');
  std::string packed(ZSTD_compressBound(zeros.size()), '\0');
  // Records of 8 bytes and an unknown type, over and over.
  std::string records = zeros;
  for (std::size_t at = 0; at < records.size(); at += 8) {
    records[at] = '\x7f';
    records[at + 6] = 8;
  }
  packed.resize(ZSTD_compress(packed.data(), packed.size(), records.data(), records.size(), 1));
  REQUIRE(packed.size() < 60'000);
  capture_builder made(order::little, {event_spec{}});
  made.record(81, 0, made.body().raw(packed));
  const std::string bytes = made.pipe();
  stallscope::capture::memory_source source(std::as_bytes(std::span(bytes)));
  stallscope::capture::read_options options;
  options.expansion_limit = 100;
  CHECK_THROWS_AS(stallscope::capture::read_capture(source, options), capture_error);

  capture_builder many(order::little, {event_spec{}});
  for (std::uint64_t index = 0; index < 5'000; ++index) {
    many.sample(index * 16, 1, 1, index);
  }
  const std::string samples = many.pipe();
  stallscope::capture::memory_source second(std::as_bytes(std::span(samples)));
  stallscope::capture::read_options tight;
  tight.memory_limit_bytes = 100'000;
  CHECK_THROWS_WITH_AS(stallscope::capture::read_capture(second, tight),
                       doctest::Contains("100000 bytes of memory"), capture_error);
}

TEST_CASE("randomly changed bytes give a capture or an error") {
  std::mt19937 random(7);
  for (const order byte_order : {order::little, order::big}) {
    for (const std::string& whole : {small(byte_order).file(), small(byte_order).pipe()}) {
      for (int round = 0; round < long_tests(700, 20'000); ++round) {
        std::string bytes = whole;
        for (int change = 0; change < 3; ++change) {
          bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        error_of(bytes);
        try {
          read(bytes, true);
        } catch (const capture_error& error) {
          REQUIRE(std::string(error.what()).size() > 5);
        }
      }
    }
  }
}

namespace {

// What reading fails with where `bytes` may take a MiB.
std::string with_little_memory(const std::string& bytes) {
  stallscope::capture::memory_source source(std::as_bytes(std::span(bytes)));
  stallscope::capture::read_options options;
  options.memory_limit_bytes = std::uint64_t{1} << 20U;
  try {
    stallscope::capture::read_capture(source, options);
  } catch (const capture_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("texts and lists in feature sections count against the budget") {
  using stallscope::perf_format::feature;
  using stallscope::perf_format::user_record;
  const char* const spent = "bytes of memory";
  // A million empty arguments of 4 bytes each would take 32 and more in memory.
  constexpr std::uint32_t arguments = 1'000'000;
  capture_builder words = small(order::little);
  wire list = words.body().u32(arguments);
  list.raw(std::string(4 * std::size_t{arguments}, '\0'));
  CHECK(contains(with_little_memory(words.feature(feature::cmdline, list).file()), spent));

  capture_builder ids = small(order::little);
  wire id = ids.body();
  id.u32(0).raw(std::string(24, 'i')).text("");
  std::string entries;
  for (int count = 0; count < 20'000; ++count) {
    entries += record_bytes(67, 0, id);
  }
  CHECK(contains(with_little_memory(ids.append(entries).pipe()), spent));

  const auto name = static_cast<std::uint64_t>(stallscope::perf_format::event_update::name);
  std::vector<event_spec> events(100);
  for (std::size_t number = 0; number < events.size(); ++number) {
    events[number].ids = {number + 1};
    events[number].sample_type |= PERF_SAMPLE_ID;
  }
  capture_builder names(order::little, events);
  for (std::uint64_t number = 1; number <= events.size(); ++number) {
    wire update = names.body().u64(name).u64(number);
    names.record(static_cast<std::uint32_t>(user_record::event_update), 0,
                 update.text(std::string(60'000, 'n')));
  }
  CHECK(contains(with_little_memory(names.pipe()), spent));
}

TEST_CASE("thread names are cut, because every fork copies them") {
  capture_builder made(order::little, {event_spec{}});
  made.comm(1, 1, std::string(60'000, 'n'), 1);
  for (std::int32_t child = 2; child < 2'000; ++child) {
    made.task(PERF_RECORD_FORK, child, child - 1, child, static_cast<std::uint64_t>(child));
  }
  made.sample(0x1000, 1'999, 1'999, 5'000);
  const std::string bytes = made.pipe();
  CHECK(with_little_memory(bytes).find("memory") != std::string::npos);
  const auto done = read(bytes);
  CHECK(done.threads.at(done.samples.thread[0]).name == std::string(255, 'n'));
}
