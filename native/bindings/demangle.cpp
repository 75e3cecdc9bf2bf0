// Demangling by libiberty. A crafted name of a few KiB can expand to gigabytes, so the output
// arrives in pieces, and demangling stops at a limit.
//
// Licence: libiberty's demanglers permit linking without restriction (NOTICE). Its character table
// does not, so this file defines the table and libiberty's is not linked.

// Without this definition libiberty declares its own basename().
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include <array>
#include <string>
#include <string_view>

#include "bindings.hpp"

namespace nb = nanobind;

namespace {

// The character classes that libiberty's demanglers test, with the bits of its safe-ctype.h.
constexpr std::array<unsigned short, 256> character_classes() {
  std::array<unsigned short, 256> classes{};
  for (unsigned character = 0; character < 128; ++character) {
    const bool lower = character >= 'a' && character <= 'z';
    const bool upper = character >= 'A' && character <= 'Z';
    const bool digit = character >= '0' && character <= '9';
    const bool hexadecimal =
        digit || (character >= 'a' && character <= 'f') || (character >= 'A' && character <= 'F');
    const bool printable = character >= ' ' && character <= '~';
    const bool blank = character == ' ' || character == '\t';
    const bool vertical = character == '\n' || character == '\r';
    const bool other_space = character == '\v' || character == '\f';
    const bool punctuation = printable && character != ' ' && !lower && !upper && !digit;
    unsigned bits = 0;
    bits |= blank ? 0x0001U : 0U;
    bits |= printable ? 0x0010U : 0x0002U;
    bits |= digit ? 0x0004U : 0U;
    bits |= lower ? 0x0008U : 0U;
    bits |= punctuation ? 0x0020U : 0U;
    bits |= blank || vertical || other_space ? 0x0040U : 0U;
    bits |= upper ? 0x0080U : 0U;
    bits |= hexadecimal ? 0x0100U : 0U;
    bits |= lower || upper || character == '_' ? 0x0200U : 0U;
    bits |= vertical ? 0x0400U : 0U;
    bits |= blank || other_space || character == 0 ? 0x0800U : 0U;
    classes[character] = static_cast<unsigned short>(bits);
  }
  return classes;
}

}  // namespace

// The name under which libiberty's objects refer to the table.
extern "C" {
extern const std::array<unsigned short, 256> _sch_istable;
constinit const std::array<unsigned short, 256> _sch_istable = character_classes();
}

namespace stallscope::bindings {
namespace {

constexpr std::size_t longest_mangled_bytes = 16'384;
constexpr std::size_t longest_demangled_bytes = 65'536;
constexpr int style = DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO;

struct too_long {};

// Throws through libiberty's frames, which hold no memory outside the stack.
void append_piece(const char* piece, std::size_t size, void* output) {
  auto& demangled = *static_cast<std::string*>(output);
  if (size > longest_demangled_bytes - demangled.size()) {
    throw too_long();
  }
  demangled.append(piece, size);
}

// Writes the readable form of `name` to `demangled`; returns false if `name` is not a mangled name.
bool demangle(const char* name, std::string& demangled) {
  try {
    if (rust_demangle_callback(name, style, append_piece, &demangled) != 0) {
      return true;
    }
    demangled.clear();
    return cplus_demangle_v3_callback(name, style, append_piece, &demangled) != 0;
  } catch (const too_long&) {
    return false;
  }
}

nb::list demangle_all(const nb::list& names) {
  nb::list results;
  std::string demangled;
  for (const nb::handle item : names) {
    if (!nb::isinstance<nb::bytes>(item)) {
      throw nb::type_error("demangle takes a list of bytes");
    }
    const auto name = nb::borrow<nb::bytes>(item);
    const std::string_view text(name.c_str(), name.size());
    const bool may_be_mangled = (text.starts_with("_Z") || text.starts_with("_R")) &&
                                text.size() <= longest_mangled_bytes &&
                                text.find('\0') == std::string_view::npos;
    demangled.clear();
    if (may_be_mangled && demangle(name.c_str(), demangled)) {
      results.append(nb::bytes(demangled.data(), demangled.size()));
    } else {
      results.append(name);
    }
  }
  return results;
}

}  // namespace

void add_demangle(nb::module_& module) { module.def("demangle", &demangle_all, nb::arg("names")); }

}  // namespace stallscope::bindings
