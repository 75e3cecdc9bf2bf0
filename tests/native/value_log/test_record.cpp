#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "value_log/record.hpp"

using namespace stallscope::value_log;

namespace {

constexpr stallscope::store::hash_seed secret{11, 22};

std::vector<std::byte> encoded(const record& what) {
  std::vector<std::byte> bytes(record_bytes(what.key.size(), what.value.size()));
  encode(bytes, what, secret);
  return bytes;
}

}  // namespace

TEST_CASE("a record reads as it was written") {
  const auto bytes = encoded({record_kind::value, 7, 1234, "key", "some value"});
  const decoded found = decode(bytes, 4096, secret);
  REQUIRE(found.status == decode_status::whole);
  CHECK(found.bytes == bytes.size());
  CHECK(found.bytes % 8 == 0);
  CHECK(found.what.sequence == 7);
  CHECK(found.what.expires_ms == 1234);
  CHECK(found.what.key == "key");
  CHECK(found.what.value == "some value");
  CHECK(key_of(bytes) == "key");
}

TEST_CASE("no byte of a record changes unseen, but those of its padding") {
  const auto bytes = encoded({record_kind::deleted, 7, 0, "keys", "value"});
  const std::size_t used = head_bytes + 4 + 5;
  for (std::size_t at = 0; at < used; ++at) {
    auto changed = bytes;
    changed[at] ^= std::byte{0x40};
    CHECK(decode(changed, 4096, secret).status != decode_status::whole);
  }
}

TEST_CASE("what is cut off is incomplete, and says how much it needs") {
  const auto bytes = encoded({record_kind::value, 7, 0, "key", "value"});
  for (std::size_t length = 1; length < bytes.size(); ++length) {
    const decoded found = decode(std::span(bytes).first(length), 4096, secret);
    CHECK(found.status == decode_status::incomplete);
    CHECK(found.bytes == (length < head_bytes ? head_bytes : bytes.size()));
  }
}

TEST_CASE("padding ends with its block") {
  std::vector<std::byte> bytes(64, std::byte{0});
  CHECK(decode(bytes, 4096, secret).status == decode_status::padding);
  bytes[16] = std::byte{1};
  CHECK(decode(bytes, 2 * 4096 - 16, secret).status == decode_status::padding);
  CHECK(decode(bytes, 4096, secret).status == decode_status::damaged);
}

TEST_CASE("a record of another store is none") {
  const auto bytes = encoded({record_kind::value, 7, 0, "key", "value"});
  CHECK(decode(bytes, 4096, {11, 24}).status == decode_status::damaged);
  CHECK(decode(bytes, 4096, {12, 22}).status == decode_status::damaged);
}
