// Small things that move apart but are drawn together: every draw call costs, most of all without a graphics card.
// entries: [{ object, heap, moves }]; corners are moved here, at each frame, with the objects they belong to.
class Flock {
  constructor(entries, planar, blended) {
    const all = new Heap();
    this.entries = entries.map(({ object, heap, moves, node }) => {
      const first = all.position.length / 3, face = all.index.length / 3;
      for (const part of ["position", "normal", "colour"]) for (const x of heap[part]) all[part].push(x);
      for (const i of heap.index) all.index.push(first + i);
      return { object, moves, node, face, at: 3 * first, position: Float32Array.from(heap.position), normal: Float32Array.from(heap.normal) };
    });
    const geometry = all.geometry();
    this.planar = planar;
    this.position = geometry.getAttribute("position");
    this.normal = geometry.getAttribute("normal");
    this.position.usage = this.normal.usage = THREE.DynamicDrawUsage;
    this.mesh = new THREE.Mesh(geometry, material(planar, 1, blended));
    geometry.boundingSphere = new THREE.Sphere(new THREE.Vector3(), Infinity);  // corners move; a ray must look at all
    Object.assign(this.mesh, { frustumCulled: false, castShadow: !planar, matrixAutoUpdate: false });
    this.settled = false;
  }

  // Whose face it is, of those in the mesh.
  owner(face) {
    let a = 0, b = this.entries.length;
    while (b - a > 1) { const m = (a + b) >> 1; if (this.entries[m].face <= face) a = m; else b = m; }
    return this.entries[a].node;
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

// The nearest faces of a transparent thing, drawn into the depths before its colours: then it is one layer, not many.
function veil(geometry) {
  const before = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ colorWrite: false, side: THREE.DoubleSide, transparent: true }));
  return Object.assign(before, { frustumCulled: false, raycast: () => {} });
}

// Puts the parts of all nodes into flocks, in the order of their layers; what is large, transparent, stretched in space
// or a floor, on which shadows fall, is a mesh of its own. Returns the flocks; each knows its group. Meshes know the
// node they show, or the flock that does.
function gather(nodes, planar, scene) {
  const pieces = [], flocks = [], blended = planar && nodes.some((n) => n.items.some((i) => i.opacity < 1));
  for (const node of nodes) {
    for (const part of node.parts) {
      const alone = part.opacity < 1 || part.heap.position.length > 6000 || (!planar && (node.stretches || isFloor(node)));
      pieces.push({ ...part, object: node.object, moves: node.moving, group: node.group, node, floor: isFloor(node), alone });
    }
  }
  if (planar) pieces.sort((a, b) => a.layer - b.layer);
  else pieces.sort((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : a.alone - b.alone));
  for (let i = 0, k = 0; i < pieces.length; i = k) {
    const { alone, group, heap, layer, object, opacity, floor, node } = pieces[i];
    k = i + 1;
    let mesh;
    if (alone) {
      const geometry = heap.geometry();
      if (opacity < 1 && !planar) object.add(veil(geometry));
      mesh = new THREE.Mesh(geometry, material(planar, opacity, blended));
      Object.assign(mesh, { frustumCulled: false, castShadow: !planar && !floor, receiveShadow: !planar && floor });
      mesh.userData.node = node;
      object.add(mesh);
    } else {
      while (k < pieces.length && !pieces[k].alone && pieces[k].group === group) k++;
      const flock = new Flock(pieces.slice(i, k), planar, blended);
      flock.group = group;
      flocks.push(flock);
      mesh = flock.mesh;
      mesh.userData.flock = flock;
      scene.add(mesh);
    }
    if (planar || opacity === 1) mesh.renderOrder = (planar ? layer : 0) + 1e-4 * i;  // veiled things: from far to near
  }
  return flocks;
}
