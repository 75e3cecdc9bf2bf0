#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "value_log/log_bench.hpp"

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

// All keys a test uses, so that those that have to be absent are asked for as well.
contents all_keys(int keys) {
  contents all;
  for (int i = 0; i < keys; ++i) all["k" + std::to_string(i)] = "";
  return all;
}

}  // namespace

TEST_CASE("compaction keeps what is there, and gives back the rest") {
  const scratch folder;
  std::mt19937 random(3);
  contents model;
  log_bench bench(folder.at(""));
  for (int step = 0; step < 400; ++step) {
    const std::string key = "k" + std::to_string(random() % 20);
    if (model.contains(key) && random() % 3 == 0) {
      REQUIRE(bench.erase(key) == 0);
      model.erase(key);
    } else {
      const std::string value = value_of(random);
      REQUIRE(bench.put(key, value) == 0);
      model[key] = value;
    }
  }
  const std::uint64_t before = bench.content.segments().bytes();
  int result = -1;
  bench.compaction.compact_all([&](int error) { result = error; });
  bench.finish();
  CHECK(result == 0);
  CHECK(held_by(bench.content, 20) == model);
  CHECK(bench.content.segments().bytes() < before / 4);
  CHECK(found_after_crash(folder.at(""), all_keys(20)) == model);
  CHECK(bench.compaction.counts().segments_removed > 10);
  // Deletions are forgotten once nothing is left that they would have to outlive.
  for (const auto& [key, value] : model) REQUIRE(bench.erase(key) == 0);
  for (int round = 0; round < 3; ++round) {
    bench.compaction.compact_all(nullptr);
    bench.finish();
  }
  CHECK(bench.content.index().size() == 0);
  CHECK(bench.content.segments().bytes() <= 2 * small_segment);
}

TEST_CASE("a crash at any step of writes and compaction loses nothing that was answered") {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const scratch folder;
    std::mt19937 random(seed);
    contents model;
    log_bench bench(folder.at(""));
    std::vector<std::unique_ptr<log_bench::one_append>> under_way;
    const auto busy = [&](const std::string& key) {
      return std::ranges::any_of(under_way, [&](const auto& one) { return one->key == key; });
    };
    for (int step = 0; step < 500; ++step) {
      const std::string key = "k" + std::to_string(random() % 12);
      if (random() % 2 == 0 && !busy(key)) {
        const bool deletes = model.contains(key) && random() % 3 == 0;
        const std::string value = value_of(random);
        under_way.push_back(std::make_unique<log_bench::one_append>());
        bench.begin(*under_way.back(), key, deletes ? nullptr : &value);
      }
      if (step % 120 == 80) bench.compaction.compact_all(nullptr);
      bench.loop.tick();
      bench.compaction.next_turn();
      if (bench.port.waiting() != 0 && random() % 2 == 0) bench.port.let_go(random() % 2 == 0);
      for (const auto& one : under_way) {
        if (one->result != 0) continue;
        if (one->needs_room) {
          model[one->key] = one->value;
        } else {
          model.erase(one->key);
        }
      }
      std::erase_if(under_way, [](const auto& one) { return one->result >= 0; });
      if (step % 7 != 0) continue;
      contents found = found_after_crash(folder.at(""), all_keys(12));
      contents wanted = model;
      for (const auto& one : under_way) {  // may be there, or not yet
        found.erase(one->key);
        wanted.erase(one->key);
      }
      REQUIRE(found == wanted);
    }
    bench.finish();
  }
}

TEST_CASE("a write that fails takes nothing with it, and the next one goes elsewhere") {
  const scratch folder;
  log_bench bench(folder.at(""));
  REQUIRE(bench.put("k0", "before") == 0);
  bench.port.fail_writes_with = ENOSPC;
  CHECK(bench.put("k0", "lost") == ENOSPC);
  CHECK(bench.put("k1", "lost") == ENOSPC);
  bench.port.fail_writes_with = 0;
  CHECK(value_in(bench.content, "k0") == "before");
  CHECK_FALSE(value_in(bench.content, "k1"));
  REQUIRE(bench.put("k1", "after") == 0);
  CHECK(found_after_crash(folder.at(""), all_keys(2)) ==
        contents{{"k0", "before"}, {"k1", "after"}});
}

TEST_CASE("compaction that fails is told, keeps all, and can be done again") {
  const scratch folder;
  log_bench bench(folder.at(""));
  contents model;
  for (int i = 0; i < 60; ++i) {
    const std::string key = "k" + std::to_string(i % 20);
    model[key] = std::string(3000, static_cast<char>('a' + i % 26));
    REQUIRE(bench.put(key, model[key]) == 0);
  }
  REQUIRE(bench.erase("k3") == 0);
  model.erase("k3");
  int result = -1;
  bench.port.fail_writes_with = EIO;
  bench.compaction.compact_all([&](int error) { result = error; });
  bench.finish();
  CHECK(result == EIO);
  CHECK(bench.compaction.counts().failures == 1);
  CHECK(held_by(bench.content, 20) == model);
  CHECK(found_after_crash(folder.at(""), all_keys(20)) == model);
  bench.port.fail_writes_with = 0;
  for (int round = 0; round < 2; ++round) {
    bench.compaction.compact_all([&](int error) { result = error; });
    bench.finish();
    CHECK(result == 0);
  }
  CHECK(held_by(bench.content, 20) == model);
  CHECK(found_after_crash(folder.at(""), all_keys(20)) == model);
}

TEST_CASE("what a failed move wrote all the same never comes back") {
  const scratch folder;
  log_bench bench(folder.at(""));
  const std::string stays(20'000, 's');
  REQUIRE(bench.put("k0", "old") == 0);
  REQUIRE(bench.put("k1", stays) == 0);
  bench.newest.end();
  int result = -1;
  const auto compact = [&] {
    bench.compaction.compact_all([&](int error) { result = error; });
    bench.finish();
    return result;
  };
  bench.port.lose_answers_with = EIO;
  CHECK(compact() == EIO);
  bench.port.lose_answers_with = 0;
  CHECK(found_after_crash(folder.at(""), all_keys(2)) == contents{{"k0", "old"}, {"k1", stays}});
  CHECK(compact() == 0);
  // The deletion's segment is mostly dead, that of the value is not.
  REQUIRE(bench.erase("k0") == 0);
  for (int i = 0; i < 3; ++i) REQUIRE(bench.put("k2", std::string(9000, 'x')) == 0);
  bench.newest.end();
  const std::uint64_t removed = bench.compaction.counts().segments_removed;
  bench.loop.advance(std::chrono::minutes(1));
  bench.compaction.consider();
  bench.finish();
  CHECK(bench.compaction.counts().segments_removed == removed + 1);
  CHECK(found_after_crash(folder.at(""), all_keys(3)) ==
        contents{{"k1", stays}, {"k2", std::string(9000, 'x')}});
}

TEST_CASE("a sync that failed is not believed when it is asked again") {
  const scratch folder;
  log_bench bench(folder.at(""));
  REQUIRE(bench.put("k0", "value") == 0);
  bench.newest.end();
  int result = -1;
  bench.port.fail_syncs_with = EIO;
  bench.compaction.compact_all([&](int error) { result = error; });
  bench.finish();
  CHECK(result == EIO);
  bench.port.fail_syncs_with = 0;
  result = -1;
  bench.compaction.compact_all([&](int error) { result = error; });
  bench.loop.advance(std::chrono::minutes(1));
  bench.compaction.consider();
  bench.finish();
  CHECK(result == EIO);
  CHECK(bench.content.segments().find(1) != nullptr);
  CHECK(value_in(bench.content, "k0") == "value");
}

TEST_CASE("after a sync that failed the next start reads what is there, and syncs it anew") {
  const scratch folder;
  {
    log_bench before(folder.at(""));
    REQUIRE(before.put("k0", "value") == 0);
    before.newest.end();
    before.port.fail_syncs_with = EIO;
    before.compaction.compact_all(nullptr);
    before.finish();
    REQUIRE(before.compaction.counts().failures == 1);
  }
  log_bench bench(folder.at(""));
  CHECK(value_in(bench.content, "k0") == "value");
  // What the server before wrote is not believed to be durable: all of it, before any goes.
  std::vector<std::string> left;
  for (const auto& [number, one] : bench.content.segments().all()) {
    CHECK(one->unsynced);
    left.push_back(
        folder.at(std::filesystem::path(bench.content.segments().name_of(number)).filename()));
  }
  REQUIRE(left.size() >= 2);
  int result = -1;
  bench.compaction.compact_all([&](int error) { result = error; });
  while (bench.content.segments().find(1) != nullptr) {
    bench.loop.run_all();
    bench.compaction.next_turn();
    if (bench.loop.scheduled() == 0) bench.port.let_go();
  }
  for (const std::string& name : left) {
    if (name.ends_with("0000000001.log")) continue;  // it goes
    CHECK(std::ranges::count(bench.port.synced, name) == 1);
  }
  bench.finish();
  CHECK(result == 0);
  CHECK(value_in(bench.content, "k0") == "value");
}

TEST_CASE("values that a server before left unsynced are durable before older ones are removed") {
  const scratch folder;
  {
    log_bench before(folder.at(""));
    REQUIRE(before.put("k0", "old") == 0);
    before.newest.end();
    REQUIRE(before.put("k0", "new") == 0);
  }
  log_bench bench(folder.at(""));
  bench.compaction.compact_all(nullptr);
  while (bench.content.segments().find(1) != nullptr) {
    bench.loop.run_all();
    bench.compaction.next_turn();
    if (bench.loop.scheduled() == 0) bench.port.let_go();
  }
  CHECK(std::ranges::count(bench.port.synced, folder.at("shard-000-0000000002.log").string()) == 1);
  bench.finish();
}

TEST_CASE("a value longer than a segment is refused, and alone") {
  const scratch folder;
  log_bench bench(folder.at(""));
  CHECK(bench.put("long", std::string(small_segment, 'x')) == EMSGSIZE);
  CHECK(bench.put("short", "y") == 0);
  CHECK(bench.content.index().size() == 1);
}

TEST_CASE("writes of one turn are one batch") {
  const scratch folder;
  log_bench bench(folder.at(""));
  std::vector<std::unique_ptr<log_bench::one_append>> many;
  const std::string value = "v";
  for (int i = 0; i < 50; ++i) {
    many.push_back(std::make_unique<log_bench::one_append>());
    bench.begin(*many.back(), "k" + std::to_string(i), &value);
  }
  bench.finish();
  CHECK(bench.newest.batches() == 1);
  CHECK(bench.content.index().size() == 50);
}
