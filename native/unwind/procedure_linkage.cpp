#include "unwind/procedure_linkage.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace stallscope::unwind {
namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{16} << 20U;
constexpr std::size_t entry_bytes = 16;
constexpr std::array<std::string_view, 4> section_names{".plt", ".plt.sec", ".plt.got", ".iplt"};

bool begins(std::span<const std::byte> code, std::initializer_list<unsigned> with) {
  return code.size() >= with.size() &&
         std::equal(with.begin(), with.end(), code.begin(),
                    [](unsigned expected, std::byte actual) {
                      return expected == std::to_integer<unsigned>(actual);
                    });
}

struct instruction {
  std::size_t bytes = 0;
  bool pushes = false;
};

// Decodes the instructions used in x86-64 stubs.
std::optional<instruction> decode(std::span<const std::byte> code) {
  if (begins(code, {0xf3, 0x0f, 0x1e, 0xfa})) return instruction{4};  // endbr64
  if (begins(code, {0xff, 0x25})) return instruction{6};              // jmp *slot(%rip)
  if (begins(code, {0xf2, 0xff, 0x25})) return instruction{7};        // bnd jmp
  if (begins(code, {0xe9})) return instruction{5};                    // jmp
  if (begins(code, {0xf2, 0xe9})) return instruction{6};              // bnd jmp
  if (begins(code, {0x41, 0xbb})) return instruction{6};              // mov $n,%r11d
  if (begins(code, {0x4c, 0x8b, 0x1d})) return instruction{7};        // mov slot(%rip),%r11
  if (begins(code, {0x68})) return instruction{5, true};              // push $n
  if (begins(code, {0xff, 0x35})) return instruction{6, true};        // push slot(%rip)
  if (begins(code, {0x41, 0x53})) return instruction{2, true};        // push %r11
  return std::nullopt;
}

// Splits a section into ranges of equal stack depth.
class stub_reader {
 public:
  stub_reader(const section_bytes& section, std::vector<linkage_stub>& into)
      : section_{section}, into_{into} {}

  void read_x86_64() {
    for (std::size_t at = 0; at < section_.bytes.size(); at += entry_bytes) {
      const auto entry =
          section_.bytes.subspan(at, std::min(entry_bytes, section_.bytes.size() - at));
      // Other stubs jump to the first stub of a lazy section after pushing a number.
      std::uint32_t pushed = at == 0 && is_resolver(entry) ? 8 : 0;
      std::size_t inside = 0;
      while (inside < entry.size()) {
        const auto decoded = decode(entry.subspan(inside));
        const std::size_t bytes =
            decoded ? std::min(decoded->bytes, entry.size() - inside) : entry.size() - inside;
        add(at + inside, bytes, pushed, false);
        if (decoded && decoded->pushes) pushed += 8;
        inside += bytes;
      }
    }
  }

  // Only the first stub (stp x16, x30, [sp, #-16]!) moves the stack pointer.
  void read_arm64() {
    const std::size_t size = section_.bytes.size();
    const bool landing_pad = begins(section_.bytes, {0x5f, 0x24, 0x03, 0xd5});  // bti c
    const std::size_t at = landing_pad ? 4 : 0;
    const bool pushes = begins(section_.bytes.subspan(at), {0xf0, 0x7b, 0xbf, 0xa9});
    const std::size_t end = pushes ? std::min(size, 2 * entry_bytes) : 0;
    if (pushes) {
      add(0, at + 4, 0, false);
      add(at + 4, end - at - 4, 16, true);
    }
    add(end, size - end, 0, false);
  }

 private:
  static bool is_resolver(std::span<const std::byte> entry) {
    const std::size_t skipped = begins(entry, {0xf3, 0x0f, 0x1e, 0xfa}) ? 4 : 0;
    return begins(entry.subspan(skipped), {0xff, 0x35});
  }

  void add(std::size_t at, std::size_t bytes, std::uint32_t pushed, bool link_saved) {
    if (bytes == 0) return;
    const std::uint64_t start = section_.address + at;
    if (!into_.empty() && into_.back().end == start && into_.back().pushed == pushed &&
        into_.back().link_saved == link_saved) {
      into_.back().end += bytes;
      return;
    }
    into_.push_back(
        {.start = start, .end = start + bytes, .pushed = pushed, .link_saved = link_saved});
  }

  const section_bytes& section_;
  std::vector<linkage_stub>& into_;
};

}  // namespace

std::vector<linkage_stub> procedure_linkage(const elf_image& image) {
  std::vector<linkage_stub> stubs;
  for (const std::string_view name : section_names) {
    const auto section = image.section(name);
    if (!section || section->bytes.size() > max_bytes || !image.executable(section->address)) {
      continue;
    }
    stub_reader reader(*section, stubs);
    if (image.arch() == architecture::x86_64) {
      reader.read_x86_64();
    } else {
      reader.read_arm64();
    }
  }
  return stubs;
}

}  // namespace stallscope::unwind
