#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "value_log/log_fixture.hpp"

using namespace stallscope::value_log;
using stallscope::test::scratch;

namespace {

std::string value_of(std::mt19937& random) {
  return std::string(random() % 6000, static_cast<char>('a' + random() % 26));
}

contents held_by(log_content& content, int keys) {
  contents held;
  for (int i = 0; i < keys; ++i) {
    const std::string key = "k" + std::to_string(i);
    if (const auto value = value_in(content, key)) held[key] = *value;
  }
  return held;
}

// All keys of a test, including those that must be absent.
contents all_keys(int keys) {
  contents all;
  for (int i = 0; i < keys; ++i) all["k" + std::to_string(i)] = "";
  return all;
}

}  // namespace

TEST_CASE("compaction keeps live records and frees the rest") {
  const scratch folder;
  std::mt19937 random(3);
  contents model;
  log_fixture fixture(folder.at(""));
  for (int step = 0; step < 400; ++step) {
    const std::string key = "k" + std::to_string(random() % 20);
    if (model.contains(key) && random() % 3 == 0) {
      REQUIRE(fixture.erase(key) == 0);
      model.erase(key);
    } else {
      const std::string value = value_of(random);
      REQUIRE(fixture.put(key, value) == 0);
      model[key] = value;
    }
  }
  const std::uint64_t before = fixture.content.segments().bytes();
  int result = -1;
  fixture.compaction.compact_all([&](int error) { result = error; });
  fixture.finish();
  CHECK(result == 0);
  CHECK(held_by(fixture.content, 20) == model);
  CHECK(fixture.content.segments().bytes() < before / 4);
  CHECK(found_after_crash(folder.at(""), all_keys(20)) == model);
  CHECK(fixture.compaction.counts().segments_removed > 10);
  // Deletions are dropped once no older record exists.
  for (const auto& [key, value] : model) REQUIRE(fixture.erase(key) == 0);
  for (int round = 0; round < 3; ++round) {
    fixture.compaction.compact_all(nullptr);
    fixture.finish();
  }
  CHECK(fixture.content.index().size() == 0);
  CHECK(fixture.content.segments().bytes() <= 2 * small_segment);
}

TEST_CASE("a crash at any step of writes and compaction loses no acknowledged write") {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const scratch folder;
    std::mt19937 random(seed);
    contents model;
    log_fixture fixture(folder.at(""));
    std::vector<std::unique_ptr<log_fixture::one_append>> under_way;
    const auto busy = [&](const std::string& key) {
      return std::ranges::any_of(under_way,
                                 [&](const auto& request) { return request->key == key; });
    };
    for (int step = 0; step < 500; ++step) {
      const std::string key = "k" + std::to_string(random() % 12);
      if (random() % 2 == 0 && !busy(key)) {
        const bool deletes = model.contains(key) && random() % 3 == 0;
        const std::string value = value_of(random);
        under_way.push_back(std::make_unique<log_fixture::one_append>());
        fixture.begin(*under_way.back(), key, deletes ? nullptr : &value);
      }
      if (step % 120 == 80) fixture.compaction.compact_all(nullptr);
      fixture.loop.tick();
      fixture.compaction.next_turn();
      if (fixture.port.waiting() != 0 && random() % 2 == 0) fixture.port.let_go(random() % 2 == 0);
      for (const auto& request : under_way) {
        if (request->result != 0) continue;
        if (request->needs_room) {
          model[request->key] = request->value;
        } else {
          model.erase(request->key);
        }
      }
      std::erase_if(under_way, [](const auto& request) { return request->result >= 0; });
      if (step % 7 != 0) continue;
      contents recovered = found_after_crash(folder.at(""), all_keys(12));
      contents expected = model;
      for (const auto& request : under_way) {  // may be recovered or not
        recovered.erase(request->key);
        expected.erase(request->key);
      }
      REQUIRE(recovered == expected);
    }
    fixture.finish();
  }
}

TEST_CASE("a failed write affects no other record, and the next write uses a new segment") {
  const scratch folder;
  log_fixture fixture(folder.at(""));
  REQUIRE(fixture.put("k0", "before") == 0);
  fixture.port.fail_writes_with = ENOSPC;
  CHECK(fixture.put("k0", "lost") == ENOSPC);
  CHECK(fixture.put("k1", "lost") == ENOSPC);
  fixture.port.fail_writes_with = 0;
  CHECK(value_in(fixture.content, "k0") == "before");
  CHECK_FALSE(value_in(fixture.content, "k1"));
  REQUIRE(fixture.put("k1", "after") == 0);
  CHECK(found_after_crash(folder.at(""), all_keys(2)) ==
        contents{{"k0", "before"}, {"k1", "after"}});
}

TEST_CASE("a failed compaction is reported, loses nothing and can be repeated") {
  const scratch folder;
  log_fixture fixture(folder.at(""));
  contents model;
  for (int i = 0; i < 60; ++i) {
    const std::string key = "k" + std::to_string(i % 20);
    model[key] = std::string(3000, static_cast<char>('a' + i % 26));
    REQUIRE(fixture.put(key, model[key]) == 0);
  }
  REQUIRE(fixture.erase("k3") == 0);
  model.erase("k3");
  int result = -1;
  fixture.port.fail_writes_with = EIO;
  fixture.compaction.compact_all([&](int error) { result = error; });
  fixture.finish();
  CHECK(result == EIO);
  CHECK(fixture.compaction.counts().failures == 1);
  CHECK(held_by(fixture.content, 20) == model);
  CHECK(found_after_crash(folder.at(""), all_keys(20)) == model);
  fixture.port.fail_writes_with = 0;
  for (int round = 0; round < 2; ++round) {
    fixture.compaction.compact_all([&](int error) { result = error; });
    fixture.finish();
    CHECK(result == 0);
  }
  CHECK(held_by(fixture.content, 20) == model);
  CHECK(found_after_crash(folder.at(""), all_keys(20)) == model);
}

TEST_CASE("records of a failed move are never recovered") {
  const scratch folder;
  log_fixture fixture(folder.at(""));
  const std::string stays(20'000, 's');
  REQUIRE(fixture.put("k0", "old") == 0);
  REQUIRE(fixture.put("k1", stays) == 0);
  fixture.newest.end();
  int result = -1;
  const auto compact = [&] {
    fixture.compaction.compact_all([&](int error) { result = error; });
    fixture.finish();
    return result;
  };
  fixture.port.lose_answers_with = EIO;
  CHECK(compact() == EIO);
  fixture.port.lose_answers_with = 0;
  CHECK(found_after_crash(folder.at(""), all_keys(2)) == contents{{"k0", "old"}, {"k1", stays}});
  CHECK(compact() == 0);
  // The segment of the deletion is mostly dead, that of the value is not.
  REQUIRE(fixture.erase("k0") == 0);
  for (int i = 0; i < 3; ++i) REQUIRE(fixture.put("k2", std::string(9000, 'x')) == 0);
  fixture.newest.end();
  const std::uint64_t removed = fixture.compaction.counts().segments_removed;
  fixture.loop.advance(std::chrono::minutes(1));
  fixture.compaction.consider();
  fixture.finish();
  CHECK(fixture.compaction.counts().segments_removed == removed + 1);
  CHECK(found_after_crash(folder.at(""), all_keys(3)) ==
        contents{{"k1", stays}, {"k2", std::string(9000, 'x')}});
}

TEST_CASE("after a failed sync, a later success is not trusted") {
  const scratch folder;
  log_fixture fixture(folder.at(""));
  REQUIRE(fixture.put("k0", "value") == 0);
  fixture.newest.end();
  int result = -1;
  fixture.port.fail_syncs_with = EIO;
  fixture.compaction.compact_all([&](int error) { result = error; });
  fixture.finish();
  CHECK(result == EIO);
  fixture.port.fail_syncs_with = 0;
  result = -1;
  fixture.compaction.compact_all([&](int error) { result = error; });
  fixture.loop.advance(std::chrono::minutes(1));
  fixture.compaction.consider();
  fixture.finish();
  CHECK(result == EIO);
  CHECK(fixture.content.segments().find(1) != nullptr);
  CHECK(value_in(fixture.content, "k0") == "value");
}

TEST_CASE("after a failed sync, the next start reads and syncs all segments again") {
  const scratch folder;
  {
    log_fixture before(folder.at(""));
    REQUIRE(before.put("k0", "value") == 0);
    before.newest.end();
    before.port.fail_syncs_with = EIO;
    before.compaction.compact_all(nullptr);
    before.finish();
    REQUIRE(before.compaction.counts().failures == 1);
  }
  log_fixture fixture(folder.at(""));
  CHECK(value_in(fixture.content, "k0") == "value");
  // Writes of the previous server may not be durable: all must be synced before any segment is
  // removed.
  std::vector<std::string> left;
  for (const auto& [number, request] : fixture.content.segments().all()) {
    CHECK(request->unsynced);
    left.push_back(
        folder.at(std::filesystem::path(fixture.content.segments().name_of(number)).filename()));
  }
  REQUIRE(left.size() >= 2);
  int result = -1;
  fixture.compaction.compact_all([&](int error) { result = error; });
  while (fixture.content.segments().find(1) != nullptr) {
    fixture.loop.run_all();
    fixture.compaction.next_turn();
    if (fixture.loop.scheduled() == 0) fixture.port.let_go();
  }
  for (const std::string& name : left) {
    if (name.ends_with("0000000001.log")) continue;  // removed
    CHECK(std::ranges::count(fixture.port.synced, name) == 1);
  }
  fixture.finish();
  CHECK(result == 0);
  CHECK(value_in(fixture.content, "k0") == "value");
}

TEST_CASE("unsynced values of a previous server are synced before older ones are removed") {
  const scratch folder;
  {
    log_fixture before(folder.at(""));
    REQUIRE(before.put("k0", "old") == 0);
    before.newest.end();
    REQUIRE(before.put("k0", "new") == 0);
  }
  log_fixture fixture(folder.at(""));
  fixture.compaction.compact_all(nullptr);
  while (fixture.content.segments().find(1) != nullptr) {
    fixture.loop.run_all();
    fixture.compaction.next_turn();
    if (fixture.loop.scheduled() == 0) fixture.port.let_go();
  }
  CHECK(std::ranges::count(fixture.port.synced, folder.at("shard-000-0000000002.log").string()) ==
        1);
  fixture.finish();
}

TEST_CASE("only a value longer than a segment is rejected") {
  const scratch folder;
  log_fixture fixture(folder.at(""));
  CHECK(fixture.put("long", std::string(small_segment, 'x')) == EMSGSIZE);
  CHECK(fixture.put("short", "y") == 0);
  CHECK(fixture.content.index().size() == 1);
}

TEST_CASE("the writes of a turn form one batch") {
  const scratch folder;
  log_fixture fixture(folder.at(""));
  std::vector<std::unique_ptr<log_fixture::one_append>> many;
  const std::string value = "v";
  for (int i = 0; i < 50; ++i) {
    many.push_back(std::make_unique<log_fixture::one_append>());
    fixture.begin(*many.back(), "k" + std::to_string(i), &value);
  }
  fixture.finish();
  CHECK(fixture.newest.batches() == 1);
  CHECK(fixture.content.index().size() == 50);
}
