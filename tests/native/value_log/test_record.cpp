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

TEST_CASE("a record can be read back") {
  const auto bytes = encoded({record_kind::value, 7, 1234, "key", "some value"});
  const decoded decoded_record = decode(bytes, 4096, secret);
  REQUIRE(decoded_record.status == decode_status::whole);
  CHECK(decoded_record.bytes == bytes.size());
  CHECK(decoded_record.bytes % 8 == 0);
  CHECK(decoded_record.what.sequence == 7);
  CHECK(decoded_record.what.expires_ms == 1234);
  CHECK(decoded_record.what.key == "key");
  CHECK(decoded_record.what.value == "some value");
  CHECK(key_of(bytes) == "key");
}

TEST_CASE("a change of any byte except padding is detected") {
  const auto bytes = encoded({record_kind::deleted, 7, 0, "keys", "value"});
  const std::size_t used = head_bytes + 4 + 5;
  for (std::size_t at = 0; at < used; ++at) {
    auto changed = bytes;
    changed[at] ^= std::byte{0x40};
    CHECK(decode(changed, 4096, secret).status != decode_status::whole);
  }
}

TEST_CASE("a changed value is accepted if verification is off, a changed header is not") {
  auto bytes = encoded({record_kind::value, 7, 0, "key", "value"});
  bytes[head_bytes + 3] ^= std::byte{0x40};
  CHECK(decode(bytes, 4096, secret).status == decode_status::damaged);
  CHECK(decode(bytes, 4096, secret, checksum_check::skip).status == decode_status::whole);
  bytes[8] ^= std::byte{0x40};
  CHECK(decode(bytes, 4096, secret, checksum_check::skip).status == decode_status::damaged);
}

TEST_CASE("a truncated record is incomplete and reports the bytes needed") {
  const auto bytes = encoded({record_kind::value, 7, 0, "key", "value"});
  for (std::size_t length = 1; length < bytes.size(); ++length) {
    const decoded decoded_record = decode(std::span(bytes).first(length), 4096, secret);
    CHECK(decoded_record.status == decode_status::incomplete);
    CHECK(decoded_record.bytes == (length < head_bytes ? head_bytes : bytes.size()));
  }
}

TEST_CASE("padding ends with its block") {
  std::vector<std::byte> bytes(64, std::byte{0});
  CHECK(decode(bytes, 4096, secret).status == decode_status::padding);
  bytes[16] = std::byte{1};
  CHECK(decode(bytes, 2 * 4096 - 16, secret).status == decode_status::padding);
  CHECK(decode(bytes, 4096, secret).status == decode_status::damaged);
}

TEST_CASE("a record of another store is not accepted") {
  const auto bytes = encoded({record_kind::value, 7, 0, "key", "value"});
  CHECK(decode(bytes, 4096, {11, 24}).status == decode_status::damaged);
  CHECK(decode(bytes, 4096, {12, 22}).status == decode_status::damaged);
}
