// Plays a scene. `window.linkwork` lets scripts do what the buttons do, and read the poses that are shown.
"use strict";

(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("scene").textContent);
  const canvas = $("stage"), view = $("view");
  $("title").textContent = data.title;

  // Without a graphics card smooth edges cost more than anything else: they are left to still pictures.
  const probe = document.createElement("canvas").getContext("webgl");
  const named = probe && probe.getExtension("WEBGL_debug_renderer_info");
  const software = !!named && /swiftshader|llvmpipe|software/i.test(probe.getParameter(named.UNMASKED_RENDERER_WEBGL));
  let renderer;
  try {
    renderer = new THREE.WebGLRenderer({ canvas, antialias: !software });
  } catch (error) {
    $("message").textContent = "This browser offers no WebGL, which the animation needs.";
    $("message").hidden = false;
    return;
  }
  renderer.setClearColor(0xffffff);
  const sharp = Math.min(window.devicePixelRatio || 1, 2), careful = software ? Math.max(sharp, 2) : sharp;
  renderer.setPixelRatio(sharp);
  const scene = new THREE.Scene(), suns = [];
  const V = (a) => new THREE.Vector3(a[0], a[1], a[2]);
  const low = V(data.low), high = V(data.high), beside = new THREE.Vector3(), up = V(data.up), towards = V(data.towards).normalize();
  const centre = low.clone().add(high).multiplyScalar(0.5);
  let seen = [];
  const size = Math.max(high.distanceTo(low), 12 * data.unit);

  // ---- what is there
  const bodies = new Map(), groups = {}, movers = [], unit = data.unit;
  data.nodes.forEach((node, i) => {
    const moving = data.motion.nodes[i], { object, parts } = nodeParts(node, data.planar);
    Object.assign(node, { object, parts, stretches: !!(moving && moving.s), moving: !!moving || !!node.on });
    if (node.p) { object.position.fromArray(node.p); object.quaternion.set(node.q[1], node.q[2], node.q[3], node.q[0]); }
    if (node.group === "body" && !bodies.has(node.name)) bodies.set(node.name, object);
    (groups[node.group] = groups[node.group] || []).push(object);
    scene.add(object);
  });
  const flocks = gather(data.nodes, data.planar, scene);
  for (const flock of flocks) groups[flock.group].push(flock.mesh);
  const hang = (object, on) => {
    const host = on && bodies.get(on.body);
    object.position.fromArray(on.p);
    object.quaternion.set(on.q[1], on.q[2], on.q[3], on.q[0]);
    (host || scene).add(object);
  };
  for (const node of data.nodes) if (node.on) hang(node.object, node.on);
  for (const arrow of data.arrows) {
    arrow.object = arrowObject(arrow.colour, data.planar);
    arrow.base = new THREE.Object3D();
    if (arrow.on) hang(arrow.base, arrow.on); else scene.add(arrow.base);
    (groups[arrow.group] = groups[arrow.group] || []).push(arrow.object);
    scene.add(arrow.object);
  }
  for (const trace of data.traces) {
    trace.line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: trace.colour, depthTest: !data.planar }));
    trace.line.renderOrder = 6;
    trace.line.frustumCulled = false;
    (groups.trace = groups.trace || []).push(trace.line);
    scene.add(trace.line);
  }
  for (const label of data.labels) {
    label.base = new THREE.Object3D();
    hang(label.base, label.on);
    label.element = document.createElement("span");
    label.element.textContent = label.text;
    $("labels").appendChild(label.element);
  }
  if (!data.planar) {
    scene.add(new THREE.HemisphereLight(0xffffff, 0xb8c0c8, 0.62));
    const sun = new THREE.DirectionalLight(0xffffff, 0.42);
    const right = up.clone().cross(towards).normalize();
    sun.position.copy(centre).addScaledVector(up, 1.6 * size).addScaledVector(towards, 0.5 * size).addScaledVector(right, -0.5 * size);
    sun.target.position.copy(centre);
    scene.add(sun, sun.target);
    if (data.nodes.length < 60) {
      renderer.shadowMap.enabled = true;
      renderer.shadowMap.type = THREE.PCFSoftShadowMap;
      sun.castShadow = true;
      suns.push(sun);
      sun.shadow.mapSize.set(1024, 1024);
      Object.assign(sun.shadow.camera, { left: -size, right: size, top: size, bottom: -size, near: 0.1 * size, far: 4 * size });
      sun.shadow.bias = -0.002;
    }
  }

  // ---- motion: arrays that can grow while a run is still computed
  let t = new Float64Array(0);
  const plot = data.curves.length ? new Plot($("plot"), data.curves, (time) => { pause(); seek(time); }) : null;
  function append(motion) {
    t = grown(t, motion.t, Float64Array);
    seen = motion.seen.map((p) => V(p).sub(centre));
    motion.nodes.forEach((m, i) => {
      if (!m) return;
      const node = data.nodes[i], Kind = node.group === "body" ? Float64Array : Float32Array;
      if (m.p) { node.P = grown(node.P, m.p, Kind); node.Q = grown(node.Q, m.q, Kind); }
      if (m.s) node.S = grown(node.S, m.s, Float32Array);
      if (!node.moves) { node.moves = true; movers.push(node); }
    });
    motion.arrows.forEach((m, i) => {
      const arrow = data.arrows[i];
      arrow.v = grown(arrow.v, m.v, Float32Array);
      if (m.p) arrow.p = grown(arrow.p, m.p, Float32Array);
    });
    motion.traces.forEach((text, i) => {
      const trace = data.traces[i];
      trace.points = grown(trace.points, text, Float32Array);
      trace.line.geometry.dispose();
      trace.line.geometry = new THREE.BufferGeometry();
      trace.line.geometry.setAttribute("position", new THREE.BufferAttribute(trace.points, 3));
    });
    if (plot) {
      motion.curves.forEach((text, i) => { data.curves[i].values = grown(data.curves[i].values, text, Float32Array); });
      plot.data(t, data.curves.map((c) => c.values));
    }
    $("scrub").min = t[0]; $("scrub").max = t[t.length - 1];
  }

  // ---- showing one time
  const shown = {};
  const flat = new Float64Array(4), along = new THREE.Vector3(), ex = new THREE.Vector3(1, 0, 0), vector = new THREE.Vector3();
  let time = 0, frame = 0, written = 0, touched = 0, playing = false;
  function locate(wanted) {
    const last = t.length - 1;
    time = Math.min(Math.max(wanted, t[0]), t[last]);
    let a = 0, b = last;
    while (b - a > 1) { const m = (a + b) >> 1; if (t[m] <= time) a = m; else b = m; }
    frame = a;
    return last && t[b] > t[a] ? (time - t[a]) / (t[b] - t[a]) : 0;
  }
  function pose(wanted) {
    const share = locate(wanted), k = frame;
    for (const { object, group, P, Q, S } of movers) {
      if (P) {
        object.position.set(mix(P, k, share, 0, 3), mix(P, k, share, 1, 3), mix(P, k, share, 2, 3));
        if (share) THREE.Quaternion.slerpFlat(flat, 0, Q, 4 * k, Q, 4 * (k + 1), share);
        else for (let i = 0; i < 4; i++) flat[i] = Q[4 * k + i];
        object.quaternion.set(flat[1], flat[2], flat[3], flat[0]);
        object.visible = shown[group] !== false && isFinite(object.position.x);
      }
      if (S) object.scale.set(mix(S, k, share, 0, 3), mix(S, k, share, 1, 3), mix(S, k, share, 2, 3));
    }
    scene.updateMatrixWorld();
    for (const flock of flocks) if (flock.mesh.visible) flock.update();
    for (const arrow of data.arrows) {
      if (!arrow.object.visible) continue;
      vector.set(mix(arrow.v, k, share, 0, 3), mix(arrow.v, k, share, 1, 3), mix(arrow.v, k, share, 2, 3));
      const length = vector.length(), tip = Math.max(Math.min(1, length / (5.1 * unit)), 1e-6), head = 3.2 * unit * tip;
      if (arrow.p) arrow.object.position.set(mix(arrow.p, k, share, 0, 3), mix(arrow.p, k, share, 1, 3), mix(arrow.p, k, share, 2, 3));
      else arrow.object.position.setFromMatrixPosition(arrow.base.matrixWorld);
      if (length) arrow.object.quaternion.setFromUnitVectors(ex, along.copy(vector).divideScalar(length));
      const bar = Math.max(length - head, 1e-9), [body, point] = arrow.object.children;
      body.scale.set(bar, 0.4 * unit * tip, 0.4 * unit * tip);
      point.position.x = bar;
      point.scale.set(head, 1.25 * unit * tip, 1.25 * unit * tip);
      arrow.object.updateMatrixWorld();
    }
    for (const trace of data.traces) trace.line.geometry.setDrawRange(0, k + 1);
    const now = performance.now();
    if (!playing || now - written > 80) {  // controls need not be painted at every frame
      written = now;
      $("scrub").value = time;
      $("clock").textContent = `${time.toFixed(digits())} / ${t[t.length - 1].toFixed(digits())} s`;
    }
    if (plot) plot.draw(time);
    touched = now;
    stale = true;
  }
  const digits = () => Math.max(2, Math.min(6, 3 - Math.floor(Math.log10(t[t.length - 1] - t[0] || 1))));

  // ---- camera: around a target, at a yaw and pitch from the first view
  const lens = data.planar ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(32, 1, 0.01 * size, 50 * size);
  const forward = towards.clone().addScaledVector(up, -towards.dot(up));
  if (forward.length() < 1e-6) forward.set(1, 0, 0);
  forward.normalize();
  const side = up.clone().cross(forward);
  const eye = {};
  function home() {
    const tilt = data.planar ? 0 : Math.asin(Math.max(-1, Math.min(1, towards.dot(up))));
    Object.assign(eye, { yaw: 0, pitch: tilt, zoom: 1, pan: new THREE.Vector3() });
    stale = true;
  }
  let stale = true, width = 0, height = 0, followed = null;
  function look() {
    const direction = forward.clone().multiplyScalar(Math.cos(eye.yaw)).addScaledVector(side, Math.sin(eye.yaw))
      .multiplyScalar(Math.cos(eye.pitch)).addScaledVector(up, Math.sin(eye.pitch));
    const right = up.clone().cross(direction).normalize(), above = direction.clone().cross(right);
    const aspect = width / height, tan = data.planar ? 1 : Math.tan((lens.fov * Math.PI) / 360), room = 3 * unit;
    // as near as it can be without cutting anything off
    const xs = seen.map((p) => p.dot(right)), ys = seen.map((p) => p.dot(above)), zs = seen.map((p) => (data.planar ? 0 : p.dot(direction)));
    const x = (Math.min(...xs) + Math.max(...xs)) / 2, y = (Math.min(...ys) + Math.max(...ys)) / 2;
    const need = seen.map((_, i) => Math.max(Math.abs(ys[i] - y) + room, (Math.abs(xs[i] - x) + room) / aspect) / tan + zs[i]);
    const distance = (1.1 * Math.max(...need, (5 * unit) / tan)) / eye.zoom, half = distance * tan;
    const target = centre.clone();
    if (followed) target.setFromMatrixPosition(followed.matrixWorld).add(beside);
    target.add(eye.pan).addScaledVector(right, x).addScaledVector(above, y);
    if (data.planar) Object.assign(lens, { left: -half * aspect, right: half * aspect, top: half, bottom: -half, near: -10 * size, far: 10 * size });
    else Object.assign(lens, { aspect, near: 0.02 * distance, far: distance + 40 * size });
    lens.up.copy(up);
    lens.position.copy(target).addScaledVector(direction, data.planar ? size : distance);
    lens.lookAt(target);
    lens.updateProjectionMatrix();
    lens.updateMatrixWorld();
    eye.right = right; eye.above = above; eye.scale = (2 * half) / height;
  }
  // A name goes where it covers no other one: right above its point, or around it, or nowhere.
  function writeLabels() {
    if ($("labels").hidden) return;
    const taken = [];
    for (const label of data.labels) {
      vector.setFromMatrixPosition(label.base.matrixWorld).project(lens);
      const x = ((vector.x + 1) / 2) * width, y = ((1 - vector.y) / 2) * height, w = 7 * label.text.length + 8, h = 19;
      const free = [[8, -22], [8, 6], [-w - 8, -22], [-w - 8, 6]].map(([dx, dy]) => [x + dx, y + dy])
        .find(([a, b]) => taken.every(([p, q, r]) => a + w < p || p + r < a || b + h < q || q + h < b));
      label.element.style.visibility = free ? "visible" : "hidden";
      if (!free) continue;
      taken.push([...free, w]);
      label.element.style.transform = `translate(${free[0]}px, ${free[1]}px)`;
    }
  }
  function draw() {
    if (view.clientWidth !== width || view.clientHeight !== height) {
      width = view.clientWidth; height = view.clientHeight;
      renderer.setSize(width, height, false);
      stale = true;
    }
    if (!stale || !width || !height) return;
    stale = false;
    look();
    writeLabels();
    renderer.render(scene, lens);
  }
  const pointers = new Map();
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("dblclick", home);
  canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); pointers.set(e.pointerId, e); });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (e) => pointers.delete(e.pointerId));
  canvas.addEventListener("pointermove", (e) => {
    const before = pointers.get(e.pointerId);
    if (!before) return;
    const dx = e.clientX - before.clientX, dy = e.clientY - before.clientY;
    if (pointers.size === 2) {
      const [other] = [...pointers.values()].filter((p) => p.pointerId !== e.pointerId);
      const gap = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
      eye.zoom *= gap(e) / Math.max(gap(before), 1);
    } else if ((e.buttons === 2 || e.shiftKey) !== data.planar) {
      eye.pan.addScaledVector(eye.right, -dx * eye.scale).addScaledVector(eye.above, dy * eye.scale);
    } else {
      eye.yaw -= dx * 0.008;
      eye.pitch = Math.max(-1.55, Math.min(1.55, eye.pitch + dy * 0.008));
    }
    pointers.set(e.pointerId, e);
    touched = performance.now();
    stale = true;
  });
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    eye.zoom = Math.max(0.05, Math.min(60, eye.zoom * Math.exp(-e.deltaY * 0.0012)));
    touched = performance.now();
    stale = true;
  }, { passive: false });

  // ---- playing
  let speed = data.speed, before = 0, running = data.live > 0, chase = 1e9;
  const counted = { frames: 0, since: 0 };
  const play = () => { if (time >= t[t.length - 1] && !running) pose(t[0]); playing = true; before = 0; $("play").textContent = "❚❚"; };
  const pause = () => { playing = false; $("play").textContent = "▶"; if (t.length) pose(time); };
  const seek = (wanted) => { pose(wanted); };
  // Where frames come too slowly (no graphics card), a moving picture is drawn with less care; a still one never is.
  const pace = { mean: 16, level: 0 }, levels = [[true, 1], [false, 1], [false, 0.75]];
  let still = null;
  function care(level) {
    const [shadows, share] = levels[level];
    renderer.shadowMap.autoUpdate = shadows;
    for (const light of suns) light.castShadow = shadows;
    renderer.setPixelRatio(still ? careful : sharp * share);
    renderer.setSize(width, height, false);
    stale = true;
  }
  function keepPace(interval) {
    const rests = !playing && performance.now() - touched > 250;
    if (still !== rests) {
      still = rests;
      care(still ? 0 : pace.level);
    }
    if (!playing) return;
    pace.mean += 0.12 * (Math.min(interval, 200) - pace.mean);
    if (pace.mean > 30 && pace.level + 1 < levels.length) { care(++pace.level); pace.mean = 20; }
  }
  function tick(now) {
    requestAnimationFrame(tick);
    if (before) keepPace(now - before);
    if (playing && t.length > 1) {
      const next = time + (before ? (now - before) / 1000 : 0) * speed, end = t[t.length - 1];
      if (running) pose(Math.min(end, time + ((before ? now - before : 0) / 1000) * chase));
      else if (next >= end && $("loop").checked) pose(t[0] + ((next - t[0]) % (end - t[0] || 1)));
      else if (next >= end) { pose(end); pause(); }
      else pose(next);
    }
    before = now;
    counted.frames += 1;
    draw();
  }

  // ---- buttons
  const follow = (name) => {
    followed = name ? bodies.get(name) : null;
    beside.fromArray(name && name === data.follow ? data.beside : [0, 0, 0]);
    $("follow").value = name || "";
    stale = true;
  };
  const show = (group, on) => {
    if (group === "label") $("labels").hidden = !on;
    else if (group === "plot") $("plots").hidden = !on;
    shown[group] = on;
    for (const object of groups[group] || []) object.visible = on;
    const box = $(`show-${group}`);
    if (box) box.checked = on;
    pose(time);
  };
  for (const [group, text, there, on] of [
    ["trace", "Traces", groups.trace, true], ["force", "Forces", groups.force, data.show.force !== false],
    ["reaction", "Reactions", groups.reaction, !!data.show.reaction], ["label", "Names", data.labels.length, false],
    ["plot", "Plot", data.curves.length, true],
  ]) {
    if (!there) continue;
    const label = document.createElement("label"), box = document.createElement("input");
    Object.assign(box, { type: "checkbox", id: `show-${group}`, checked: on });
    box.addEventListener("change", () => show(group, box.checked));
    label.append(box, ` ${text}`);
    $("toggles").append(label);
  }
  for (const name of bodies.keys()) $("follow").add(new Option(name, name));
  const factors = [0.1, 0.25, 0.5, 1, 2, 4, 10];
  for (const f of factors) $("speed").add(new Option(`${+(f * data.speed).toPrecision(3)}×`, f * data.speed, f === 1, f === 1));
  $("speed").addEventListener("change", (e) => { speed = +e.target.value; });
  $("follow").addEventListener("change", (e) => follow(e.target.value));
  $("home").addEventListener("click", home);
  $("play").addEventListener("click", () => (playing ? pause() : play()));
  $("scrub").addEventListener("input", (e) => { const wanted = +e.target.value; pause(); seek(wanted); });
  window.addEventListener("keydown", (e) => {
    if (e.target.tagName === "SELECT") return;
    if (e.key === " ") { e.preventDefault(); if (playing) pause(); else play(); }
    if (e.key === "ArrowRight" || e.key === "ArrowLeft") {
      e.preventDefault(); pause();
      pose(t[Math.max(0, Math.min(t.length - 1, frame + (e.key === "ArrowRight" ? 1 : -1)))]);
    }
  });
  window.addEventListener("resize", () => { if (plot) plot.draw(time); });

  window.linkwork = {
    play, pause, seek, follow, show,
    setSpeed: (s) => { speed = s; },
    setLoop: (on) => { $("loop").checked = on; },
    names: () => [...bodies.keys()],
    // Position [m] and quaternion (w, x, y, z) of a body as it is shown now, world axes.
    pose(name) {
      const object = bodies.get(name), p = new THREE.Vector3(), q = new THREE.Quaternion(), s = new THREE.Vector3();
      if (!object) return null;
      object.updateWorldMatrix(true, false);
      object.matrixWorld.decompose(p, q, s);
      return { position: [p.x, p.y, p.z], quaternion: [q.w, q.x, q.y, q.z] };
    },
    state: () => ({ time, frame, playing, speed, start: t[0], end: t[t.length - 1], frames: t.length, drawn: counted.frames,
      cursor: plot ? plot.cursor : null, care: pace.level, live: running, visible: (groups.reaction || []).some((o) => o.visible) }),
  };

  append(data.motion);
  home();
  $("plots").hidden = !data.curves.length;
  pose(t[0]);
  show("reaction", !!data.show.reaction);
  show("force", data.show.force !== false);
  show("label", false);
  if (data.follow) follow(data.follow);
  if (running) {
    const source = new EventSource(`frames?page=${data.live}&from=${t.length}`);
    let last = performance.now();
    source.addEventListener("frames", (e) => {
      append(JSON.parse(e.data));
      const now = performance.now();
      chase = (t[t.length - 1] - time) / Math.max((now - last) / 1000, 0.1);  // there when the next ones come
      last = now;
    });
    for (const word of ["done", "changed"]) source.addEventListener(word, () => { source.close(); location.reload(); });
    source.addEventListener("failed", (e) => { source.close(); running = false; $("title").textContent += ` — ${e.data}`; });
  }
  requestAnimationFrame(tick);
  play();
})();
