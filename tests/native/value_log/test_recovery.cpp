#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "long_tests.hpp"
#include "value_log/log_fixture.hpp"

using namespace stallscope::value_log;
using stallscope::test::scratch;

namespace {

namespace fs = std::filesystem;

// The only segment in a directory.
fs::path only_segment(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& file : fs::directory_iterator(folder)) paths.push_back(file.path());
  REQUIRE(paths.size() == 1);
  return paths.front();
}

struct written_batch {
  std::string key;
  std::string value;
  std::uint64_t end;  // end of its record in the file
};

// A segment with one record per batch, as after an orderly shutdown; with `killed`, as before it.
std::vector<written_batch> write_batches(const fs::path& folder, const fs::path& killed = {}) {
  std::vector<written_batch> batches;
  log_fixture fixture(folder);
  for (int i = 0; i < 5; ++i) {
    const std::string key = "key" + std::to_string(i);
    const std::string value(static_cast<std::size_t>(i) * 1500, static_cast<char>('a' + i));
    REQUIRE(fixture.put(key, value) == 0);
    const location where = *fixture.content.find(key, 1);
    batches.push_back({key, value, where.offset + where.bytes(key.size())});
  }
  if (!killed.empty()) copy_folder(folder, killed);
  fixture.newest.end();
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
  // Long values have uniform bytes: test all offsets near record edges, and some others.
  for (std::uint64_t kept = block_bytes; kept < length; ++kept) {
    const bool near_edge = std::ranges::any_of(batches, [&](const written_batch& batch) {
      return kept + 50 > batch.end && kept < batch.end + 3;
    });
    if (!near_edge && kept % 499 != 0) continue;
    fs::copy_file(file, cut.at(file.filename()), fs::copy_options::overwrite_existing);
    fs::resize_file(cut.at(file.filename()), kept);
    const data_directory directory(cut.at(""), 1);
    log_content content(directory, 0, small_segment);
    const recovery_report report = recover(content);
    for (const auto& batch : batches) {
      const bool there = batch.end <= kept;
      REQUIRE_MESSAGE(content.find(batch.key, 1).has_value() == there, "cut at " << kept);
      if (there) REQUIRE(value_in(content, batch.key) == batch.value);
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
    // A block that the disk lost.
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
      log_fixture fixture(damaged.at(""));
      CHECK(fixture.report.cut_bytes == 0);
      CHECK(fixture.report.damaged_bytes > 0);
      REQUIRE(fixture.report.messages.size() == 1);
      CHECK(fixture.report.messages[0].find("are damaged: their records are lost") !=
            std::string::npos);
      CHECK(fixture.report.messages[0].find("replace it with an intact copy") != std::string::npos);
      CHECK_FALSE(fixture.content.find(batches[4].key, 1));
      if (kind != 3) CHECK(value_in(fixture.content, batches[2].key) == batches[2].value);
      // Neither cut off nor freed by compaction.
      fixture.compaction.compact_all(nullptr);
      fixture.finish();
      CHECK(fs::file_size(damaged.at(name)) == left);
    }
  }
}

TEST_CASE("zeros before whole records of an unsealed segment are reported") {
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
    const log_fixture fixture(killed.at(""));
    CHECK(fixture.report.records == batches.size() - 1);
    REQUIRE(fixture.report.messages.size() == 1);
    CHECK(fixture.report.messages[0].find(std::to_string(to - from) + " bytes at offset " +
                                          std::to_string(from) + " are zeros") !=
          std::string::npos);
  }
  // Only zeros follow: the write is unknown.
  const std::uint64_t end = padded(batches[3].end, block_bytes);
  zero(tail.at(name), end, fs::file_size(tail.at(name)) - end);
  const log_fixture fixture(tail.at(""));
  CHECK(fixture.report.records == batches.size() - 1);
  CHECK(fixture.report.messages.empty());
}

TEST_CASE("bytes behind the end of a sealed segment are never read as records") {
  const scratch folder;
  const scratch other;
  const auto batches = write_batches(folder.at(""), other.at(""));
  const fs::path file = only_segment(folder.at(""));
  // Whole records of a failed write whose erasure was lost.
  std::string late = other.read(file.filename()).substr(block_bytes, block_bytes);
  const std::uint64_t end = fs::file_size(file);
  std::ofstream(file, std::ios::binary | std::ios::app) << late;
  {
    const log_fixture fixture(folder.at(""));
    CHECK(fixture.report.records == batches.size());
    CHECK(fixture.report.cut_bytes == block_bytes);
    CHECK(fixture.report.damaged_bytes == 0);
  }
  CHECK(fs::file_size(file) == end);
}

TEST_CASE("a segment is sealed after recovery has cut it off") {
  const scratch ended;
  const scratch folder;
  const auto batches = write_batches(ended.at(""), folder.at(""));
  const fs::path file = only_segment(folder.at(""));
  flip(file, batches[4].end - 8);
  {
    const log_fixture fixture(folder.at(""));
    CHECK(fixture.report.cut_bytes > 0);
    CHECK(fixture.report.damaged_bytes == 0);
    CHECK(fixture.report.records == 4);
  }
  flip(file, batches[3].end - 8);
  const log_fixture fixture(folder.at(""));
  CHECK(fixture.report.cut_bytes == 0);
  CHECK(fixture.report.damaged_bytes > 0);
  CHECK(fixture.report.records == 3);
}

TEST_CASE("a damaged first block is always reported") {
  const scratch folder;
  const auto batches = write_batches(folder.at(""));
  const fs::path file = only_segment(folder.at(""));
  {
    log_fixture more(folder.at(""));
    REQUIRE(more.put("another", "segment") == 0);
  }
  flip(file, 20);
  {
    const log_fixture fixture(folder.at(""));
    CHECK(fixture.report.records == batches.size() + 1);
    REQUIRE(fixture.report.messages.size() == 1);
    CHECK(fixture.report.messages[0].find("the first block is damaged") != std::string::npos);
  }
  const std::uint64_t left = fs::file_size(file);
  flip(file, batches[4].end - 8);
  const log_fixture fixture(folder.at(""));
  CHECK(fixture.report.cut_bytes == 0);
  CHECK(fixture.report.damaged_bytes > 0);
  CHECK(fs::file_size(file) == left);
}

TEST_CASE("a damaged byte loses only its record and is reported") {
  const scratch whole;
  const auto batches = write_batches(whole.at(""));
  const fs::path name = only_segment(whole.at("")).filename();
  const auto step = static_cast<std::uint64_t>(long_tests(389, 37));
  for (std::uint64_t at = block_bytes; at < batches[3].end; at += step) {
    const scratch damaged;
    copy_folder(whole.at(""), damaged.at(""));
    flip(damaged.at(name), at);
    const data_directory directory(damaged.at(""), 1);
    log_content content(directory, 0, small_segment);
    const recovery_report report = recover(content);
    std::size_t lost = 0;
    for (const auto& batch : batches) {
      const auto held = value_in(content, batch.key);
      lost += held ? 0U : 1U;
      if (held) REQUIRE(*held == batch.value);
    }
    CHECK(lost <= 1);
    if (lost == 1) {
      CHECK(report.damaged_bytes > 0);
      CHECK(report.messages.size() == 1);
      CHECK(content.segments().all().begin()->second->damaged);
    }
  }
}

TEST_CASE("a tail that is not a record is cut off and reported") {
  const scratch folder;
  const auto batches = write_batches(folder.at(""));
  const fs::path file = only_segment(folder.at(""));
  std::ofstream(file, std::ios::binary | std::ios::app) << std::string(5000, 'x');
  {
    log_fixture fixture(folder.at(""));
    CHECK(fixture.report.cut_bytes == 5000);
    REQUIRE(fixture.report.messages.size() == 1);
    CHECK(fixture.report.messages[0].find("cut off behind offset") != std::string::npos);
    CHECK(fixture.report.records == batches.size());
  }
  log_fixture again(folder.at(""));
  CHECK(again.report.messages.empty());
  CHECK(value_in(again.content, batches[4].key) == batches[4].value);
}

TEST_CASE("a segment without a first block is removed") {
  const scratch folder;
  write_batches(folder.at(""));
  std::ofstream(folder.at("shard-000-0000000009.log")) << "";
  fs::resize_file(folder.at("shard-000-0000000009.log"), small_segment);
  const log_fixture fixture(folder.at(""));
  CHECK(fixture.report.segments == 1);
  CHECK_FALSE(fs::exists(folder.at("shard-000-0000000009.log")));
}

TEST_CASE("a crash during the creation of the first segment is harmless") {
  const scratch folder;
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{100}, small_segment}) {
    std::ofstream(folder.at("shard-000-0000000001.log")) << "";
    fs::resize_file(folder.at("shard-000-0000000001.log"), length);
    log_fixture fixture(folder.at(""));
    CHECK(fixture.report.messages.empty());
    CHECK(fixture.put("key", "value") == 0);
    fs::remove(folder.at("shard-000-0000000001.log"));
  }
}

TEST_CASE("a segment whose secret is lost with its first block is never removed") {
  const scratch folder;
  write_batches(folder.at(""));
  const fs::path file = only_segment(folder.at(""));
  const auto bytes = fs::file_size(file);
  std::fstream(file, std::ios::binary | std::ios::in | std::ios::out) << std::string(4096, '\0');
  for (int start = 0; start < 2; ++start) {
    log_fixture fixture(folder.at(""));
    CHECK(fixture.report.damaged_bytes >= bytes - 2 * block_bytes);
    REQUIRE(fixture.report.messages.size() == 1);
    CHECK(fixture.report.messages[0].find("is left as it is") != std::string::npos);
    CHECK(fs::file_size(file) == bytes);
    CHECK(fixture.put("key", "value") == 0);
    CHECK(value_in(fixture.content, "key") == "value");
  }
}

TEST_CASE("a value that looks like a record is never recovered as one") {
  const scratch folder;
  std::string value(9000, 'x');
  {
    log_fixture fixture(folder.at(""));
    // A record of another store, with another secret.
    std::vector<std::byte> forged(record_bytes(4, 4));
    encode(forged, {record_kind::value, 1000, 0, "evil", "done"}, {1, 2});
    for (std::size_t at = 0; at + forged.size() < value.size(); at += 64) {
      std::memcpy(value.data() + at, forged.data(), forged.size());
    }
    REQUIRE(fixture.put("victim", value) == 0);
    fixture.newest.end();
  }
  flip(only_segment(folder.at("")), block_bytes + 9);
  log_fixture fixture(folder.at(""));
  CHECK_FALSE(fixture.content.find("evil", 1));
  CHECK_FALSE(fixture.content.find("victim", 1));
}

TEST_CASE("FLUSHALL survives a crash before the old segments are removed") {
  const scratch folder;
  const scratch before;
  {
    log_fixture fixture(folder.at(""));
    for (int i = 0; i < 40; ++i)
      REQUIRE(fixture.put("k" + std::to_string(i), std::string(3000, 'v')) == 0);
    copy_folder(folder.at(""), before.at(""));
    log_fixture::one_append cleared;
    cleared.items = {{.kind = record_kind::cleared}};
    fixture.newest.append(cleared);
    fixture.finish();
    REQUIRE(cleared.result == 0);
    CHECK(fixture.content.index().size() == 0);
    REQUIRE(fixture.put("after", "1") == 0);
  }
  // All earlier segments are back.
  for (const auto& file : fs::directory_iterator(before.at(""))) {
    fs::copy_file(file, folder.at(file.path().filename()), fs::copy_options::skip_existing);
  }
  log_fixture fixture(folder.at(""));
  CHECK(fixture.content.index().size() == 1);
  CHECK(value_in(fixture.content, "after") == "1");
}
