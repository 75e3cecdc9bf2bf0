// Nothing but exceptions, thrown through frames that have a frame pointer and
// something to destroy: each goes on by _Unwind_Resume, which replaces that register before it
// leaves for the next one's landing pad.
#include <alloca.h>

#include <cstring>

namespace {

volatile int sink;

struct counted {
  counted() = default;
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { sink = sink + 1; }
};

[[gnu::noinline]] int through(unsigned depth, unsigned size) {
  const counted destroyed;
  auto* bytes = static_cast<unsigned char*>(alloca(size));
  std::memset(bytes, 1, size);
  if (depth == 0) throw 1;
  return through(depth - 1, size + 16) + bytes[size / 2];
}

}  // namespace

int main() {
  for (unsigned round = 0;; ++round) {
    try {
      sink = through(8, 32 + round % 64);
    } catch (int caught) {
      sink = sink + caught;
    }
  }
}
