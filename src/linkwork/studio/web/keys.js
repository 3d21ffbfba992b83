// Keys of the whole page. Where something is typed they are the field's.

const TYPED = new Set(["text", "search", "number", "url", "email", "password", ""]);

/** Whether a key pressed in an element belongs to it. */
export function typing(target) {
  if (!target || !target.tagName) return false;
  if (target.tagName === "TEXTAREA" || target.tagName === "SELECT" || target.isContentEditable) return true;
  return target.tagName === "INPUT" && TYPED.has(target.getAttribute("type") || "");
}

/**
 * @param {Record<string, (e: KeyboardEvent) => void>} always by "ctrl+s", "ctrl+shift+z": with a modifier
 * @param {Record<string, (e: KeyboardEvent) => void>} plain by the key: outside of fields, and while nothing is drawn
 */
export function listenToKeys(store, always, plain) {
  document.addEventListener("keydown", (e) => {
    if (document.querySelector("dialog[open]") || e.defaultPrevented || e.altKey) return;
    const name = e.key.length === 1 ? e.key.toLowerCase() : e.key, held = e.ctrlKey || e.metaKey;
    if (held) {
      const f = always[`ctrl+${e.shiftKey ? "shift+" : ""}${name}`];
      const native = typing(e.target) && /^[zyacvx]$/.test(name);
      if (f && !native) { e.preventDefault(); f(e); }
      return;
    }
    if (typing(e.target)) return;
    if (e.target.tagName === "BUTTON" && (name === " " || name === "Enter")) return;
    if (e.target.type === "range" && /^(Arrow|Home|End)/.test(name)) return;
    if (store.mode === "draw" && !["?", "/"].includes(name)) return; // the drawing has keys of its own
    const f = plain[name];
    if (f) { e.preventDefault(); f(e); }
  });
  // A button pressed by the mouse gives the focus back, so that space plays and does not press it again.
  document.addEventListener("click", (e) => {
    const pressed = e.target.closest && e.target.closest("button");
    if (pressed && e.detail > 0 && !pressed.closest("dialog, .menu, .rows")) pressed.blur();
  });
}
