#include "server/paths/query_mac.hpp"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <stdexcept>
#include <string>

#include "server/paths/query_path.hpp"

namespace stallscope::server {
namespace {

[[noreturn]] void refuse() {
  const auto* reason = ERR_reason_error_string(ERR_peek_last_error());
  throw std::runtime_error(std::string("libcrypto: ") +
                           (reason == nullptr ? "HMAC-SHA256 failed" : reason));
}

const unsigned char* unsigned_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

mac_computer::mac_computer(std::string_view key) {
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> hmac(
      EVP_MAC_fetch(nullptr, "HMAC", nullptr), &EVP_MAC_free);
  context_.reset(hmac == nullptr ? nullptr : EVP_MAC_CTX_new(hmac.get()));
  std::string digest = "SHA256";
  const std::array<OSSL_PARAM, 2> parameters{
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_end()};
  if (context_ == nullptr ||
      EVP_MAC_init(context_.get(), unsigned_bytes(key), key.size(), parameters.data()) != 1) {
    refuse();
  }
}

mac_bytes mac_computer::mac(std::string_view bytes) {
  mac_bytes computed{};
  std::size_t size = 0;
  if (EVP_MAC_init(context_.get(), nullptr, 0, nullptr) != 1 ||
      EVP_MAC_update(context_.get(), unsigned_bytes(bytes), bytes.size()) != 1 ||
      EVP_MAC_final(context_.get(), computed.data(), &size, computed.size()) != 1 ||
      size != computed.size()) {
    refuse();
  }
  return computed;
}

void mac_computer::free_mac::operator()(EVP_MAC_CTX* context) const noexcept {
  EVP_MAC_CTX_free(context);
}

std::string query_mac(std::string_view json) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const auto byte : mac_computer(query_key).mac(json)) {
    text.push_back(digits[byte >> 4U]);
    text.push_back(digits[byte & 0xfU]);
  }
  return text;
}

}  // namespace stallscope::server
