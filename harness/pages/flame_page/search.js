// Search over the unique names; a literal text unless a regular expression is asked for.

const MODULE_PREFIX = "module:";

/** A test of one text, or null for an empty query; throws SyntaxError for a bad expression. */
function textTest(query, asRegex) {
  if (query === "") return null;
  if (asRegex) {
    const expression = new RegExp(query, "iu");
    return (text) => expression.test(text);
  }
  const wanted = query.toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
}

/** Bytes over functions, 1 where the query matches, and their count; null without a query. */
function markFunctions(profile, query, asRegex) {
  const inModules = query.startsWith(MODULE_PREFIX);
  const test = textTest(inModules ? query.slice(MODULE_PREFIX.length) : query, asRegex);
  if (!test) return null;
  const texts = inModules ? profile.modules : profile.names;
  const textOf = inModules ? profile.function_module : profile.function_name;
  const hits = Uint8Array.from(texts, (text) => (test(text) ? 1 : 0));
  const marked = new Uint8Array(profile.functions.length);
  let count = 0;
  for (let f = 0; f < marked.length; f++) {
    if (profile.functions[f].kind === KIND.ROOT) continue;
    marked[f] = hits[textOf[f]];
    count += marked[f];
  }
  return { marked, count };
}
