// Search over the unique names, for literal text or a regular expression.

const MODULE_PREFIX = "module:";
const KIND_PREFIX = "kind:";

/** Returns a predicate for texts, null for an empty query; throws SyntaxError for a bad expression. */
function textTest(query, asRegex) {
  if (query === "") return null;
  if (asRegex) {
    const expression = new RegExp(query, "iu");
    return (text) => expression.test(text);
  }
  const needle = query.toLowerCase();
  return (text) => text.toLowerCase().includes(needle);
}

/**
 * Bytes over functions, 1 where the query matches, and their count; null without a query.
 * Inlined functions match only where they are shown.
 */
function markFunctions(profile, query, { regex, inlined }) {
  const test = functionTest(profile, query, regex);
  if (!test) return null;
  const marked = new Uint8Array(profile.functions.length);
  let count = 0;
  profile.function_kind.forEach((kind, f) => {
    if (kind === KIND.ROOT || (kind === KIND.INLINED && !inlined)) return;
    marked[f] = test(f) ? 1 : 0;
    count += marked[f];
  });
  return { marked, count };
}

/** Returns a predicate for a function by its number: name, `module:` of its file, `kind:` of its kind. */
function functionTest(profile, query, asRegex) {
  if (query.startsWith(KIND_PREFIX)) {
    const needle = query.slice(KIND_PREFIX.length).trim().toLowerCase();
    return needle ? (f) => KIND_KEY[profile.function_kind[f]].startsWith(needle) : null;
  }
  const inModules = query.startsWith(MODULE_PREFIX);
  const test = textTest(inModules ? query.slice(MODULE_PREFIX.length) : query, asRegex);
  if (!test) return null;
  const texts = inModules ? profile.modules : profile.names;
  const textOf = inModules ? profile.function_module : profile.function_name;
  const hits = Uint8Array.from(texts, (text) => (test(text) ? 1 : 0));
  return (f) => hits[textOf[f]] === 1;
}
