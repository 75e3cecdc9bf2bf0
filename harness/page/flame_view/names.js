// Short names: the last part of a name distinguishes frames better than the namespace.

const OPENING = "<([{", CLOSING = ">)]}";

/**
 * The last part of a qualified C++ or Rust name, without parameters and template arguments:
 * `a::b<c::d>::e(f::g) const` is `e`. A name that has no such parts is returned as it is.
 */
function shortName(name) {
  if (name.includes("operator")) return name.slice(name.lastIndexOf("operator"));
  let start = 0, end = -1, nested = 0;
  for (let i = 0; i < name.length; i++) {
    const char = name[i];
    if (OPENING.includes(char)) {
      if (nested === 0 && end < 0 && i > start) end = i;
      nested++;
    } else if (CLOSING.includes(char)) {
      if (name[i - 1] !== "-") nested = Math.max(0, nested - 1);
    } else if (nested === 0 && char === ":" && name[i + 1] === ":") {
      start = i + 2;
      end = -1;
      i++;
    }
  }
  const part = name.slice(start, end < 0 ? undefined : end).trim();
  return part || name;
}
