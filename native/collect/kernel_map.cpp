#include "collect/kernel_map.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <limits>
#include <system_error>

#include "base/failure.hpp"

namespace stallscope::collect {
namespace {

constexpr pid_t kernel_pid = -1;
constexpr std::uint16_t build_id_size_given = 1U << 15U;  // PERF_RECORD_MISC_BUILD_ID_SIZE of perf

bool is_text(char kind) { return kind == 't' || kind == 'T' || kind == 'w' || kind == 'W'; }

void put_kernel_mapping(record_buffer& out, const kernel_layout& layout, std::string_view name,
                        std::uint64_t page_offset) {
  out.begin(PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
  out.put(kernel_pid);
  out.put(pid_t{0});
  out.put(layout.start);
  out.put(layout.end - layout.start);
  out.put(page_offset);
  out.put_padded(name);
  out.put_sample_id(kernel_pid, 0);
  out.end();
}

void write_all(const descriptor& to, std::string_view text) {
  while (!text.empty()) {
    const auto wrote = ::write(to.get(), text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) throw output_error(wrote < 0 ? errno : ENOSPC, "write kallsyms");
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

}  // namespace

std::optional<kernel_symbol> parse_kallsyms_line(std::string_view line) {
  kernel_symbol symbol;
  const auto* end = line.data() + line.size();
  const auto [after, error] = std::from_chars(line.data(), end, symbol.address, 16);
  if (error != std::errc{} || end - after < 4 || after[0] != ' ' || after[2] != ' ')
    return std::nullopt;
  symbol.kind = after[1];
  const std::string_view named{after + 3, static_cast<std::size_t>(end - after - 3)};
  const auto tab = named.find('\t');
  symbol.name = named.substr(0, tab);
  if (tab != std::string_view::npos) symbol.rest = named.substr(tab + 1);
  return symbol;
}

std::optional<kernel_layout> read_kernel_layout(const std::string& kallsyms) {
  std::uint64_t text_start = 0;
  std::uint64_t stext = 0;
  std::uint64_t end = 0;
  for_each_line(kallsyms, [&](std::string_view line) {
    const auto symbol = parse_kallsyms_line(line);
    if (!symbol || !symbol->rest.empty()) return symbol.has_value() && end == 0;
    if (symbol->name == "_text") text_start = symbol->address;
    if (symbol->name == "_stext") stext = symbol->address;
    if (symbol->name == "_etext") end = symbol->address;
    return end == 0;  // data follows, or text that was freed after booting
  });
  const std::uint64_t start = text_start != 0 ? text_start : stext;
  if (start == 0) return std::nullopt;
  if (end <= start) end = std::numeric_limits<std::uint64_t>::max();
  return kernel_layout{text_start != 0 ? "_text" : "_stext", start, end};
}

warning no_kernel_layout(const std::string& kallsyms) {
  if (::access(kallsyms.c_str(), R_OK) != 0) {
    return {"kernel-symbols-missing", kallsyms +
                                          " cannot be read: the kernel was built without it "
                                          "(CONFIG_KALLSYMS), or it is hidden from this container; "
                                          "kernel frames will have no names"};
  }
  return {"kernel-addresses-hidden",
          "kernel addresses are hidden from this user (kernel.kptr_restrict): kernel frames will "
          "have no names"};
}

void put_kernel_map(record_buffer& out, const kernel_layout& layout) {
  put_kernel_mapping(out, layout, "[kernel.kallsyms]" + layout.reference, layout.start);
}

void put_kernel_modules(record_buffer& out, const std::string& modules) {
  for_each_line(modules, [&out](std::string_view line) {
    // name size users dependencies state 0xaddress
    const auto name = line.substr(0, line.find(' '));
    const auto after_name = std::min(line.size(), name.size() + 1);
    std::uint64_t size = 0;
    std::from_chars(line.data() + after_name, line.data() + line.size(), size);
    const auto hex = line.find(" 0x");
    std::uint64_t start = 0;
    if (hex != std::string_view::npos) {
      std::from_chars(line.data() + hex + 3, line.data() + line.size(), start, 16);
    }
    if (start == 0 || size == 0) return true;
    put_kernel_mapping(out, {"", start, start + size}, std::string{"["}.append(name).append("]"),
                       0);
    return true;
  });
}

void put_kernel_build_id(record_buffer& out, const std::string& notes) {
  const std::string bytes = read_text(notes, 65'536);
  const auto id = build_id_of_notes(std::as_bytes(std::span{bytes}));
  if (id.empty()) return;
  out.begin(perf_format::user_record::header_build_id,
            PERF_RECORD_MISC_KERNEL | build_id_size_given);
  out.put(kernel_pid);
  std::array<std::byte, max_build_id_bytes> padded{};
  std::copy(id.begin(), id.end(), padded.begin());
  out.put(padded);
  out.put(std::array<std::uint8_t, 4>{static_cast<std::uint8_t>(id.size())});
  out.put_padded("[kernel.kallsyms]", 64);
  out.end();
}

std::uint64_t copy_kallsyms(const descriptor& to, const std::function<bool()>& interrupted,
                            const std::string& kallsyms) {
  std::string pending;
  std::uint64_t written = 0;
  bool visible = false;
  for_each_line(kallsyms, [&](std::string_view line) {
    const auto symbol = parse_kallsyms_line(line);
    if (!symbol || !is_text(symbol->kind)) return true;
    visible = visible || symbol->address != 0;
    pending.append(line).push_back('\n');
    if (pending.size() < (std::size_t{64} << 10U)) return true;
    if (!visible || interrupted()) return false;
    write_all(to, pending);
    written += pending.size();
    pending.clear();
    return true;
  });
  if (!visible || interrupted()) return 0;
  write_all(to, pending);
  return written + pending.size();
}

}  // namespace stallscope::collect
