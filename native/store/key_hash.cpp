#include "store/key_hash.hpp"

#include <sys/random.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

namespace stallscope::store {

namespace {

class sip_state {
 public:
  explicit sip_state(const hash_seed& seed)
      : v0_(seed[0] ^ 0x736f6d6570736575U),
        v1_(seed[1] ^ 0x646f72616e646f6dU),
        v2_(seed[0] ^ 0x6c7967656e657261U),
        v3_(seed[1] ^ 0x7465646279746573U) {}

  void take(std::uint64_t word) {
    v3_ ^= word;
    round();
    v0_ ^= word;
  }

  std::uint64_t finish() {
    v2_ ^= 0xffU;
    round();
    round();
    round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void round() {
    v0_ += v1_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v3_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v2_ = std::rotl(v2_, 32);
  }

  std::uint64_t v0_, v1_, v2_, v3_;
};

}  // namespace

hash_seed random_seed() {
  hash_seed seed{};
  if (::getrandom(seed.data(), sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return seed;
}

std::uint64_t key_hash(const hash_seed& seed, std::string_view key) {
  sip_state state(seed);
  std::size_t at = 0;
  std::uint64_t word = 0;
  for (; key.size() - at >= sizeof word; at += sizeof word) {
    std::memcpy(&word, key.data() + at, sizeof word);
    state.take(word);
  }
  word = 0;
  if (at != key.size()) std::memcpy(&word, key.data() + at, key.size() - at);
  state.take(word | static_cast<std::uint64_t>(key.size()) << 56U);
  return state.finish();
}

}  // namespace stallscope::store
