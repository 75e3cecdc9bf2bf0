#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>
#include <string>

#include "server/paths/codec_path.hpp"
#include "server/paths/query_path.hpp"
#include "server/paths/replay.hpp"
#include "server/paths/request_file.hpp"

using namespace stallscope::server;
using stallscope::stages::batch_file;

namespace {

std::unique_ptr<path> path_named(const std::string& name) {
  if (name == "kv") {
    return nullptr;
  }
  return name == "query" ? make_query_path() : make_codec_path({});
}

std::string text_of_requests(const std::string& path, std::uint64_t count) {
  std::ostringstream out;
  write_requests(out, path, count, 1);
  return out.str();
}

}  // namespace

TEST_CASE("replies are the same at once and in batches of any size") {
  for (const auto* name : {"kv", "query", "codec"}) {
    CAPTURE(name);
    const auto requests = text_of_requests(name, 100) + "PING\r\n";
    const auto at_once = replayed_path(path_named(name)).run_at_once(requests);
    CHECK(at_once.requests == 101);
    CHECK(at_once.error_replies == 0);
    CHECK(at_once.reply_bytes > 500);
    for (const std::uint32_t calls : {1U, 7U, 64U, 4'000'000'000U}) {
      CAPTURE(calls);
      replayed_path path(path_named(name));
      const auto batched = path.run_in_batches(requests, path.even_batches(calls));
      CHECK(batched.requests == 101);
      CHECK(batched.checksum == at_once.checksum);
    }
  }
}

TEST_CASE("uneven batches, and batches of stages without calls, lose no request") {
  const auto requests = text_of_requests("query", 50);
  replayed_path path(make_query_path());
  auto batches = path.even_batches(1);
  batches.batches = {{5, 3}, {0, 9}, {1, 4}, {2, 8}, {0, 2}, {1, 90}, {6, 1}};
  const auto report = path.run_in_batches(requests, batches);
  CHECK(report.requests == 50);
  CHECK(report.checksum == replayed_path(make_query_path()).run_at_once(requests).checksum);
}

TEST_CASE("batches of another path, or without the first stage, are rejected") {
  replayed_path path(make_query_path());
  const auto other = replayed_path(make_codec_path({})).even_batches(4);
  CHECK_THROWS_WITH_AS(path.run_in_batches("PING\r\n", other),
                       "the batches belong to other stages than those of this path",
                       std::runtime_error);
  auto endless = path.even_batches(4);
  endless.batches = {{1, 4}};
  CHECK_THROWS_WITH_AS(path.run_in_batches("PING\r\n", endless), "the first stage has no batch",
                       std::runtime_error);
}

TEST_CASE(
    "bytes that are not requests are rejected with their offset, even after staged requests") {
  replayed_path path(make_query_path());
  const auto* wrong = "the bytes at 6 are not a whole request";
  CHECK_THROWS_WITH_AS(path.run_at_once("PING\r\n*1\r\n$4\r\nPI"), wrong, std::runtime_error);
  CHECK_THROWS_WITH_AS(path.run_in_batches("PING\r\n*-x\r\n", path.even_batches(64)), wrong,
                       std::runtime_error);
}
