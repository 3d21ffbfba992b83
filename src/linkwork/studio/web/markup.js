// Drawings and formulas that the server sends as text become elements: only those named here, with harmless attributes.

const MATHML = "http://www.w3.org/1998/Math/MathML", SVG = "http://www.w3.org/2000/svg";
const FORMULA = new Set(("math mrow mi mo mn ms mtext mspace mfrac msqrt mroot mstyle msub msup msubsup munder mover munderover mtable mtr mtd "
  + "mpadded mphantom menclose mfenced").split(" "));
const DRAWING = new Set("svg g path line polyline polygon rect circle ellipse text tspan title desc".split(" "));
const PLAIN = new Set(("class id data-name x y x1 y1 x2 y2 cx cy r rx ry d points width height viewBox transform fill stroke stroke-width "
  + "stroke-linecap stroke-linejoin stroke-dasharray fill-opacity stroke-opacity opacity font-size font-family font-style font-weight text-anchor "
  + "dx dy baseline-shift display mathvariant stretchy fence separator form lspace rspace accent accentunder minsize maxsize columnalign "
  + "columnspacing rowspacing linethickness displaystyle scriptlevel movablelimits notation largeop symmetric").split(" "));

/** @returns {Element | null} a formula from MathML text */
export function formula(text) {
  const made = element(text, "math", FORMULA, MATHML);
  if (made) for (const raised of made.querySelectorAll("msup, msub, msubsup")) embrace(raised);
  return made;
}

// An index on a closing bracket belongs to all between the brackets: only then they grow together.
function embrace(raised) {
  const last = raised.firstElementChild, close = last && last.localName === "mo" ? last.textContent.trim() : "", open = { ")": "(", "]": "[" }[close];
  if (!open) return;
  const inner = [];
  for (let node = raised.previousElementSibling, depth = 1; node; node = node.previousElementSibling) {
    inner.unshift(node);
    const sign = node.localName === "mo" ? node.textContent.trim() : "";
    depth += sign === close ? 1 : sign === open ? -1 : 0;
    if (depth > 0) continue;
    const row = document.createElementNS(MATHML, "mrow");
    last.replaceWith(row);
    row.append(...inner, last);
    return;
  }
}

/** @returns {Element | null} a drawing from SVG text */
export const drawing = (text) => element(text, "svg", DRAWING, SVG);

/** @returns {HTMLElement} a sentence with formulas in it */
export function sentence(text) {
  const made = document.createElement("p");
  made.className = "sentence";
  for (const node of new DOMParser().parseFromString(text, "text/html").body.childNodes) {
    made.append(node.nodeType === Node.ELEMENT_NODE && node.localName === "math" ? copied(node, FORMULA, MATHML) : document.createTextNode(node.textContent));
  }
  return made;
}

function element(text, root, allowed, space) {
  const read = new DOMParser().parseFromString(text, "text/html").querySelector(root);
  return read ? copied(read, allowed, space) : null;
}

function copied(source, allowed, space) {
  if (source.nodeType === Node.TEXT_NODE) return document.createTextNode(source.nodeValue);
  if (source.nodeType !== Node.ELEMENT_NODE || !allowed.has(source.localName)) return null;
  const made = document.createElementNS(space, source.localName);
  for (const { name, value } of source.attributes) if (PLAIN.has(name)) made.setAttribute(name, value);
  for (const child of source.childNodes) {
    const copy = copied(child, allowed, space);
    if (copy) made.append(copy);
  }
  return made;
}
