// Creation of elements without markup: names are always text.

const SVG = "http://www.w3.org/2000/svg";

function byId(id) {
  return document.getElementById(id);
}

/** An element with attributes; `text` becomes its text, functions become listeners. */
function make(tag, attributes = {}, ...children) {
  return dress(document.createElement(tag), attributes, children);
}

function makeSvg(tag, attributes = {}, ...children) {
  return dress(document.createElementNS(SVG, tag), attributes, children);
}

function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (typeof value === "function") element.addEventListener(name, value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A bar that fills `share` of its width. */
function bar(share, kind) {
  return makeSvg("svg", { class: "bar", viewBox: "0 0 100 3", preserveAspectRatio: "none", "aria-hidden": "true" },
    makeSvg("rect", { class: kind, width: Math.max(0, Math.min(100, share * 100)) || 0, height: 3 }));
}
