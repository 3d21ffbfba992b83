// From the scene's items to triangles: a heap per node and layer, with colours at the corners.
function unpack(text, Kind) {
  if (Uint8Array.fromBase64) return new Kind(Uint8Array.fromBase64(text).buffer);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Kind(bytes.buffer);
}

// Old numbers, if there are any, and those in a text after them.
function grown(old, text, Kind) {
  const more = unpack(text, Kind);
  if (!old || !old.length) return more;
  const both = new Kind(old.length + more.length);
  both.set(old);
  both.set(more, old.length);
  return both;
}

// Component i of rows of a width, between row k and the next.
function mix(values, k, share, i, width) {
  const a = values[width * k + i];
  return share ? a + share * (values[width * (k + 1) + i] - a) : a;
}

// Ground that shadows fall on.
const isFloor = (node) => node.group === "ground" && (node.name === "floor" || node.name === "land");

// Gathers triangles of one node and layer; corners are shared, which software renderers are grateful for.
class Heap {
  constructor() { this.position = []; this.normal = []; this.colour = []; this.index = []; }
  corner(x, y, z, n, c) {
    this.position.push(x, y, z); this.normal.push(n[0], n[1], n[2]); this.colour.push(c[0], c[1], c[2]);
    return this.position.length / 3 - 1;
  }
  geometry() {
    const g = new THREE.BufferGeometry();
    g.setAttribute("position", new THREE.Float32BufferAttribute(this.position, 3));
    g.setAttribute("normal", new THREE.Float32BufferAttribute(this.normal, 3));
    g.setAttribute("color", new THREE.Float32BufferAttribute(this.colour, 3));
    g.setIndex(this.index);
    return g;
  }
}

// Corners share a normal where faces meet at less than about 40°: round things look round, edges stay sharp.
function addSurface(heap, item, tone) {
  const v = unpack(item.vertices, Float32Array), f = unpack(item.faces, Uint32Array), c = tone(item.colour);
  const normals = [], around = new Map(), key = (i) => `${v[3 * i]},${v[3 * i + 1]},${v[3 * i + 2]}`, made = new Map();
  const a = new THREE.Vector3(), b = new THREE.Vector3(), d = new THREE.Vector3();
  for (let k = 0; k < f.length; k += 3) {
    a.fromArray(v, 3 * f[k]); b.fromArray(v, 3 * f[k + 1]).sub(a); d.fromArray(v, 3 * f[k + 2]).sub(a);
    const n = b.clone().cross(d);
    normals.push(n);
    for (let j = 0; j < 3; j++) {
      const place = key(f[k + j]);
      if (!around.has(place)) around.set(place, []);
      around.get(place).push(n);
    }
  }
  for (let k = 0; k < f.length; k += 3) {
    const own = normals[k / 3];
    for (let j = 0; j < 3; j++) {
      const i = f[k + j], place = key(i), n = new THREE.Vector3();
      for (const other of around.get(place)) {
        if (other.dot(own) > 0.77 * other.length() * own.length()) n.add(other);
      }
      n.normalize();
      const same = `${place};${n.x.toFixed(3)},${n.y.toFixed(3)},${n.z.toFixed(3)}`;
      if (!made.has(same)) made.set(same, heap.corner(v[3 * i], v[3 * i + 1], v[3 * i + 2], [n.x, n.y, n.z], c));
      heap.index.push(made.get(same));
    }
  }
}

// A line of a width, mitred at its corners: WebGL's own lines are one pixel wide.
function addRibbon(heap, given, width, c, closed) {
  const half = width / 2, up = [0, 0, 1];
  const points = given.filter((p, i) => !i || Math.hypot(p[0] - given[i - 1][0], p[1] - given[i - 1][1]) > 0);
  const n = points.length;
  if (n < 2) return;
  const side = (p, q) => { const l = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1; return [-(q[1] - p[1]) / l, (q[0] - p[0]) / l]; };
  const corners = points.map((p, i) => {
    const before = points[i ? i - 1 : closed ? n - 1 : 0], after = points[i < n - 1 ? i + 1 : closed ? 0 : n - 1];
    const a = before === p ? side(p, after) : side(before, p), b = after === p ? a : side(p, after);
    let x = a[0] + b[0], y = a[1] + b[1];
    const l = Math.hypot(x, y) || 1;
    const reach = half * Math.min(2 / l, 2.5);  // 1/cos of half the turn, kept within bounds at sharp corners
    x *= reach / l; y *= reach / l;
    return [heap.corner(p[0] + x, p[1] + y, p[2] || 0, up, c), heap.corner(p[0] - x, p[1] - y, p[2] || 0, up, c)];
  });
  for (let i = 0; i < (closed ? n : n - 1); i++) {
    const [a, b] = corners[i], [d, e] = corners[(i + 1) % n];
    heap.index.push(a, b, d, b, e, d);
  }
}

function addArea(heap, item, tone) {
  const rings = item.rings.map((text) => {
    const v = unpack(text, Float32Array), ring = [];
    for (let i = 0; i < v.length; i += 2) ring.push(new THREE.Vector2(v[i], v[i + 1]));
    return ring;
  });
  if (item.fill) {
    const c = tone(item.fill), first = rings.flat().map((p) => heap.corner(p.x, p.y, 0, [0, 0, 1], c))[0];
    for (const face of THREE.ShapeUtils.triangulateShape(rings[0], rings.slice(1))) {
      heap.index.push(...face.map((i) => first + i));
    }
  }
  if (item.edge) for (const ring of rings) addRibbon(heap, ring.map((p) => [p.x, p.y, 0]), item.width, tone(item.edge), true);
}

function addStroke(heap, item, tone) {
  const v = unpack(item.points, Float32Array), points = [];
  for (let i = 0; i < v.length; i += 3) points.push([v[i], v[i + 1], v[i + 2]]);
  addRibbon(heap, points, item.width, tone(item.colour), false);
}

// blended: put it in one row with transparent things, which are otherwise drawn after all others.
function material(planar, opacity, blended = false) {
  const look = { vertexColors: true, side: THREE.DoubleSide, opacity, transparent: opacity < 1 || blended };
  return planar
    ? new THREE.MeshBasicMaterial({ ...look, depthTest: false, depthWrite: false })
    : new THREE.MeshLambertMaterial(look);
}

// Strokes in space are tubes of lines: thin, but seen from everywhere.
function spaceLine(item, tone) {
  const g = new THREE.BufferGeometry();
  g.setAttribute("position", new THREE.BufferAttribute(unpack(item.points, Float32Array), 3));
  return new THREE.Line(g, new THREE.LineBasicMaterial({ color: hex(tone(item.colour)) }));
}

// What a node is made of: an object that moves, with lines in space on it, and parts that are not meshes yet.
function nodeParts(node, planar, tone) {
  const object = new THREE.Group(), heaps = new Map();
  for (const item of node.items) {
    if (item.kind === "stroke" && !planar) { object.add(spaceLine(item, tone)); continue; }
    const opacity = item.opacity === undefined ? 1 : item.opacity, layer = planar ? item.layer : 0, key = `${layer} ${opacity}`;
    if (!heaps.has(key)) heaps.set(key, { heap: new Heap(), layer, opacity });
    ({ surface: addSurface, area: addArea, stroke: addStroke })[item.kind](heaps.get(key).heap, item, tone);
  }
  return { object, parts: [...heaps.values()] };
}

// Bar and head along x, both 1 long; scaled at each frame.
function arrowObject(colour, planar, tone) {
  const group = new THREE.Group(), bar = new Heap(), tip = new Heap(), c = tone(colour), up = [0, 0, 1];
  if (planar) {
    for (const [x, y] of [[0, -1], [1, -1], [1, 1], [0, 1]]) bar.corner(x, y, 0, up, c);
    for (const [x, y] of [[0, -1], [1, 0], [0, 1]]) tip.corner(x, y, 0, up, c);
    bar.index.push(0, 1, 2, 0, 2, 3);
    tip.index.push(0, 1, 2);
  } else {
    for (const [heap, r] of [[bar, 1], [tip, 0]]) {
      const sides = 16;
      for (let k = 0; k < sides; k++) {
        const u = (2 * Math.PI * k) / sides, n = [0, Math.cos(u), Math.sin(u)], j = (k + 1) % sides;
        heap.corner(0, n[1], n[2], n, c);
        heap.corner(1, r * n[1], r * n[2], n, c);
        heap.index.push(2 * k, 2 * j + 1, 2 * k + 1, 2 * k, 2 * j, 2 * j + 1);
      }
    }
  }
  for (const part of [bar, tip]) {
    const mesh = new THREE.Mesh(part.geometry(), material(true, 1, true));  // seen through everything
    mesh.renderOrder = 200;
    mesh.frustumCulled = false;
    group.add(mesh);
  }
  return group;
}
