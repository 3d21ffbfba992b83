// The camera: around a target, at a yaw and pitch from the first view; what moves it; from the world to pixels and back.

class Eye {
  constructor() { this.navigation = true; this.followed = null; this.beside = VECTOR(); this.width = 1; this.height = 1; }

  // Look at a world; keep: from where one looks now.
  face(world, keep) {
    const { data } = world;
    this.world = world;
    this.planar = data.planar;
    this.up = V(data.up);
    this.towards = V(data.towards).normalize();
    this.lens = data.planar ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(32, 1, 0.01 * world.size, 50 * world.size);
    this.forward = this.towards.clone().addScaledVector(this.up, -this.towards.dot(this.up));
    if (this.forward.length() < 1e-6) this.forward.set(1, 0, 0);
    this.forward.normalize();
    this.side = this.up.clone().cross(this.forward);
    const view = keep && this.target ? { target: this.target.clone(), distance: this.distance } : null;
    if (!view || this.yaw === undefined) this.home();
    else { this.fixed = view; this.zoom = 1; this.pan = VECTOR(); }
  }

  home() {
    this.fixed = null;
    this.yaw = 0;
    this.pitch = this.planar ? 0 : Math.asin(Math.max(-1, Math.min(1, this.towards.dot(this.up))));
    this.zoom = 1;
    this.pan = VECTOR();
  }

  // Stay with what is seen now, whatever the world comes to be.
  frame(low, high) {
    const [a, b] = [V([...low, 0]), V([...high, 0])], size = b.clone().sub(a);
    const tan = this.planar ? 1 : Math.tan((this.lens.fov * Math.PI) / 360), aspect = this.width / this.height;
    const half = this.planar ? Math.max(size.y, size.x / aspect) / 2 : size.length() / 2;
    this.fixed = { target: a.add(b).multiplyScalar(0.5), distance: half / tan };
    this.zoom = 1;
    this.pan = VECTOR();
  }

  // Where the camera has to be, for a picture of a size in pixels.
  look(width, height) {
    const { lens, planar, world, up } = this, unit = world.data.unit;
    Object.assign(this, { width, height });
    const direction = this.forward.clone().multiplyScalar(Math.cos(this.yaw)).addScaledVector(this.side, Math.sin(this.yaw))
      .multiplyScalar(Math.cos(this.pitch)).addScaledVector(up, Math.sin(this.pitch));
    const right = up.clone().cross(direction).normalize(), above = direction.clone().cross(right);
    const aspect = width / height, tan = planar ? 1 : Math.tan((lens.fov * Math.PI) / 360);
    let target, distance;
    if (this.fixed) {
      target = this.fixed.target.clone().add(this.pan);
      distance = this.fixed.distance / this.zoom;
    } else {  // as near as it can be without cutting anything off
      const seen = world.seen, room = 3 * unit, xs = seen.map((p) => p.dot(right)), ys = seen.map((p) => p.dot(above));
      const zs = seen.map((p) => (planar ? 0 : p.dot(direction)));
      const x = (Math.min(...xs) + Math.max(...xs)) / 2, y = (Math.min(...ys) + Math.max(...ys)) / 2;
      const need = seen.map((_, i) => Math.max(Math.abs(ys[i] - y) + room, (Math.abs(xs[i] - x) + room) / aspect) / tan + zs[i]);
      distance = (1.1 * Math.max(...need, (5 * unit) / tan)) / this.zoom;
      target = world.centre.clone();
      if (this.followed) target.setFromMatrixPosition(this.followed.matrixWorld).add(this.beside);
      target.add(this.pan).addScaledVector(right, x).addScaledVector(above, y);
    }
    const half = distance * tan, size = Math.max(world.size, distance);
    if (planar) Object.assign(lens, { left: -half * aspect, right: half * aspect, top: half, bottom: -half, near: -10 * size, far: 10 * size });
    else Object.assign(lens, { aspect, near: 0.02 * distance, far: distance + 40 * world.size });
    lens.up.copy(up);
    lens.position.copy(target).addScaledVector(direction, planar ? size : distance);
    lens.lookAt(target);
    lens.updateProjectionMatrix();
    lens.updateMatrixWorld();
    Object.assign(this, { right, above, direction, target, distance, scale: (2 * half) / height });
  }

  toPixel(point) {
    const p = V([...point, 0]).project(this.lens);
    return [((p.x + 1) / 2) * this.width, ((1 - p.y) / 2) * this.height];
  }

  // On the plane of a planar mechanism; in space on the plane through the target that faces the eye.
  toWorld(x, y) {
    const caster = new THREE.Raycaster();
    caster.setFromCamera({ x: (2 * x) / this.width - 1, y: 1 - (2 * y) / this.height }, this.lens);
    const plane = this.planar ? new THREE.Plane(new THREE.Vector3(0, 0, 1), 0) : new THREE.Plane().setFromNormalAndCoplanarPoint(this.direction, this.target);
    const { origin, direction } = caster.ray, towards = direction.dot(plane.normal);
    if (Math.abs(towards) < 1e-9) return this.target.toArray();
    return origin.addScaledVector(direction, -plane.distanceToPoint(origin) / towards).toArray();
  }

  // ---- by hand: drag turns (space) or moves (plane), with the other button or shift the other way round
  listen(canvas, moved, clicked) {
    const pointers = new Map();
    let travelled = 0;
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("dblclick", () => { if (this.navigation) { this.home(); moved(); } });
    canvas.addEventListener("pointerdown", (e) => {
      if (!pointers.size) travelled = 0;
      pointers.set(e.pointerId, e);
      if (e.isTrusted) canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointercancel", (e) => pointers.delete(e.pointerId));
    canvas.addEventListener("pointerup", (e) => {
      if (pointers.delete(e.pointerId) && travelled < 4 && e.button === 0) clicked(e);
    });
    canvas.addEventListener("pointermove", (e) => {
      const before = pointers.get(e.pointerId);
      if (!before) return;
      const dx = e.clientX - before.clientX, dy = e.clientY - before.clientY;
      travelled += Math.hypot(dx, dy);
      if (this.navigation) this.drag(e, before, dx, dy, pointers);
      pointers.set(e.pointerId, e);
      moved();
    });
    canvas.addEventListener("wheel", (e) => {
      if (!this.navigation) return;
      e.preventDefault();
      this.zoomBy(Math.exp(-e.deltaY * 0.0012), e.offsetX, e.offsetY);
      moved();
    }, { passive: false });
  }

  // In the plane what is under the pointer stays there.
  zoomBy(factor, x, y) {
    const before = this.zoom;
    this.zoom = Math.max(0.05, Math.min(60, this.zoom * factor));
    if (!this.planar || this.scale === undefined) return;
    const share = (1 - before / this.zoom) * this.scale;
    this.pan.addScaledVector(this.right, (x - this.width / 2) * share).addScaledVector(this.above, (this.height / 2 - y) * share);
    this.look(this.width, this.height);
  }

  drag(e, before, dx, dy, pointers) {
    if (pointers.size === 2) {
      const [other] = [...pointers.values()].filter((p) => p.pointerId !== e.pointerId);
      const gap = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
      this.zoom *= gap(e) / Math.max(gap(before), 1);
    } else if ((e.buttons === 2 || e.shiftKey) !== this.planar) {
      this.pan.addScaledVector(this.right, -dx * this.scale).addScaledVector(this.above, dy * this.scale);
    } else {
      this.yaw -= dx * 0.008;
      this.pitch = Math.max(-1.55, Math.min(1.55, this.pitch + dy * 0.008));
    }
  }
}
