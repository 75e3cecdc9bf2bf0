// Exceptions through frames of every shape that compilers make, in a loop without end: variable and
// over-aligned locals (the CFA is computed from a saved register), tail calls, calls that do not
// return, destructors on the way, and a rethrow.
#include <alloca.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

volatile std::uint64_t sink;

struct counted {
  explicit counted(std::uint64_t amount) : amount_{amount} {}
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { sink = sink + amount_; }
  std::uint64_t amount_;
};

// The call is the last instruction: the return address lies behind the function's end.
[[noreturn, gnu::noinline]] void fail(const std::string& reason) {
  throw std::runtime_error(reason);
}

[[gnu::noinline]] std::uint64_t variable_local(std::uint64_t size) {
  auto* bytes = static_cast<unsigned char*>(alloca(size % 4096 + 64));
  std::memset(bytes, static_cast<int>(size), size % 4096 + 64);
  if (size % 7 == 0) fail("variable local " + std::to_string(size));
  return bytes[size % 64];
}

[[gnu::noinline]] std::uint64_t over_aligned_local(std::uint64_t size) {
  alignas(128) volatile std::uint64_t block[32] = {};
  for (std::uint64_t i = 0; i < 32; ++i) block[i] = i * size;
  counted guard{block[size % 32]};
  return variable_local(size + block[3]) + block[size % 32];
}

[[gnu::noinline]] std::uint64_t tail_called(std::uint64_t size) {
  return over_aligned_local(size + 1);
}

[[gnu::noinline]] std::uint64_t tail_calling(std::uint64_t size) {
  sink = sink + size;
  return tail_called(size * 3);
}

[[gnu::noinline]] std::uint64_t many_arguments(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                               std::uint64_t d, std::uint64_t e, std::uint64_t f,
                                               std::uint64_t g, std::uint64_t h) {
  return tail_calling(a + b) + c * d + e * f + g * h;
}

[[gnu::noinline]] std::uint64_t rethrown(std::uint64_t size) {
  try {
    return many_arguments(size, 1, size, 3, size, 5, size, 7);
  } catch (const std::runtime_error& error) {
    counted guard{std::strlen(error.what())};
    throw;
  }
}

// Deep enough that unwinding takes a while.
[[gnu::noinline]] std::uint64_t nested(std::uint64_t depth, std::uint64_t size) {
  counted guard{depth};
  if (depth == 0) return rethrown(size);
  return nested(depth - 1, size) + guard.amount_;
}

// What is between two throws: iostreams, containers and sorting of libstdc++.
[[gnu::noinline]] std::uint64_t library_work(std::uint64_t round) {
  std::map<std::string, std::uint64_t> words;
  std::ostringstream text;
  for (std::uint64_t i = 0; i < 20; ++i) {
    text << "word " << (i * round) % 17 << ' ' << static_cast<double>(i) / 3 << ' ';
    words["key " + std::to_string((i * round) % 11)] += i;
  }
  std::vector<std::uint64_t> values;
  for (const auto& [word, count] : words) values.push_back(count + word.size());
  std::sort(values.begin(), values.end(), [](auto a, auto b) { return a > b; });
  return values.front() + text.str().size();
}

}  // namespace

int main() {
  for (std::uint64_t round = 1;; ++round) {
    try {
      sink = sink + nested(round % 24, round) + library_work(round);
    } catch (const std::exception& error) {
      sink = sink + std::strlen(error.what());
    }
  }
}
