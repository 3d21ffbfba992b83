// What there is to see of a scene: its objects, their motion, and which of them a ray meets.

const VECTOR = () => new THREE.Vector3();
const V = (a) => new THREE.Vector3(a[0], a[1], a[2]);
const X = new THREE.Vector3(1, 0, 0);
const NEAR = 5;  // pixels beside a thin thing at which it still counts as met

class World {
  constructor(data, scheme, shadows) {
    this.data = data;
    this.planar = data.planar;
    this.scheme = scheme;
    this.tone = toneOf(scheme, data.planar);
    this.scene = new THREE.Scene();
    this.bodies = new Map();
    this.groups = {};
    this.shown = {};
    this.movers = [];
    this.suns = [];
    this.t = new Float64Array(0);
    this.low = V(data.low);
    this.high = V(data.high);
    this.centre = this.low.clone().add(this.high).multiplyScalar(0.5);
    this.size = Math.max(this.high.distanceTo(this.low), 12 * data.unit);
    this.seen = [];
    this.frame = 0;
    this.time = 0;
    this.populate();
    if (!data.planar) this.light(shadows);
    this.append(data.motion);
  }

  populate() {
    const { data, scene } = this;
    this.nodes = data.nodes.map((told, i) => {
      const moving = data.motion.nodes[i], dim = isFloor(told) && this.scheme === "dark" && !this.planar;
      const tone = dim ? (colour) => rgb(colour).map((c) => 0.08 + 0.2 * c * c) : this.tone;
      const node = { ...told, ...nodeParts(told, this.planar, tone) };
      node.stretches = !!(moving && moving.s) || !!(told.between && told.between.length);
      node.moving = !!moving || !!told.on || !!told.between;
      const { object } = node;
      if (node.p) { object.position.fromArray(node.p); object.quaternion.set(node.q[1], node.q[2], node.q[3], node.q[0]); }
      if (node.group === "body" && !this.bodies.has(node.name)) this.bodies.set(node.name, object);
      for (const line of object.children) line.userData.node = node;
      this.enlist(node.group, object);
      scene.add(object);
      return node;
    });
    this.flocks = gather(this.nodes, this.planar, scene);
    for (const flock of this.flocks) this.enlist(flock.group, flock.mesh);
    for (const node of this.nodes) {
      if (node.on) this.hang(node.object, node.on);
      if (node.between) node.ends = [node.between.a, node.between.b].map((on) => this.hang(new THREE.Object3D(), on));
    }
    this.arrows = data.arrows.map((told) => {
      const arrow = { ...told, object: arrowObject(told.colour, this.planar, this.tone), base: new THREE.Object3D() };
      if (told.on) this.hang(arrow.base, told.on); else scene.add(arrow.base);
      for (const part of arrow.object.children) part.userData.node = arrow;
      this.enlist(told.group, arrow.object);
      scene.add(arrow.object);
      return arrow;
    });
    this.traces = data.traces.map((told) => {
      const material = new THREE.LineBasicMaterial({ color: hex(this.tone(told.colour)), depthTest: !this.planar });
      const line = new THREE.Line(new THREE.BufferGeometry(), material);
      Object.assign(line, { renderOrder: 6, frustumCulled: false });
      this.enlist("trace", line);
      scene.add(line);
      return { ...told, line };
    });
    this.curves = data.curves.map((told) => ({ ...told }));
    this.labels = data.labels.map((told) => ({ ...told, base: this.hang(new THREE.Object3D(), told.on) }));
  }

  enlist(group, object) { (this.groups[group] = this.groups[group] || []).push(object); }

  // Fasten an object to a body, or to the ground.
  hang(object, on) {
    object.position.fromArray(on.p);
    object.quaternion.set(on.q[1], on.q[2], on.q[3], on.q[0]);
    (this.bodies.get(on.body) || this.scene).add(object);
    return object;
  }

  light(shadows) {
    const { data, size, centre } = this, up = V(data.up), towards = V(data.towards).normalize();
    this.scene.add(new THREE.HemisphereLight(0xffffff, PALETTES[this.scheme].shadow, 0.62));
    const sun = new THREE.DirectionalLight(0xffffff, 0.42), right = up.clone().cross(towards).normalize();
    sun.position.copy(centre).addScaledVector(up, 1.6 * size).addScaledVector(towards, 0.5 * size).addScaledVector(right, -0.5 * size);
    sun.target.position.copy(centre);
    this.scene.add(sun, sun.target);
    if (!shadows || data.nodes.length >= 60) return;
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    Object.assign(sun.shadow.camera, { left: -size, right: size, top: size, bottom: -size, near: 0.1 * size, far: 4 * size });
    sun.shadow.bias = -0.002;
    this.suns.push(sun);
  }

  // Bars behind everything: { low, high, colour } in the plane.
  back(bars) {
    if (this.backing) { this.scene.remove(this.backing); this.backing.geometry.dispose(); this.backing.material.dispose(); }
    this.backing = null;
    if (!bars.length) return;
    const heap = new Heap();
    for (const { low, high, colour } of bars) {
      const c = rgb(colour), [a, b, d, e] = [[low[0], low[1]], [high[0], low[1]], high, [low[0], high[1]]].map(([x, y]) => heap.corner(x, y, 0, [0, 0, 1], c));
      heap.index.push(a, b, d, a, d, e);
    }
    this.backing = new THREE.Mesh(heap.geometry(), material(true, 1));
    Object.assign(this.backing, { renderOrder: -1e6, frustumCulled: false, raycast: () => {} });
    this.scene.add(this.backing);
  }

  // ---- motion: arrays that can grow while a run is still computed
  append(motion) {
    this.t = grown(this.t, motion.t, Float64Array);
    this.seen = motion.seen.map((p) => V(p).sub(this.centre));
    motion.nodes.forEach((m, i) => {
      if (!m) return;
      const node = this.nodes[i], Kind = node.group === "body" ? Float64Array : Float32Array;
      if (m.p) { node.P = grown(node.P, m.p, Kind); node.Q = grown(node.Q, m.q, Kind); }
      if (m.s) node.S = grown(node.S, m.s, Float32Array);
      if (!node.moves) { node.moves = true; this.movers.push(node); }
    });
    motion.arrows.forEach((m, i) => {
      const arrow = this.arrows[i];
      arrow.v = grown(arrow.v, m.v, Float32Array);
      if (m.p) arrow.points = grown(arrow.points, m.p, Float32Array);
    });
    motion.traces.forEach((text, i) => {
      const trace = this.traces[i];
      trace.points = grown(trace.points, text, Float32Array);
      trace.line.geometry.dispose();
      trace.line.geometry = new THREE.BufferGeometry();
      trace.line.geometry.setAttribute("position", new THREE.BufferAttribute(trace.points, 3));
    });
    motion.curves.forEach((text, i) => { this.curves[i].values = grown(this.curves[i].values, text, Float32Array); });
  }

  // Another motion of the same things; false where it tells of other ones.
  replace(motion) {
    const fits = (a, b) => !a || !b || a.length === b.length;
    if (!fits(motion.nodes, this.nodes) || !fits(motion.arrows, this.arrows) || !fits(motion.traces, this.traces) || !fits(motion.curves, this.curves)) return false;
    this.t = new Float64Array(0);
    for (const node of this.nodes) { node.P = node.Q = node.S = null; node.moves = false; }
    for (const arrow of this.arrows) arrow.v = arrow.points = null;
    for (const trace of this.traces) trace.points = null;
    for (const curve of this.curves) curve.values = null;
    this.movers = [];
    this.append(motion);
    for (const flock of this.flocks) { flock.settled = false; for (const e of flock.entries) e.moves = e.moves || e.node.moves; }
    return true;
  }

  // ---- showing one time
  locate(wanted) {
    const t = this.t, last = t.length - 1;
    this.time = Math.min(Math.max(wanted, t[0]), t[last]);
    let a = 0, b = last;
    while (b - a > 1) { const m = (a + b) >> 1; if (t[m] <= this.time) a = m; else b = m; }
    this.frame = a;
    return last && t[b] > t[a] ? (this.time - t[a]) / (t[b] - t[a]) : 0;
  }

  pose(wanted) {
    const share = this.locate(wanted), k = this.frame, flat = World.flat;
    for (const { object, group, P, Q, S } of this.movers) {
      if (P) {
        object.position.set(mix(P, k, share, 0, 3), mix(P, k, share, 1, 3), mix(P, k, share, 2, 3));
        if (share) THREE.Quaternion.slerpFlat(flat, 0, Q, 4 * k, Q, 4 * (k + 1), share);
        else for (let i = 0; i < 4; i++) flat[i] = Q[4 * k + i];
        object.quaternion.set(flat[1], flat[2], flat[3], flat[0]);
        object.visible = this.shown[group] !== false && isFinite(object.position.x);
      }
      if (S) object.scale.set(mix(S, k, share, 0, 3), mix(S, k, share, 1, 3), mix(S, k, share, 2, 3));
    }
    this.settle();
    for (const arrow of this.arrows) if (arrow.object.visible) this.point(arrow, k, share);
    for (const trace of this.traces) trace.line.geometry.setDrawRange(0, k + 1);
  }

  // What follows from where the bodies are.
  settle() {
    this.scene.updateMatrixWorld();
    for (const node of this.nodes) if (node.ends) reach(node, this.shown[node.group] !== false);
    for (const flock of this.flocks) if (flock.mesh.visible) flock.update();
  }

  point(arrow, k, share) {
    const { v, points, object } = arrow, unit = this.data.unit, vector = World.vector;
    vector.set(mix(v, k, share, 0, 3), mix(v, k, share, 1, 3), mix(v, k, share, 2, 3));
    const length = vector.length(), tip = Math.max(Math.min(1, length / (5.1 * unit)), 1e-6), head = 3.2 * unit * tip;
    if (points) object.position.set(mix(points, k, share, 0, 3), mix(points, k, share, 1, 3), mix(points, k, share, 2, 3));
    else object.position.setFromMatrixPosition(arrow.base.matrixWorld);
    if (length) object.quaternion.setFromUnitVectors(X, vector.divideScalar(length));
    const bar = Math.max(length - head, 1e-9), [shaft, point] = object.children;
    shaft.scale.set(bar, 0.4 * unit * tip, 0.4 * unit * tip);
    point.position.x = bar;
    point.scale.set(head, 1.25 * unit * tip, 1.25 * unit * tip);
  }

  // Bodies where somebody else says: { name: [x, y, angle] or [[x, y, z], [w, x, y, z]] }.
  place(poses) {
    for (const [name, given] of Object.entries(poses)) {
      const object = this.bodies.get(name);
      if (!object) continue;
      if (Array.isArray(given[0])) {
        const [p, q] = given;
        object.position.fromArray(p);
        object.quaternion.set(q[1], q[2], q[3], q[0]);
      } else {
        object.position.set(given[0], given[1], 0);
        object.quaternion.set(0, 0, Math.sin(given[2] / 2), Math.cos(given[2] / 2));
      }
    }
    for (const flock of this.flocks) flock.settled = false;
    this.settle();
    for (const arrow of this.arrows) if (arrow.object.visible && arrow.v) this.point(arrow, this.frame, 0);
  }

  show(group, on) {
    this.shown[group] = on;
    for (const object of this.groups[group] || []) object.visible = on;
  }

  // ---- picking: { group, name, point } of what is in front at a place, or null
  pick(x, y, width, height, lens) {
    const caster = new THREE.Raycaster(), round = [[0, 0]];
    for (let k = 0; k < 4; k++) round.push([NEAR * Math.cos((k * Math.PI) / 2), NEAR * Math.sin((k * Math.PI) / 2)]);
    const targets = [];
    this.scene.traverseVisible((o) => { if ((o.isMesh || o.isLine) && (o.userData.node || o.userData.flock)) targets.push(o); });
    let ground = null;
    for (const [dx, dy] of round) {
      caster.setFromCamera({ x: (2 * (x + dx)) / width - 1, y: 1 - (2 * (y + dy)) / height }, lens);
      caster.params.Line.threshold = this.data.unit;
      const hits = caster.intersectObjects(targets, false);
      if (this.planar) hits.sort((a, b) => b.object.renderOrder - a.object.renderOrder || b.faceIndex - a.faceIndex);
      for (const hit of hits) {
        const { flock, node } = hit.object.userData, owner = flock ? flock.owner(hit.faceIndex) : node;
        if (!owner.object.visible) continue;
        const picked = { group: owner.group, name: owner.name, point: hit.point.toArray() };
        if (owner.group !== "ground") return picked;
        ground = ground || picked;
        break;
      }
    }
    return ground;
  }

  // Objects that show something by a name, each with the geometries of its parts.
  showing(name) {
    const parts = this.nodes.filter((n) => n.name === name).map((n) => ({ object: n.object, heaps: n.parts.map((p) => p.heap) }));
    for (const arrow of this.arrows) if (arrow.name === name && arrow.group === "force") for (const mesh of arrow.object.children) parts.push({ object: mesh, geometry: mesh.geometry });
    return parts;
  }

  dispose() {
    this.scene.traverse((o) => { if (o.geometry) o.geometry.dispose(); if (o.material) o.material.dispose(); });
    for (const sun of this.suns) if (sun.shadow.map) sun.shadow.map.dispose();
  }
}
World.flat = new Float64Array(4);
World.vector = VECTOR();

// A thing between two points: x from one to the other, stretched to its length where it has one to be stretched from.
function reach(node, shown) {
  const [a, b] = node.ends.map((end) => VECTOR().setFromMatrixPosition(end.matrixWorld)), { object } = node;
  const d = b.clone().sub(a), length = d.length();
  object.visible = shown && isFinite(length);
  if (!object.visible) return;
  object.position.copy(node.between.back ? b : a);
  // half way between x and the direction; straight back is half a turn about z, which keeps the plane
  if (length) {
    d.divideScalar(length);
    if (d.x < -1 + 1e-12) object.quaternion.set(0, 0, 1, 0);
    else object.quaternion.set(0, -d.z, d.y, 1 + d.x).normalize();
  }
  if (node.between.back) object.quaternion.multiply(HALF_TURN);
  if (node.between.length) object.scale.set(Math.max(length / node.between.length, 1e-6), 1, 1);
  object.updateMatrixWorld();
}
const HALF_TURN = new THREE.Quaternion(0, 0, 1, 0);
