// Small things that move apart but are drawn together: every draw call costs, most of all without a graphics card.
"use strict";

// entries: [{ object, heap, moves }]; corners are moved here, at each frame, with the objects they belong to.
class Flock {
  constructor(entries, planar, blended) {
    const all = new Heap();
    this.entries = entries.map(({ object, heap, moves }) => {
      const first = all.position.length / 3;
      for (const part of ["position", "normal", "colour"]) for (const x of heap[part]) all[part].push(x);
      for (const i of heap.index) all.index.push(first + i);
      return { object, moves, at: 3 * first, position: Float32Array.from(heap.position), normal: Float32Array.from(heap.normal) };
    });
    const geometry = all.geometry();
    this.planar = planar;
    this.position = geometry.getAttribute("position");
    this.normal = geometry.getAttribute("normal");
    this.position.usage = this.normal.usage = THREE.DynamicDrawUsage;
    this.mesh = new THREE.Mesh(geometry, material(planar, 1, blended));
    Object.assign(this.mesh, { frustumCulled: false, castShadow: !planar, matrixAutoUpdate: false });
    this.settled = false;
  }

  update() {
    const P = this.position.array, N = this.normal.array;
    for (const { object, moves, at, position, normal } of this.entries) {
      if (this.settled && !moves) continue;
      const m = object.matrixWorld.elements, n = position.length;
      if (!object.visible) { P.fill(0, at, at + n); continue; }
      for (let i = 0; i < n; i += 3) {
        const x = position[i], y = position[i + 1], z = position[i + 2], k = at + i;
        P[k] = m[0] * x + m[4] * y + m[8] * z + m[12];
        P[k + 1] = m[1] * x + m[5] * y + m[9] * z + m[13];
        P[k + 2] = m[2] * x + m[6] * y + m[10] * z + m[14];
      }
      if (this.planar) continue;
      for (let i = 0; i < n; i += 3) {
        const x = normal[i], y = normal[i + 1], z = normal[i + 2], k = at + i;
        N[k] = m[0] * x + m[4] * y + m[8] * z;
        N[k + 1] = m[1] * x + m[5] * y + m[9] * z;
        N[k + 2] = m[2] * x + m[6] * y + m[10] * z;
      }
    }
    this.settled = true;
    this.position.needsUpdate = true;
    this.normal.needsUpdate = !this.planar;
  }
}

// Puts the parts of all nodes into flocks, in the order of their layers; what is large, transparent, stretched in space
// or a floor, on which shadows fall, is a mesh of its own. Returns the flocks; each knows its group.
function gather(nodes, planar, scene) {
  const found = [], flocks = [], blended = planar && nodes.some((n) => n.items.some((i) => i.opacity < 1));
  for (const node of nodes) {
    for (const part of node.parts) {
      const alone = part.opacity < 1 || part.heap.position.length > 6000 || (!planar && (node.stretches || node.name === "floor"));
      found.push({ ...part, object: node.object, moves: node.moving, group: node.group, floor: node.name === "floor", alone });
    }
  }
  if (planar) found.sort((a, b) => a.layer - b.layer);
  else found.sort((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : a.alone - b.alone));
  for (let i = 0, k = 0; i < found.length; i = k) {
    const { alone, group, heap, layer, object, opacity, floor } = found[i];
    k = i + 1;
    let mesh;
    if (alone) {
      mesh = new THREE.Mesh(heap.geometry(), material(planar, opacity, blended));
      Object.assign(mesh, { frustumCulled: false, castShadow: !planar && !floor, receiveShadow: !planar && floor });
      object.add(mesh);
    } else {
      while (k < found.length && !found[k].alone && found[k].group === group) k++;
      const flock = new Flock(found.slice(i, k), planar, blended);
      flock.group = group;
      flocks.push(flock);
      mesh = flock.mesh;
      scene.add(mesh);
    }
    mesh.renderOrder = (planar ? layer : 0) + 1e-4 * i;
  }
  return flocks;
}
