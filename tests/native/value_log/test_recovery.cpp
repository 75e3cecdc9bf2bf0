#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "value_log/log_bench.hpp"

using namespace stallscope::value_log;
using stallscope::test::scratch;

namespace {

namespace fs = std::filesystem;

// The only segment of a folder.
fs::path only_segment(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& file : fs::directory_iterator(folder)) found.push_back(file.path());
  REQUIRE(found.size() == 1);
  return found.front();
}

struct written_batch {
  std::string key;
  std::string value;
  std::uint64_t end;  // of its record in the file
};

// A segment of one record a batch, as a server leaves it that ended in order; `killed`: or as it
// lies there before.
std::vector<written_batch> write_batches(const fs::path& folder, const fs::path& killed = {}) {
  std::vector<written_batch> batches;
  log_bench bench(folder);
  for (int i = 0; i < 5; ++i) {
    const std::string key = "key" + std::to_string(i);
    const std::string value(static_cast<std::size_t>(i) * 1500, static_cast<char>('a' + i));
    REQUIRE(bench.put(key, value) == 0);
    const location where = *bench.content.find(key, 1);
    batches.push_back({key, value, where.offset + where.bytes(key.size())});
  }
  if (!killed.empty()) copy_folder(folder, killed);
  bench.newest.end();
  return batches;
}

void flip(const fs::path& file, std::uint64_t offset) {
  std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
  bytes.seekg(static_cast<std::streamoff>(offset));
  const char byte = static_cast<char>(bytes.get() ^ 0x10);
  bytes.seekp(static_cast<std::streamoff>(offset));
  bytes.put(byte);
}

void zero(const fs::path& file, std::uint64_t offset, std::uint64_t bytes) {
  std::fstream into(file, std::ios::binary | std::ios::in | std::ios::out);
  into.seekp(static_cast<std::streamoff>(offset));
  into << std::string(bytes, '\0');
}

}  // namespace

TEST_CASE("a segment cut off at any byte keeps every record before it") {
  const scratch ended;
  const scratch whole;
  const auto batches = write_batches(ended.at(""), whole.at(""));
  const fs::path file = only_segment(whole.at(""));
  const std::uint64_t length = fs::file_size(only_segment(ended.at("")));
  const scratch cut;
  // The bytes of long values are alike: every one near a record's edge, of the others some.
  for (std::uint64_t kept = block_bytes; kept < length; ++kept) {
    const bool near_edge = std::ranges::any_of(batches, [&](const written_batch& one) {
      return kept + 50 > one.end && kept < one.end + 3;
    });
    if (!near_edge && kept % 499 != 0) continue;
    fs::copy_file(file, cut.at(file.filename()), fs::copy_options::overwrite_existing);
    fs::resize_file(cut.at(file.filename()), kept);
    const data_directory directory(cut.at(""), 1);
    log_content content(directory, 0, small_segment);
    const recovery_report report = recover(content);
    for (const auto& one : batches) {
      const bool there = one.end <= kept;
      REQUIRE_MESSAGE(content.find(one.key, 1).has_value() == there, "cut at " << kept);
      if (there) REQUIRE(value_in(content, one.key) == one.value);
    }
    CHECK(report.damaged_bytes == 0);
  }
}

TEST_CASE(
    "the last record of a segment that was ended in order is damage, not an unfinished write") {
  const scratch whole;
  const auto batches = write_batches(whole.at(""));
  const fs::path name = only_segment(whole.at("")).filename();
  const std::uint64_t length = fs::file_size(whole.at(name));
  const auto damage = [&](const fs::path& file, int kind) {
    if (kind == 0) flip(file, batches[4].end - 8);
    if (kind == 1) fs::resize_file(file, batches[4].end - 1);
    // As a block that the disk forgot.
    if (kind == 2)
      zero(file, batches[3].end / block_bytes * block_bytes + block_bytes, block_bytes);
    // All records.
    if (kind == 3) zero(file, block_bytes, length - block_bytes);
  };
  for (int kind = 0; kind < 4; ++kind) {
    CAPTURE(kind);
    const scratch damaged;
    copy_folder(whole.at(""), damaged.at(""));
    damage(damaged.at(name), kind);
    const std::uint64_t left = fs::file_size(damaged.at(name));
    for (int start = 0; start < 2; ++start) {
      log_bench bench(damaged.at(""));
      CHECK(bench.report.cut_bytes == 0);
      CHECK(bench.report.damaged_bytes > 0);
      REQUIRE(bench.report.messages.size() == 1);
      CHECK(bench.report.messages[0].find("are damaged: what they held is lost") !=
            std::string::npos);
      CHECK(bench.report.messages[0].find("put a sound copy in its place") != std::string::npos);
      CHECK_FALSE(bench.content.find(batches[4].key, 1));
      if (kind != 3) CHECK(value_in(bench.content, batches[2].key) == batches[2].value);
      // Neither cut off, nor given back by compaction.
      bench.compaction.compact_all(nullptr);
      bench.finish();
      CHECK(fs::file_size(damaged.at(name)) == left);
    }
  }
}

TEST_CASE("zeros before whole records of a segment that was written to are told") {
  const scratch ended;
  const scratch killed;
  const auto batches = write_batches(ended.at(""), killed.at(""));
  const fs::path name = only_segment(killed.at("")).filename();
  const std::uint64_t from = padded(batches[1].end, block_bytes);
  const std::uint64_t to = padded(batches[2].end, block_bytes);
  const scratch tail;
  copy_folder(killed.at(""), tail.at(""));
  zero(killed.at(name), from, to - from);
  for (int start = 0; start < 2; ++start) {
    const log_bench bench(killed.at(""));
    CHECK(bench.report.records == batches.size() - 1);
    REQUIRE(bench.report.messages.size() == 1);
    CHECK(bench.report.messages[0].find(std::to_string(to - from) + " bytes at offset " +
                                        std::to_string(from) + " are zeros") != std::string::npos);
  }
  // Nothing but zeros follows: nobody knows of a write there.
  const std::uint64_t end = padded(batches[3].end, block_bytes);
  zero(tail.at(name), end, fs::file_size(tail.at(name)) - end);
  const log_bench bench(tail.at(""));
  CHECK(bench.report.records == batches.size() - 1);
  CHECK(bench.report.messages.empty());
}

TEST_CASE("what is behind the end of a sealed segment is never taken for its records") {
  const scratch folder;
  const scratch other;
  const auto batches = write_batches(folder.at(""), other.at(""));
  const fs::path file = only_segment(folder.at(""));
  // A write that failed, and whose cutting off was lost: whole records.
  std::string late = other.read(file.filename()).substr(block_bytes, block_bytes);
  const std::uint64_t end = fs::file_size(file);
  std::ofstream(file, std::ios::binary | std::ios::app) << late;
  {
    const log_bench bench(folder.at(""));
    CHECK(bench.report.records == batches.size());
    CHECK(bench.report.cut_bytes == block_bytes);
    CHECK(bench.report.damaged_bytes == 0);
  }
  CHECK(fs::file_size(file) == end);
}

TEST_CASE("what recovery cut off is ended in order from then on") {
  const scratch ended;
  const scratch folder;
  const auto batches = write_batches(ended.at(""), folder.at(""));
  const fs::path file = only_segment(folder.at(""));
  flip(file, batches[4].end - 8);
  {
    const log_bench bench(folder.at(""));
    CHECK(bench.report.cut_bytes > 0);
    CHECK(bench.report.damaged_bytes == 0);
    CHECK(bench.report.records == 4);
  }
  flip(file, batches[3].end - 8);
  const log_bench bench(folder.at(""));
  CHECK(bench.report.cut_bytes == 0);
  CHECK(bench.report.damaged_bytes > 0);
  CHECK(bench.report.records == 3);
}

TEST_CASE("a segment with a damaged first block loses nothing in silence") {
  const scratch folder;
  const auto batches = write_batches(folder.at(""));
  const fs::path file = only_segment(folder.at(""));
  {
    log_bench more(folder.at(""));
    REQUIRE(more.put("another", "segment") == 0);
  }
  flip(file, 20);
  {
    const log_bench bench(folder.at(""));
    CHECK(bench.report.records == batches.size() + 1);
    REQUIRE(bench.report.messages.size() == 1);
    CHECK(bench.report.messages[0].find("its first block is damaged") != std::string::npos);
  }
  const std::uint64_t left = fs::file_size(file);
  flip(file, batches[4].end - 8);
  const log_bench bench(folder.at(""));
  CHECK(bench.report.cut_bytes == 0);
  CHECK(bench.report.damaged_bytes > 0);
  CHECK(fs::file_size(file) == left);
}

TEST_CASE("a damaged byte costs its record alone, and is told") {
  const scratch whole;
  const auto batches = write_batches(whole.at(""));
  const fs::path name = only_segment(whole.at("")).filename();
  for (std::uint64_t at = block_bytes; at < batches[3].end; at += 131) {
    const scratch damaged;
    copy_folder(whole.at(""), damaged.at(""));
    flip(damaged.at(name), at);
    const data_directory directory(damaged.at(""), 1);
    log_content content(directory, 0, small_segment);
    const recovery_report report = recover(content);
    std::size_t lost = 0;
    for (const auto& one : batches) {
      const auto held = value_in(content, one.key);
      lost += held ? 0U : 1U;
      if (held) REQUIRE(*held == one.value);
    }
    CHECK(lost <= 1);
    if (lost == 1) {
      CHECK(report.damaged_bytes > 0);
      CHECK(report.messages.size() == 1);
      CHECK(content.segments().all().begin()->second->damaged);
    }
  }
}

TEST_CASE("a tail that is no record is cut off and told") {
  const scratch folder;
  const auto batches = write_batches(folder.at(""));
  const fs::path file = only_segment(folder.at(""));
  std::ofstream(file, std::ios::binary | std::ios::app) << std::string(5000, 'x');
  {
    log_bench bench(folder.at(""));
    CHECK(bench.report.cut_bytes == 5000);
    REQUIRE(bench.report.messages.size() == 1);
    CHECK(bench.report.messages[0].find("cut off behind offset") != std::string::npos);
    CHECK(bench.report.records == batches.size());
  }
  log_bench again(folder.at(""));
  CHECK(again.report.messages.empty());
  CHECK(value_in(again.content, batches[4].key) == batches[4].value);
}

TEST_CASE("a segment whose first block was never written goes") {
  const scratch folder;
  write_batches(folder.at(""));
  std::ofstream(folder.at("shard-000-0000000009.log")) << "";
  fs::resize_file(folder.at("shard-000-0000000009.log"), small_segment);
  const log_bench bench(folder.at(""));
  CHECK(bench.report.segments == 1);
  CHECK_FALSE(fs::exists(folder.at("shard-000-0000000009.log")));
}

TEST_CASE("a crash while the first segment was made leaves nothing in the way") {
  const scratch folder;
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{100}, small_segment}) {
    std::ofstream(folder.at("shard-000-0000000001.log")) << "";
    fs::resize_file(folder.at("shard-000-0000000001.log"), length);
    log_bench bench(folder.at(""));
    CHECK(bench.report.messages.empty());
    CHECK(bench.put("key", "value") == 0);
    fs::remove(folder.at("shard-000-0000000001.log"));
  }
}

TEST_CASE("a segment that lost its first block, and with it its store's secret, is never removed") {
  const scratch folder;
  write_batches(folder.at(""));
  const fs::path file = only_segment(folder.at(""));
  const auto bytes = fs::file_size(file);
  std::fstream(file, std::ios::binary | std::ios::in | std::ios::out) << std::string(4096, '\0');
  for (int start = 0; start < 2; ++start) {
    log_bench bench(folder.at(""));
    CHECK(bench.report.damaged_bytes >= bytes - 2 * block_bytes);
    REQUIRE(bench.report.messages.size() == 1);
    CHECK(bench.report.messages[0].find("is left as it is") != std::string::npos);
    CHECK(fs::file_size(file) == bytes);
    CHECK(bench.put("key", "value") == 0);
    CHECK(value_in(bench.content, "key") == "value");
  }
}

TEST_CASE("a value that looks like a record is none, even where it is read as one") {
  const scratch folder;
  std::string value(9000, 'x');
  {
    log_bench bench(folder.at(""));
    // The bytes of a record of another store, with another secret.
    std::vector<std::byte> forged(record_bytes(4, 4));
    encode(forged, {record_kind::value, 1000, 0, "evil", "done"}, {1, 2});
    for (std::size_t at = 0; at + forged.size() < value.size(); at += 64) {
      std::memcpy(value.data() + at, forged.data(), forged.size());
    }
    REQUIRE(bench.put("victim", value) == 0);
    bench.newest.end();
  }
  flip(only_segment(folder.at("")), block_bytes + 9);
  log_bench bench(folder.at(""));
  CHECK_FALSE(bench.content.find("evil", 1));
  CHECK_FALSE(bench.content.find("victim", 1));
}

TEST_CASE("FLUSHALL outlives a crash before the old segments are gone") {
  const scratch folder;
  const scratch before;
  {
    log_bench bench(folder.at(""));
    for (int i = 0; i < 40; ++i)
      REQUIRE(bench.put("k" + std::to_string(i), std::string(3000, 'v')) == 0);
    copy_folder(folder.at(""), before.at(""));
    log_bench::one_append cleared;
    cleared.items = {{.kind = record_kind::cleared}};
    bench.newest.append(cleared);
    bench.finish();
    REQUIRE(cleared.result == 0);
    CHECK(bench.content.index().size() == 0);
    REQUIRE(bench.put("after", "1") == 0);
  }
  // All segments of before are there again.
  for (const auto& file : fs::directory_iterator(before.at(""))) {
    fs::copy_file(file, folder.at(file.path().filename()), fs::copy_options::skip_existing);
  }
  log_bench bench(folder.at(""));
  CHECK(bench.content.index().size() == 1);
  CHECK(value_in(bench.content, "after") == "1");
}
