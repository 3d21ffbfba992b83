// A player of scenes inside an element: new LinkworkPlayer(root, scene, options). There may be several on a page.
//
// options: controls (true), its own bar and plot; keys (false), listen to the keys of the whole page; scheme ("auto"),
// "light" or "dark"; named (false), ids on its elements; autoplay (false); title (true), write the scene's title.
// Positions are in metres, world axes; times in seconds; pixels are counted from the upper left corner of `player.view`.

// Without a graphics card smooth edges cost more than anything else: they are left to still pictures.
const SOFTWARE = (() => {
  const probe = document.createElement("canvas").getContext("webgl"), named = probe && probe.getExtension("WEBGL_debug_renderer_info");
  const software = !!named && /swiftshader|llvmpipe|software/i.test(probe.getParameter(named.UNMASKED_RENDERER_WEBGL));
  const lose = probe && probe.getExtension("WEBGL_lose_context");
  if (lose) lose.loseContext();
  return software;
})();
const CARE = [[true, 1], [false, 1], [false, 0.75]];  // shadows, share of the pixels: what is given up where frames come too slowly
const CELL = 5;  // pixels in which room for names is looked for
// Places of a box beside a point, the nearest first.
const around = (w, h) => {
  const offsets = [];
  for (let reach = 6; reach < 130; reach += 9) {
    for (const angle of [45, 135, -45, -135, 90, -90, 0, 180]) {
      const x = Math.cos((angle * Math.PI) / 180), y = -Math.sin((angle * Math.PI) / 180);
      offsets.push([x * reach + ((x - 1) * w) / 2, y * reach + ((y - 1) * h) / 2]);
    }
  }
  return offsets;
};
const REST = 250;  // ms after which a picture counts as still

class LinkworkPlayer {
  constructor(root, scene = null, options = {}) {
    this.options = { controls: true, keys: false, scheme: "auto", named: false, autoplay: false, title: true, ...options };
    this.panel = new Panel(root, this.options);
    this.view = this.panel.view;
    this.canvas = this.panel.stage;
    this.listeners = { time: new Set(), pick: new Set(), draw: new Set() };
    this.playing = false;
    this.moving = false;  // whether somebody moves things by hand: then no picture is a still one, however late the next comes
    this.running = false;
    this.shown = {};
    this.drawn = 0;
    this.written = this.touched = this.before = 0;
    this.width = this.height = 0;
    this.pace = { mean: 16, level: 0 };
    this.still = null;
    this.stale = true;
    this.eye = new Eye();
    this.outlines = { select: new Outline(1, 2.5, 0.18), alarm: new Outline(2, 3, 0.4) };
    this.ended = new AbortController();
    try {
      this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: !SOFTWARE, stencil: true });
    } catch (error) {
      this.panel.say("This browser offers no WebGL, which the animation needs.");
      return;
    }
    this.sharp = Math.min(window.devicePixelRatio || 1, 2);
    this.renderer.setPixelRatio(this.sharp);
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.scheme = this.chosenScheme();
    this.eye.listen(this.canvas, () => this.touch(), (e) => this.clicked(e));
    this.listen();
    this.load(scene);
    this.tick = this.tick.bind(this);
    this.request = requestAnimationFrame(this.tick);
    if (this.options.autoplay) this.play();
  }

  // ---- scenes and motions
  load(scene, { keep = false } = {}) {
    const data = scene || EMPTY, time = this.world && keep ? this.world.time : null;
    const followed = this.world && keep ? this.panel.follow.value : data.follow;
    if (this.world) { for (const outline of Object.values(this.outlines)) outline.clear(); this.world.dispose(); }
    this.data = data;
    this.world = new World(data, this.scheme, true);
    if (this.bars) this.world.back(this.bars);
    this.renderer.shadowMap.enabled = this.world.suns.length > 0;
    this.renderer.setClearColor(PALETTES[this.scheme].paper);
    this.eye.followed = null;
    this.eye.face(this.world, keep && scene !== null);
    if (!keep) this.rate = data.speed;
    this.panel.title.textContent = this.options.title ? data.title : "";
    this.writeNames();
    this.makePlot();
    this.makeControls();
    this.pose(time === null ? this.world.t[0] : time);
    for (const group of ["reaction", "force", "trace", "label", "plot"]) this.show(group, this.isShown(group));
    this.follow(this.world.bodies.has(followed) ? followed : null);
    this.select(this.outlines.select.names);
    this.alarm(this.outlines.alarm.names);
  }

  // Another motion of the same scene; the view stays.
  motion(data) {
    if (!this.world.replace(data)) throw new Error("This motion is one of other things: load its scene.");
    this.data.motion = data;
    if (this.plot) this.plot.data(this.world.t, this.world.curves.map((c) => c.values));
    this.span();
    this.pose(this.world.time);
  }

  // More frames of a motion that is still computed.
  append(data) {
    this.world.append(data);
    if (this.plot) this.plot.data(this.world.t, this.world.curves.map((c) => c.values));
    this.span();
    this.stale = true;
  }

  // Bodies where the caller says, until a time is shown again: { name: [x, y, angle] or [position, quaternion] }.
  poses(poses) {
    this.playing = false;
    this.placed = { ...this.placed, ...poses };
    this.world.place(this.placed);
    this.touch();
  }

  // Position [m] and quaternion (w, x, y, z) of a body as it is shown now, world axes.
  poseOf(name) {
    const object = this.world.bodies.get(name), p = VECTOR(), q = new THREE.Quaternion(), s = VECTOR();
    if (!object) return null;
    object.updateWorldMatrix(true, false);
    object.matrixWorld.decompose(p, q, s);
    return { position: [p.x, p.y, p.z], quaternion: [q.w, q.x, q.y, q.z] };
  }

  // ---- time
  get start() { return this.world.t[0]; }
  get end() { return this.world.t[this.world.t.length - 1]; }
  get speed() { return this.rate; }
  set speed(rate) { this.rate = rate; }
  get loop() { return this.panel.loop.checked; }
  set loop(on) { this.panel.loop.checked = on; }
  time(wanted) { if (wanted !== undefined) this.pose(wanted); return this.world.time; }
  play() {
    if (this.world.t.length < 2 && !this.running) return;
    if (this.world.time >= this.end && !this.running) this.pose(this.start);
    this.playing = true;
    this.before = 0;
    this.panel.play.textContent = "❚❚";
  }
  pause() {
    this.playing = false;
    this.panel.play.textContent = "▶";
    if (this.world.t.length) this.pose(this.world.time);
  }
  // To a sample a number of samples away.
  step(count) {
    const { t, frame } = this.world;
    this.pause();
    this.pose(t[Math.max(0, Math.min(t.length - 1, frame + count))]);
  }
  pose(wanted) {
    this.placed = null;
    this.world.pose(wanted);
    const now = performance.now();
    if (!this.playing || now - this.written > 80) {  // controls need not be painted at every frame
      this.written = now;
      this.panel.scrub.value = this.world.time;
      this.panel.clock.textContent = `${this.world.time.toFixed(this.digits)} / ${this.end.toFixed(this.digits)} s`;
    }
    if (this.plot) this.plot.draw(this.world.time);
    this.touch();
    for (const listener of this.listeners.time) listener(this.world.time, this.world.frame);
  }
  get digits() { return Math.max(2, Math.min(6, 3 - Math.floor(Math.log10(this.end - this.start || 1)))); }
  span() { Object.assign(this.panel.scrub, { min: this.start, max: this.end }); }

  // ---- who wants to know: each returns a function that ends it
  onTime(listener) { return this.hear("time", listener); }
  onPick(listener) { return this.hear("pick", listener); }  // (what was clicked or null, event)
  onDraw(listener) { return this.hear("draw", listener); }  // after each picture: places of overlays may have changed
  hear(kind, listener) { this.listeners[kind].add(listener); return () => this.listeners[kind].delete(listener); }

  // A transparent canvas over the picture; draw(context, player) paints it, in pixels, after each picture.
  overlay(draw) {
    const canvas = document.createElement("canvas"), ctx = canvas.getContext("2d");
    canvas.className = "lw-overlay";
    this.view.append(canvas);
    const paint = () => {
      const ratio = window.devicePixelRatio || 1, w = Math.round(this.width * ratio), h = Math.round(this.height * ratio);
      if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.clearRect(0, 0, this.width, this.height);
      draw(ctx, this);
    };
    const end = this.onDraw(paint);
    this.stale = true;
    return { canvas, repaint: () => { this.stale = true; }, remove: () => { end(); canvas.remove(); } };
  }

  // Bars in the plane behind everything, from one corner to the other: [{ low: [x, y], high: [x, y], colour }].
  backdrop(bars) {
    this.bars = bars;
    this.world.back(bars);
    this.stale = true;
  }

  // ---- places
  toPixel(point) { this.look(); return this.eye.toPixel(point); }
  toWorld(x, y) { this.look(); return this.eye.toWorld(x, y); }
  get pixel() { this.look(); return this.eye.scale; }  // metres per pixel, at the target
  get navigation() { return this.eye.navigation; }
  set navigation(on) { this.eye.navigation = on; }
  pick(x, y) { this.look(); this.world.scene.updateMatrixWorld(); return this.world.pick(x, y, this.width, this.height, this.eye.lens); }
  home() { this.eye.home(); this.touch(); }
  frame(low, high) { this.look(); this.eye.frame(low, high); this.touch(); }
  clicked(e) {
    if (!this.listeners.pick.size) return;
    const box = this.canvas.getBoundingClientRect(), hit = this.pick(e.clientX - box.left, e.clientY - box.top);
    for (const listener of this.listeners.pick) listener(hit, e);
  }

  // ---- looks
  select(names) { this.mark("select", names, PALETTES[this.scheme].accent); }
  alarm(names) { this.mark("alarm", names, PALETTES[this.scheme].alarm); }
  mark(kind, names, colour) { this.outlines[kind].around(this.world, names || [], colour); this.touch(); }
  theme(scheme) {
    this.options.scheme = scheme;
    const next = this.chosenScheme();
    this.panel.root.dataset.scheme = next;
    if (next === this.scheme) return;
    this.scheme = next;
    if (this.world) this.load(this.data === EMPTY ? null : this.data, { keep: true });
  }
  chosenScheme() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches, { scheme } = this.options;
    const chosen = scheme === "auto" ? (dark ? "dark" : "light") : scheme;
    this.panel.root.dataset.scheme = chosen;
    return chosen;
  }
  isShown(group) {
    if (group in this.shown) return this.shown[group];
    return { reaction: !!this.data.show.reaction, force: this.data.show.force !== false, label: false }[group] !== false;
  }
  show(group, on) {
    if (group === "label") this.panel.labels.hidden = !on;
    else if (group === "plot") this.panel.plots.hidden = !on || !this.plot;
    this.world.show(group, on);
    const box = this.panel.box(group);
    if (box) box.checked = on;
    if (this.placed) this.poses({}); else this.pose(this.world.time);
  }
  follow(name) {
    const { eye, data } = this;
    eye.followed = name ? this.world.bodies.get(name) || null : null;
    if (eye.followed) eye.fixed = null;
    eye.beside.fromArray(name && name === data.follow ? data.beside : [0, 0, 0]);
    this.panel.follow.value = name || "";
    this.stale = true;
  }

  // ---- its elements
  writeNames() {
    for (const old of this.panel.labels.querySelectorAll("span")) old.remove();
    for (const label of this.world.labels) {
      label.element = document.createElement("span");
      label.element.textContent = label.text;
      this.panel.labels.append(label.element);
    }
  }
  makePlot() {
    if (this.plot) this.plot.dispose();
    const { curves, t } = this.world, seek = (time) => { this.pause(); this.pose(time); };
    this.plot = this.options.controls && curves.length ? new Plot(this.panel.plot, curves, seek, PALETTES[this.scheme]) : null;
    if (this.plot) this.plot.data(t, curves.map((c) => c.values));
  }
  makeControls() {
    const { panel, world, data } = this;
    this.span();
    panel.toggles.textContent = panel.speed.textContent = panel.follow.textContent = "";
    for (const [group, text, there] of [
      ["trace", "Traces", world.groups.trace], ["force", "Forces", world.groups.force], ["reaction", "Reactions", world.groups.reaction],
      ["label", "Names", world.labels.length], ["plot", "Plot", this.plot],
    ]) {
      if (there) panel.toggle(group, text, this.isShown(group), (on) => { this.shown[group] = on; this.show(group, on); });
    }
    panel.follow.add(new Option("–", ""));
    for (const name of world.bodies.keys()) panel.follow.add(new Option(name, name));
    for (const f of [0.1, 0.25, 0.5, 1, 2, 4, 10]) {
      panel.speed.add(new Option(`${+(f * data.speed).toPrecision(3)}×`, f * data.speed, f === 1, f * data.speed === this.rate));
    }
  }
  listen() {
    const { panel } = this, heard = { signal: this.ended.signal };
    panel.speed.addEventListener("change", (e) => { this.rate = +e.target.value; });
    panel.follow.addEventListener("change", (e) => this.follow(e.target.value));
    panel.home.addEventListener("click", () => this.home());
    panel.play.addEventListener("click", () => (this.playing ? this.pause() : this.play()));
    panel.scrub.addEventListener("input", (e) => { const wanted = +e.target.value; this.pause(); this.pose(wanted); });
    panel.scheme.addEventListener("click", () => this.theme(this.scheme === "dark" ? "light" : "dark"));
    panel.keys.addEventListener("click", () => this.help());
    if (this.options.keys) window.addEventListener("keydown", (e) => this.key(e), heard);
    window.addEventListener("resize", () => { if (this.plot) this.plot.draw(this.world.time); }, heard);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.theme(this.options.scheme), heard);
  }
  help() { if (this.panel.help.open) this.panel.help.close(); else this.panel.help.showModal(); }
  key(e) {
    if (/^(SELECT|TEXTAREA)$/.test(e.target.tagName) || (e.target.tagName === "INPUT" && e.target.type === "text")) return;
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const far = e.shiftKey ? 10 : 1, action = {
      " ": () => (this.playing ? this.pause() : this.play()), "?": () => this.help(),
      ArrowRight: () => this.step(far), ArrowLeft: () => this.step(-far),
      Home: () => { this.pause(); this.pose(this.start); }, End: () => { this.pause(); this.pose(this.end); },
      0: () => this.home(), n: () => this.flip("label"), d: () => this.theme(this.scheme === "dark" ? "light" : "dark"),
    }[e.key];
    if (!action) return;
    e.preventDefault();
    action();
  }
  flip(group) { this.shown[group] = !this.isShown(group); this.show(group, this.shown[group]); }

  // ---- drawing
  touch() { this.touched = performance.now(); this.stale = true; }
  look() {
    if (this.view.clientWidth !== this.width || this.view.clientHeight !== this.height) {
      this.width = this.view.clientWidth;
      this.height = this.view.clientHeight;
      this.renderer.setSize(this.width, this.height, false);
      for (const outline of Object.values(this.outlines)) outline.size(this.width, this.height);
      this.stale = true;
    }
    if (this.width && this.height) this.eye.look(this.width, this.height);
  }
  draw() {
    if (this.view.clientWidth !== this.width || this.view.clientHeight !== this.height) this.stale = true;
    if (!this.stale) return;
    this.look();
    if (!this.width || !this.height) return;
    this.stale = false;
    this.placeNames();
    this.placeScales();
    this.renderer.render(this.world.scene, this.eye.lens);
    for (const listener of this.listeners.draw) listener(this);
  }
  // How long the arrow of a round force is, at the depth of the target.
  placeScales() {
    const { panel, eye, data, world } = this;
    const shown = Object.entries(data.scales || {}).map(([group, scale]) => ({ ...scale, group, long: scale.length / eye.scale }))
      .filter(({ group, long }) => world.shown[group] !== false && long >= 4 && long <= 0.5 * this.width);
    const key = shown.map(({ text, long, colour }) => `${text} ${long} ${colour}`).join("\n");
    if (key === this.scaled) return;  // elements cost more than the picture
    this.scaled = key;
    panel.scales.textContent = "";
    for (const { text, long, colour } of shown) {
      const row = document.createElement("div"), bar = document.createElement("i");
      bar.style.width = `${long}px`;
      bar.style.color = colour;
      row.append(bar, ` ${text}`);
      panel.scales.append(row);
    }
  }
  // A name goes where it covers neither a part nor another name: beside its point, or farther away with a line to it.
  placeNames() {
    if (this.panel.labels.hidden) return;
    const taken = [], p = VECTOR(), room = this.occupied();
    const lines = this.panel.lines.getContext("2d"), ratio = window.devicePixelRatio || 1;
    Object.assign(this.panel.lines, { width: this.width * ratio, height: this.height * ratio });
    lines.scale(ratio, ratio);
    lines.strokeStyle = PALETTES[this.scheme].faint;
    for (const label of this.world.labels) {
      const [x, y] = this.eye.toPixel(p.setFromMatrixPosition(label.base.matrixWorld).toArray()), w = 7 * label.text.length + 8, h = 18;
      const isFree = ([dx, dy]) => room.isFree(x + dx, y + dy, w, h) && taken.every(([c, d, r]) => x + dx + w < c || c + r < x + dx || y + dy + h < d || d + h < y + dy);
      const place = label.place && isFree(label.place) ? label.place : around(w, h).find(isFree);  // where it was, if it can be
      label.place = place;
      label.element.style.visibility = place ? "visible" : "hidden";
      if (!place) continue;
      const left = x + place[0], top = y + place[1];
      taken.push([left, top, w]);
      label.element.style.transform = `translate(${left}px, ${top}px)`;
      if (Math.hypot(Math.max(left - x, 0, x - left - w), Math.max(top - y, 0, y - top - h)) < 14) continue;
      lines.beginPath();
      lines.moveTo(x, y);
      lines.lineTo(Math.min(Math.max(x, left), left + w), Math.min(Math.max(y, top), top + h));
      lines.stroke();
    }
  }
  // Which places show a part: the scene without its floor, drawn small.
  occupied() {
    const { world, renderer, eye } = this, w = Math.max(Math.ceil(this.width / CELL), 1), h = Math.max(Math.ceil(this.height / CELL), 1);
    if (!this.small || this.small.width !== w || this.small.height !== h) {
      if (this.small) this.small.dispose();
      this.small = new THREE.WebGLRenderTarget(w, h);
      this.cells = new Uint8Array(4 * w * h);
    }
    const hidden = [...world.nodes.filter((n) => isFloor(n) && n.object.visible).map((n) => n.object), ...(world.backing ? [world.backing] : [])], shadows = renderer.shadowMap.autoUpdate;
    for (const object of hidden) object.visible = false;
    renderer.shadowMap.autoUpdate = false;
    renderer.setRenderTarget(this.small);
    renderer.setClearColor(0x000000, 0);
    renderer.render(world.scene, eye.lens);
    renderer.readRenderTargetPixels(this.small, 0, 0, w, h, this.cells);
    renderer.setRenderTarget(null);
    renderer.setClearColor(PALETTES[this.scheme].paper, 1);
    renderer.shadowMap.autoUpdate = shadows;
    for (const object of hidden) object.visible = true;
    const { cells } = this;
    return {
      isFree: (x, y, wide, tall) => {
        if (x < 2 || y < 2 || x + wide > this.width - 2 || y + tall > this.height - 2) return false;
        for (let row = Math.floor(y / CELL); row <= Math.floor((y + tall) / CELL); row++) {
          for (let k = Math.floor(x / CELL); k <= Math.floor((x + wide) / CELL); k++) if (cells[4 * ((h - 1 - row) * w + k) + 3]) return false;
        }
        return true;
      },
    };
  }
  // Where frames come too slowly (no graphics card), a moving picture is drawn with less care; a still one never is.
  care(level) {
    const [shadows, share] = CARE[level];
    this.renderer.shadowMap.autoUpdate = shadows;
    for (const light of this.world.suns) light.castShadow = shadows;
    this.renderer.setPixelRatio(this.still ? (SOFTWARE ? Math.max(this.sharp, 2) : this.sharp) : this.sharp * share);
    this.renderer.setSize(this.width, this.height, false);
    this.stale = true;
  }
  keepPace(interval) {
    const rests = !this.playing && !this.moving && performance.now() - this.touched > REST;
    if (this.still !== rests) {
      this.still = rests;
      this.care(rests ? 0 : this.pace.level);
    }
    if (!this.playing) return;
    this.pace.mean += 0.12 * (Math.min(interval, 200) - this.pace.mean);
    if (this.pace.mean > 30 && this.pace.level + 1 < CARE.length) { this.care(++this.pace.level); this.pace.mean = 20; }
  }
  tick(now) {
    this.request = requestAnimationFrame(this.tick);
    const passed = this.before ? now - this.before : 0, { world } = this;
    if (this.before) this.keepPace(passed);
    if (this.playing && world.t.length > 1) {
      const next = world.time + (passed / 1000) * this.rate, end = this.end;
      if (this.running) this.pose(Math.min(end, world.time + (passed / 1000) * this.chase));
      else if (next >= end && this.loop) this.pose(this.start + ((next - this.start) % (end - this.start || 1)));
      else if (next >= end) { this.pose(end); this.pause(); } else this.pose(next);
    }
    this.before = now;
    this.drawn += 1;
    this.draw();
  }

  // Ends it: its element can hold something else then.
  dispose() {
    cancelAnimationFrame(this.request);
    this.ended.abort();
    if (this.plot) this.plot.dispose();
    if (this.world) this.world.dispose();
    if (this.renderer) { this.renderer.dispose(); this.renderer.forceContextLoss(); }
    this.panel.root.textContent = "";
  }
}

const EMPTY = {
  title: "", planar: true, low: [-1, -1, 0], high: [1, 1, 0], up: [0, 1, 0], towards: [0, 0, 1], unit: 0.02, speed: 1, follow: null, beside: [0, 0, 0],
  show: {}, live: 0, nodes: [], arrows: [], traces: [], curves: [], labels: [],
  motion: { t: "AAAAAAAAAAA=", seen: [[-1, -1, 0], [1, 1, 0]], nodes: [], arrows: [], traces: [], curves: [] },
};

globalThis.LinkworkPlayer = LinkworkPlayer;
