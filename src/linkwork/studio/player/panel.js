// The player's own elements inside its root: picture, names, plot, bar of controls, help.

const KEYS = [
  ["Space", "play or pause"], ["← →", "one sample back or on; with Shift ten"], ["Home End", "to the start, to the end"],
  ["Drag", "turn the view (in the plane: move it)"], ["Shift + drag, right button", "move the view (in the plane: turn it)"],
  ["Wheel, two fingers", "nearer or farther"], ["Double click, 0", "first view"], ["N", "names"], ["D", "light or dark"], ["?", "this list"],
];

class Panel {
  // named: elements get ids, too, for a page that holds one player; controls: whether there is a bar and a plot.
  constructor(root, { named, controls }) {
    this.root = root;
    root.classList.add("lw-player");
    const make = (tag, name, parent, more = {}) => {
      const element = document.createElement(tag);
      element.className = `lw-${name}`;
      if (named) element.id = name;
      Object.assign(element, more);
      if (parent) parent.append(element);
      this[name] = element;
      return element;
    };
    make("div", "view", root);
    make("canvas", "stage", this.view);
    make("div", "labels", this.view, { hidden: true });
    make("canvas", "lines", this.labels);
    make("div", "scales", this.view);
    make("div", "title", this.view);
    make("div", "message", this.view, { hidden: true });
    make("div", "plots", root, { hidden: true });
    make("canvas", "plot", this.plots);
    make("div", "bar", root, { hidden: !controls });
    make("button", "play", this.bar, { title: "Play or pause (space)", textContent: "▶", type: "button" });
    make("button", "home", this.bar, { title: "First view (double click)", textContent: "⌂", type: "button" });
    make("input", "scrub", this.bar, { type: "range", min: 0, max: 1, step: "any", value: 0, title: "Time" });
    make("output", "clock", this.bar);
    make("select", "speed", this.labelled("Speed", "Seconds of motion per second"));
    make("input", "loop", this.labelled("Loop", "Begin again at the end", true), { type: "checkbox", checked: true });
    this.loop.parentElement.prepend(this.loop);
    make("select", "follow", this.labelled("Follow", "A body that the view stays with"));
    make("span", "toggles", this.bar);
    make("button", "scheme", this.bar, { title: "Light or dark (D)", textContent: "◐", type: "button" });
    make("button", "keys", this.bar, { title: "Keys (?)", textContent: "?", type: "button" });
    this.help = this.helpDialog(root);
    this.named = named;
  }

  labelled(text, title) {
    const label = document.createElement("label");
    label.title = title;
    label.append(text);
    this.bar.append(label);
    return label;
  }

  helpDialog(root) {
    const dialog = document.createElement("dialog"), list = document.createElement("dl");
    dialog.className = "lw-help";
    for (const [key, what] of KEYS) {
      const term = document.createElement("dt"), said = document.createElement("dd");
      term.textContent = key;
      said.textContent = what;
      list.append(term, said);
    }
    dialog.append(list);
    dialog.addEventListener("click", () => dialog.close());
    root.append(dialog);
    return dialog;
  }

  // A box that switches something on and off.
  toggle(group, text, on, change) {
    const label = document.createElement("label"), box = document.createElement("input");
    Object.assign(box, { type: "checkbox", checked: on });
    box.dataset.group = group;
    if (this.named) box.id = `show-${group}`;
    box.addEventListener("change", () => change(box.checked));
    label.append(box, ` ${text}`);
    this.toggles.append(label);
  }

  box(group) { return [...this.toggles.querySelectorAll("input")].find((box) => box.dataset.group === group); }

  say(text) {
    this.message.textContent = text;
    this.message.hidden = !text;
  }
}
