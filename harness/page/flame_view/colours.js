// Colours show the kind of a function; shades distinguish modules and neighbours.

const KIND = { USER: 0, KERNEL: 1, INLINED: 2, UNKNOWN: 3, ROOT: 4, PYTHON: 5, TRUNCATED: 6, WAKER: 7, JAVASCRIPT: 8, JAVA: 9, RUBY: 10, PHP: 11 };
const KIND_NAME = ["user", "kernel", "inlined", "no symbol", "all", "Python", "truncated", "woken by", "JavaScript", "Java", "Ruby", "PHP"];
const KIND_KEY = ["user", "kernel", "inlined", "unknown", "", "python", "truncated", "waker", "javascript", "java", "ruby", "php"]; // search terms: kind:python
const SHADES = 7;

// Hue, saturation, lightness, and the range of shades in hue and lightness.
const PALETTES = {
  light: {
    kinds: [[36, 86, 67, 9, 4], [213, 70, 74, 8, 4], [79, 48, 65, 9, 4], [220, 6, 79, 0, 3], [220, 10, 88, 0, 0],
      [170, 46, 67, 9, 4], [8, 48, 85, 0, 0], [268, 56, 84, 0, 0], [52, 78, 62, 7, 4], [12, 62, 72, 7, 4],
      [340, 60, 76, 7, 4], [242, 50, 80, 7, 4]],
    paper: "#ffffff", ink: "#17181b", faint: "#70757f", rest: "#e4e4df", restLine: "#8b8f98",
    match: "hsl(304, 62%, 66%)", focus: "#1b1d21",
  },
  dark: {
    kinds: [[33, 60, 60, 8, 4], [213, 50, 65, 8, 4], [79, 34, 57, 9, 4], [220, 6, 63, 0, 3], [220, 8, 54, 0, 0],
      [170, 34, 56, 9, 4], [8, 26, 66, 0, 0], [268, 34, 68, 0, 0], [52, 50, 52, 7, 4], [12, 44, 62, 7, 4],
      [340, 42, 64, 7, 4], [242, 36, 70, 7, 4]],
    paper: "#1a1d22", ink: "#101216", faint: "#8a909c", rest: "#343941", restLine: "#767d8a",
    match: "hsl(304, 60%, 70%)", focus: "#ffffff",
  },
};

function hashOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < Math.min(text.length, 64); i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash >>> 0;
}

/** The colours of what a view shows, in a theme. */
function coloursOf(view, theme = view.state.theme) {
  return new Colours(view.profile, theme, view.state.bySlots);
}

/** The fill of each function in a theme, and the theme's other colours. */
class Colours {
  constructor(profile, theme, bySlots = false) {
    Object.assign(this, PALETTES[theme]);
    this.slotLightness = theme === "dark" ? 58 : 68;
    if (bySlots) {
      this.fills = slotFills(profile, this.slotLightness);
      return;
    }
    const shades = new Map();
    this.fills = profile.functions.map(({ name, module, kind }) => {
      const hueStep = hashOf(module) % SHADES, lightStep = hashOf(name) % SHADES;
      const key = (kind * SHADES + hueStep) * SHADES + lightStep;
      if (!shades.has(key)) shades.set(key, this.shade(kind, hueStep, lightStep));
      return shades.get(key);
    });
  }

  shade(kind, hueStep, lightStep) {
    const [hue, saturation, lightness, hueReach, lightReach] = this.kinds[kind] ?? this.kinds[KIND.UNKNOWN];
    const along = (step) => (step / (SHADES - 1)) * 2 - 1;
    return `hsl(${hue + along(hueStep) * hueReach}, ${saturation}%, ${lightness + along(lightStep) * lightReach}%)`;
  }

  swatch(kind) {
    return this.shade(kind, (SHADES - 1) / 2, (SHADES - 1) / 2);
  }
}
