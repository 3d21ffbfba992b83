// The time that is shown: play, scrub, speed.

import { button, el, fill } from "./dom.js";
import { paced } from "./pace.js";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

export class Timeline {
  constructor(root, store, stage) {
    Object.assign(this, { root, store, stage });
    this.play = button({ icon: "play", title: "Play or pause (space)", class: "round", id: "play" }, () => this.toggle());
    this.first = button({ icon: "first", title: "To the start (Home)", class: "quiet" }, () => this.seek(-Infinity));
    this.scrub = el("input", { type: "range", id: "scrub", min: 0, max: 1, step: "any", value: 0, title: "Time [s]", "aria-label": "Time in seconds",
      on: { input: () => { const wanted = +this.scrub.value; this.pause(); this.seek(wanted); } } });
    this.clock = el("output", { id: "clock", title: "Time shown, and end of the run [s]" });
    this.speed = el("select", { id: "speed", title: "Seconds of motion per second", on: { change: () => this.pace(+this.speed.value) } },
      ...SPEEDS.map((s) => el("option", { value: s, text: `${s}×` })));
    this.speed.value = "1";
    fill(root, this.first, this.play, this.scrub, this.clock, el("label", { class: "speed" }, el("span", { text: "Speed" }), this.speed));
    store.on("time", paced(80, () => store.playing, (t) => this.show(t)));
    store.on("playing", (on) => this.play.querySelector("use").setAttribute("href", on ? "#i-pause" : "#i-play"));
    store.on("showing", () => this.refresh());
    this.refresh();
  }

  get player() { return this.stage.player; }
  get able() { return !!this.player && this.store.showing !== "start"; }

  refresh() {
    for (const part of [this.play, this.first, this.scrub, this.speed]) part.disabled = !this.able;
    this.root.title = this.able ? "" : "Press Run: then the motion can be played here.";
    this.scrub.min = String(this.able ? this.player.start : 0);
    this.scrub.max = String(this.able ? this.player.end : 1);
    this.show(this.able ? this.player.time() : 0);
  }

  show(t) {
    this.scrub.value = String(t);
    this.scrub.style.setProperty("--share", String((t - +this.scrub.min) / Math.max(+this.scrub.max - +this.scrub.min, 1e-12)));
    this.clock.textContent = this.able ? `${t.toFixed(3)} / ${+(+this.scrub.max).toFixed(3)} s` : this.store.runs.length ? "start pose" : "no run yet";
  }

  toggle() {
    if (!this.able) return;
    if (this.player.playing) this.pause(); else this.start();
  }

  start() {
    if (!this.able) return;
    this.player.play();
    this.store.set("playing", true);
  }

  pause() {
    if (!this.player) return;
    this.player.pause();
    this.store.set("playing", false);
  }

  seek(t) {
    if (!this.able) return;
    this.player.time(Math.max(this.player.start, Math.min(this.player.end, t)));
  }

  /** Frames forwards or backwards. */
  step(frames) {
    if (!this.able) return;
    this.pause();
    this.player.step(frames);
  }

  /** Play at a speed [s of motion per s]. */
  pace(speed) {
    if (this.player) this.player.speed = speed;
    this.stage.speed = speed;
  }

  /** Choose a speed that suits how long a motion is: a fast one is shown slowly. */
  suit(speed) {
    const near = SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / speed)) < Math.abs(Math.log(best / speed)) ? s : best), 1);
    this.speed.value = String(near);
    this.pace(near);
  }
}
