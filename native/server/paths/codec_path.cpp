#include "server/paths/codec_path.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "resp/reply_writer.hpp"
#include "server/paths/taking.hpp"

// generate_code.py's: runs as many KB of code from an entry on, and changes the three words.
extern "C" void stallscope_codec_run(std::uint64_t* words, const void* entry, std::uint32_t kb);
extern "C" const void* const stallscope_codec_entries[];

namespace stallscope::server {
namespace {

struct codec_state final : call_state {
  std::array<std::uint64_t, 3> words{};
  bool running = false;  // taken, and with the right number of words
};

codec_state& state_of(const request_call& call) { return static_cast<codec_state&>(*call.state); }

// FNV-1a, twice; the third word is the length.
void read_bytes(void* /*context*/, request_call& call) {
  auto& state = state_of(call);
  state.running = take(call, "codec") && call.words.size() == 2;
  if (!state.running) {
    return;
  }
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : call.words[1]) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
  }
  state.words = {hash, (hash ^ 1U) * prime, call.words[1].size()};
}

struct code_range {
  const void* entry;
  std::uint32_t kb;
};

void run_code(void* context, request_call& call) {
  auto& state = state_of(call);
  if (state.running) {
    const auto& range = *static_cast<const code_range*>(context);
    stallscope_codec_run(state.words.data(), range.entry, range.kb);
  }
}

void write_digest(void* /*context*/, request_call& call) {
  if (!call.taken) {
    return;
  }
  auto& state = state_of(call);
  if (!state.running) {
    call.reply->error("ERR wrong number of arguments for 'codec' command");
    return;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  auto rest = state.words[0] ^ state.words[1] ^ state.words[2];
  std::array<char, 16> text{};
  for (auto place = text.rbegin(); place != text.rend(); ++place, rest >>= 4U) {
    *place = digits[rest & 0xfU];
  }
  call.reply->bulk({text.data(), text.size()});
}

std::string stage_name(std::size_t number) {
  return (number < 10 ? "codec_synthetic_0" : "codec_synthetic_") + std::to_string(number);
}

class codec_path final : public path {
 public:
  explicit codec_path(const codec_settings& settings) {
    for (std::size_t kb = 0; kb < settings.footprint_kb; kb += settings.stage_kb) {
      const auto size = std::min(settings.stage_kb, settings.footprint_kb - kb);
      ranges_.push_back({stallscope_codec_entries[kb], static_cast<std::uint32_t>(size)});
    }
    steps_.push_back({"codec_read", nullptr, &read_bytes});
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      steps_.push_back({stage_name(i), &ranges_[i], &run_code});
    }
    steps_.push_back({"codec_reply", nullptr, &write_digest});
  }

  [[nodiscard]] std::span<const step> steps() const override { return steps_; }
  [[nodiscard]] std::unique_ptr<call_state> make_state() override {
    return std::make_unique<codec_state>();
  }

 private:
  std::vector<code_range> ranges_;
  std::vector<step> steps_;
};

}  // namespace

std::unique_ptr<path> make_codec_path(const codec_settings& settings) {
  if (settings.footprint_kb > most_codec_kb) {
    throw std::invalid_argument("the codec path has no more than " + std::to_string(most_codec_kb) +
                                " KB of code");
  }
  if (settings.stage_kb == 0 || settings.stage_kb > settings.footprint_kb) {
    throw std::invalid_argument(
        "a stage of the codec path has 1 KB at least, and no more than all");
  }
  return std::make_unique<codec_path>(settings);
}

}  // namespace stallscope::server
