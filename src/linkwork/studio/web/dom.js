// Elements made in code: texts go in as text, so that no name is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. `text` and `class` are what they say, `on` holds listeners, `data` the data attributes, `hidden`, `checked`,
 * `value`, `disabled` are properties, everything else is an attribute.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node | string | null | undefined)} children
 * @returns {any}
 */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === "text") made.textContent = value;
    else if (name === "class") made.className = value;
    else if (name === "on") for (const [event, f] of Object.entries(value)) made.addEventListener(event, f);
    else if (name === "data") Object.assign(made.dataset, value);
    else if (["hidden", "checked", "value", "disabled", "selected", "readOnly", "open"].includes(name)) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** The icon of a name, from the sprite of index.html. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg"), use = document.createElementNS(SVG, "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** A button with an icon, a text, or both. */
export function button({ icon: picture, text, title, class: kind = "", ...rest }, click) {
  return el("button", { type: "button", class: kind, title, "aria-label": text ? undefined : title, on: { click }, ...rest },
    picture ? icon(picture) : null, text ? el("span", { text }) : null);
}

/** Replace what is in an element. */
export function fill(root, ...children) {
  root.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

/** Write a line that may be cut off: all of it shows when the pointer rests on it. */
export function tell(element, text) {
  element.textContent = text;
  element.title = text;
}

/** What is shown where there is nothing yet: what would be here, and how to get it. */
export function empty(picture, title, text, ...actions) {
  return el("div", { class: "empty" }, icon(picture), el("strong", { text: title }), el("p", { text }), ...actions);
}

/** A file that the browser offers to keep. */
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
