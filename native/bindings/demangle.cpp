// Demangling by libiberty. A crafted name of a few KiB can stand for gigabytes: output is taken in
// pieces and given up beyond a bound.
// libiberty would declare a basename() of its own otherwise.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include <string>
#include <string_view>

#include "bindings.hpp"

namespace nb = nanobind;

namespace stallscope::bindings {
namespace {

constexpr std::size_t longest_mangled_bytes = 16'384;
constexpr std::size_t longest_demangled_bytes = 65'536;
constexpr int style = DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO;

struct too_long {};

// Throws through libiberty's frames: what they hold is on the stack.
void take_piece(const char* piece, std::size_t size, void* into) {
  auto& made = *static_cast<std::string*>(into);
  if (size > longest_demangled_bytes - made.size()) {
    throw too_long();
  }
  made.append(piece, size);
}

// Whether `name` could be demangled into `made`.
bool demangle(const char* name, std::string& made) {
  try {
    if (rust_demangle_callback(name, style, take_piece, &made) != 0) {
      return true;
    }
    made.clear();
    return cplus_demangle_v3_callback(name, style, take_piece, &made) != 0;
  } catch (const too_long&) {
    return false;
  }
}

nb::list demangle_all(const nb::list& names) {
  nb::list results;
  std::string made;
  for (const nb::handle each : names) {
    if (!nb::isinstance<nb::bytes>(each)) {
      throw nb::type_error("demangle takes a list of bytes");
    }
    const auto name = nb::borrow<nb::bytes>(each);
    const std::string_view text(name.c_str(), name.size());
    const bool may_be_mangled = (text.starts_with("_Z") || text.starts_with("_R")) &&
                                text.size() <= longest_mangled_bytes &&
                                text.find('\0') == std::string_view::npos;
    made.clear();
    if (may_be_mangled && demangle(name.c_str(), made)) {
      results.append(nb::bytes(made.data(), made.size()));
    } else {
      results.append(name);
    }
  }
  return results;
}

}  // namespace

void add_demangle(nb::module_& module) { module.def("demangle", &demangle_all, nb::arg("names")); }

}  // namespace stallscope::bindings
