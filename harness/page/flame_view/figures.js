// Quantities as text.

const GROUPED = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const COUNT_STEPS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k", 1e3]];
const TIME_STEPS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

function countText(count) {
  return GROUPED.format(count);
}

function threeDigits(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function valueText(value, unit) {
  if (unit === "ns") {
    for (const [least, name] of TIME_STEPS) {
      if (value >= least) return `${threeDigits(value / least)} ${name}`;
    }
    return "0 s";
  }
  for (const [least, prefix, scale = least] of COUNT_STEPS) {
    if (value >= least) return `${threeDigits(value / scale)} ${prefix} ${unit}`;
  }
  return `${countText(value)} ${unit}`;
}

function shareText(part, whole) {
  if (!(whole > 0)) return "–";
  const percent = (part / whole) * 100;
  if (percent === 0) return "0 %";
  if (percent < 0.01) return "< 0.01 %";
  return `${percent >= 99.95 ? percent.toFixed(0) : percent >= 10 ? percent.toFixed(1) : percent.toFixed(2)} %`;
}

function plural(count, singular, pluralForm) {
  return `${countText(count)} ${count === 1 ? singular : pluralForm}`;
}
