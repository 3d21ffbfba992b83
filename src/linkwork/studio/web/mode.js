// Draw or run: in the one the pointer builds the mechanism, in the other it looks at it.

export class Mode {
  constructor({ switches, overlay, toolbar, stage, store, connection }) {
    Object.assign(this, { switches, overlay, toolbar, stage, store, connection });
    this.handle = null;
    for (const b of switches.querySelectorAll("button")) b.addEventListener("click", () => this.change(b.dataset.mode));
    new ResizeObserver(() => this.size()).observe(overlay.parentElement);
  }

  size() {
    const box = this.overlay.parentElement, ratio = window.devicePixelRatio || 1;
    this.overlay.width = Math.round(box.clientWidth * ratio);
    this.overlay.height = Math.round(box.clientHeight * ratio);
    if (this.handle && this.handle.resize) this.handle.resize(box.clientWidth, box.clientHeight);
  }

  async change(wanted) {
    if (wanted === this.store.mode) return;
    if (wanted === "draw") await this.begin();
    this.store.mode = wanted;
    this.switches.dataset.mode = wanted;
    for (const b of this.switches.querySelectorAll("button")) b.setAttribute("aria-pressed", String(b.dataset.mode === wanted));
    this.overlay.hidden = this.toolbar.hidden = wanted !== "draw";
    document.documentElement.dataset.mode = wanted;
    this.store.emit("mode", wanted);
    if (this.handle) this.handle[wanted === "draw" ? "enter" : "leave"]();
    this.size();
  }

  // The drawing is loaded when it is first wanted.
  async begin() {
    if (!this.stage.player) this.stage.make(null);
    if (this.handle) return;
    const { attachDrawing } = await import("./draw/draw.js");
    this.handle = attachDrawing({ overlay: this.overlay, player: this.stage.player, connection: this.connection, store: this.store, toolbar: this.toolbar });
  }
}
