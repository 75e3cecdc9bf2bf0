// Colours of frames by slots of their functions. Pale: with callees, because the function has too
// few own samples.

// Hue and saturation of each category; lightness differs too.
const SLOT_HUES = {
  retiring: [140, 38, 4], bad_speculation: [345, 62, -2], frontend_bound: [255, 48, 6], backend_bound: [28, 84, 0], smt_contention: [192, 40, 0],
  ipc_0: [8, 66, -2], ipc_1: [36, 82, 0], ipc_2: [86, 44, 2], ipc_3: [150, 42, 0],
};
const SLOTS_UNKNOWN = [220, 6, 12];
const PALE = { saturation: 0.5, lightness: 9 };

/** The slots by function number; null if the page has none. */
function slotsByFunction(profile) {
  if (!profile.slots) return null;
  if (!profile.slots.of) {
    const of = new Map(profile.slots.functions.map(([f, category, own, text]) => [f, { category, own: own === 1, text }]));
    Object.defineProperty(profile.slots, "of", { value: of });
  }
  return profile.slots.of;
}

/** The slots of a function as text; empty if they are not known. */
function slotsText(profile, f) {
  const entry = slotsByFunction(profile)?.get(f);
  if (!entry) return "";
  return entry.own ? entry.text : `with callees: ${entry.text}`;
}

/** The fill of a category, -1 for what is not known. */
function slotFill(slots, category, lightness, pale = false) {
  const [hue, saturation, lighter] = SLOT_HUES[slots.categories[category]?.[0]] ?? SLOTS_UNKNOWN;
  const strength = pale ? PALE.saturation : 1, more = pale ? PALE.lightness : 0;
  return `hsl(${hue}, ${saturation * strength}%, ${Math.min(92, lightness + lighter + more)}%)`;
}

/** The fill of each function. */
function slotFills(profile, lightness) {
  const of = slotsByFunction(profile);
  return profile.functions.map((_, f) => {
    const entry = of.get(f);
    return slotFill(profile.slots, entry ? entry.category : -1, lightness, entry !== undefined && entry.category >= 0 && !entry.own);
  });
}

/** Self value in view by category, what is not known last. */
function slotValues(view) {
  const of = slotsByFunction(view.profile), { self } = view.functions;
  const { categories } = view.profile.slots;
  const values = new Float64Array(categories.length + 1);
  view.profile.functions.forEach((_, f) => {
    const entry = of.get(f);
    values[entry?.own && entry.category >= 0 ? entry.category : categories.length] += self[f];
  });
  return values;
}
