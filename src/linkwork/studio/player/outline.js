// Outlines around what is selected, and around what gives alarm: seen through everything that is in front of it.

const SHIFT = `uniform vec2 pixel; uniform vec2 way;
void main() { vec4 p = projectionMatrix * modelViewMatrix * vec4(position, 1.0); p.xy += way * pixel * p.w; gl_Position = p; }`;
const PLAIN = "uniform vec3 colour; uniform float opacity; void main() { gl_FragColor = vec4(colour, opacity); }";
const WAYS = 12;

class Outline {
  // mark: a bit of the stencil of its own; wide: pixels; tint: how much its colour covers what is inside.
  constructor(mark, wide, tint) {
    this.names = [];
    this.made = [];
    this.pixel = { value: new THREE.Vector2() };
    this.colour = { value: new THREE.Vector3() };
    const stencil = { stencilWrite: true, stencilRef: mark, stencilFuncMask: mark, stencilWriteMask: mark, stencilFunc: THREE.NotEqualStencilFunc, stencilZPass: THREE.ReplaceStencilOp };
    const material = (x, y, opacity) => new THREE.ShaderMaterial({
      vertexShader: SHIFT, fragmentShader: PLAIN, depthTest: false, depthWrite: false, transparent: true, side: THREE.DoubleSide, ...stencil,
      uniforms: { pixel: this.pixel, colour: this.colour, way: { value: new THREE.Vector2(x, y) }, opacity: { value: opacity } },
    });
    this.materials = [material(0, 0, tint)];
    for (let k = 0; k < WAYS; k++) {
      const angle = (2 * Math.PI * k) / WAYS;
      this.materials.push(material(wide * Math.cos(angle), wide * Math.sin(angle), 1));
    }
    this.mark = mark;
  }

  // Draw it around things with these names.
  around(world, names, colour) {
    this.clear();
    this.names = [...names];
    this.colour.value.fromArray(rgb(colour));
    for (const name of this.names) {
      for (const { object, heaps, geometry } of world.showing(name)) {
        for (const shape of geometry ? [geometry] : heaps.map((heap) => heap.geometry())) {
          this.materials.forEach((material, i) => {
            const mesh = new THREE.Mesh(shape, material);  // the inside first: it keeps the others out
            Object.assign(mesh, { renderOrder: 1e6 + 10 * this.mark + (i ? 1 : 0), frustumCulled: false, raycast: () => {} });
            object.add(mesh);
            mesh.updateMatrixWorld();
            this.made.push(mesh);
          });
        }
      }
    }
  }

  size(width, height) { this.pixel.value.set(2 / width, 2 / height); }

  clear() {
    for (const mesh of this.made) mesh.parent.remove(mesh);
    this.made = [];
  }
}
