// The page that an animation is written to: one player. `window.linkwork` lets scripts do what its buttons do, and read
// the poses that are shown.

(() => {
  const data = JSON.parse(document.getElementById("scene").textContent);
  const player = new LinkworkPlayer(document.getElementById("player"), data, { keys: true, named: true });
  if (!player.renderer) return;
  window.linkwork = {
    player,
    play: () => player.play(), pause: () => player.pause(), seek: (t) => player.pose(t), follow: (name) => player.follow(name),
    show: (group, on) => { player.shown[group] = on; player.show(group, on); },
    setSpeed: (s) => { player.speed = s; },
    setLoop: (on) => { player.loop = on; },
    names: () => [...player.world.bodies.keys()],
    pose: (name) => player.poseOf(name),
    state: () => ({
      time: player.world.time, frame: player.world.frame, playing: player.playing, speed: player.speed, start: player.start, end: player.end,
      frames: player.world.t.length, drawn: player.drawn, cursor: player.plot ? player.plot.cursor : null, care: player.pace.level,
      live: player.running, visible: (player.world.groups.reaction || []).some((o) => o.visible),
    }),
  };
  if (data.live > 0) {
    player.running = true;
    player.chase = 1e9;
    const source = new EventSource(`frames?page=${data.live}&from=${player.world.t.length}`);
    let last = performance.now();
    source.addEventListener("frames", (e) => {
      player.append(JSON.parse(e.data));
      const now = performance.now();
      player.chase = (player.end - player.world.time) / Math.max((now - last) / 1000, 0.1);  // there when the next ones come
      last = now;
    });
    for (const word of ["done", "changed"]) source.addEventListener(word, () => { source.close(); location.reload(); });
    source.addEventListener("failed", (e) => { source.close(); player.running = false; player.panel.title.textContent += ` — ${e.data}`; });
  }
  player.play();
})();
