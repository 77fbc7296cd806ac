// The 3D view: its contents, its camera, and when it is redrawn.
import { Group, Mesh, MeshBasicMaterial, NearestFilter, PerspectiveCamera, Scene, TorusGeometry, Vector2, Vector3, WebGLRenderer, WebGLRenderTarget } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { colliderLook } from "../looks.js";
import { Floor } from "./floor.js";
import { Lamp } from "./lamp.js";
import { QuantisedMesh } from "./mesh.js";
import { Particles } from "./particles.js";
import { linear, maxMaterials, shared, software } from "./shading.js";

const maxDrawn = software ? 150000 : Infinity; // particles; of more, a subset is drawn
const maxExact = software ? 8000 : 300000; // particles
const restPixelRatio = software ? 1 : Math.min(devicePixelRatio, 2); // device pixels per CSS pixel
const movePixelRatio = software ? 0.5 : restPixelRatio;
const minDrawn = 20000;
const slowInterval = 70; // between two images while the camera moves [ms]
const fastInterval = 28;
const floorColor = [0.3, 0.4, 0.56]; // of planes without a look
const pickWindow = 201; // [pixels]: a point sprite is drawn only if its centre is within the window

export class Stage {
  constructor(host) {
    this.host = host;
    this.renderer = new WebGLRenderer({ antialias: !software, alpha: true, powerPreference: "high-performance" });
    this.pixelRatio = 0;
    this.setPixelRatio(restPixelRatio);
    this.renderer.autoClear = true;
    host.append(this.renderer.domElement);
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(35, 1, 0.01, 100);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = !software; // damping needs many more images
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.moved());
    this.particles = new Particles();
    this.surface = new QuantisedMesh();
    this.solids = new Group();
    this.colliders = [];
    this.lamp = new Lamp();
    this.mark = new Mesh(new TorusGeometry(1, 0.14, 10, 40), new MeshBasicMaterial({ color: 0xffb454, depthTest: false, transparent: true }));
    this.mark.visible = false;
    this.mark.renderOrder = 10;
    this.scene.add(this.particles.object, this.surface.object, this.solids, this.mark);
    this.surface.object.visible = false;
    this.pickTarget = new WebGLRenderTarget(pickWindow, pickWindow, { minFilter: NearestFilter, magFilter: NearestFilter });
    this.movingFraction = 1; // of the particles that is drawn while the camera moves
    this.slow = false; // earlier images took long
    this.lastMove = -Infinity;
    this.lastPicture = 0;
    this.needed = true;
    this.shadowMapNeeded = true;
    this.pictures = 0;
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    const loop = () => {
      requestAnimationFrame(loop);
      this.tick();
    };
    loop();
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.host;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.particles.uniforms.uPixels.value = this.renderer.getDrawingBufferSize(new Vector2()).y;
    this.draw();
  }

  setPixelRatio(ratio) {
    if (this.pixelRatio === ratio) return;
    this.pixelRatio = ratio;
    this.renderer.setPixelRatio(ratio);
    if (this.particles) this.particles.uniforms.uPixels.value = this.renderer.getDrawingBufferSize(new Vector2()).y;
  }

  // --- what is shown

  setRun(run, looks) {
    this.run = run;
    this.bounds = { low: [...run.bounds.low], high: [...run.bounds.high] };
    this.lightBounds();
    for (let m = 0; m < maxMaterials; ++m) {
      const look = looks[Math.min(m, looks.length - 1)];
      if (!look) continue;
      shared.uColors.value[m].copy(linear(look.color));
      shared.uSurfaces.value[m].set(look.gloss, look.scatter, look.hidden ? 0 : 1);
    }
    for (const solid of this.colliders) {
      this.solids.remove(solid.object);
      solid.dispose();
    }
    this.colliders = run.colliders.map((collider) => this.makeSolid(collider));
    this.home();
    this.draw(true);
  }

  lightBounds() {
    const low = new Vector3(...this.bounds.low);
    const high = new Vector3(...this.bounds.high);
    this.middle = low.clone().add(high).multiplyScalar(0.5);
    this.size = Math.max(high.distanceTo(low), 1e-6);
    this.lamp.aim(this.middle, 0.75 * this.size);
  }

  // A run in progress may leave the bounds that were known when it was opened.
  growBounds({ low, high }) {
    const grown = {
      low: low.map((v, a) => Math.min(v, this.bounds.low[a])),
      high: high.map((v, a) => Math.max(v, this.bounds.high[a])),
    };
    const beyond = [0, 1, 2].some((a) => grown.low[a] < this.bounds.low[a] || grown.high[a] > this.bounds.high[a]);
    if (!beyond) return;
    this.bounds = grown;
    this.lightBounds();
  }

  makeSolid(collider) {
    const look = colliderLook(collider);
    const own = collider.plane && collider.look === "plain" && !collider.color ? floorColor : look.color;
    const color = linear(own);
    const solid = collider.plane
      ? new Floor(collider.plane, color, this.middle, this.size)
      : new QuantisedMesh({ color, opacity: look.opacity, gloss: look.gloss, scatter: look.scatter });
    solid.shown = !look.hidden;
    solid.object.visible = solid.shown;
    const holder = new Group(); // has the collider's pose
    holder.matrixAutoUpdate = false;
    holder.add(solid.object);
    solid.holder = holder;
    this.solids.add(holder);
    return solid;
  }

  setColliderMesh(index, packet) {
    this.colliders[index]?.show(packet);
    this.draw(true);
  }

  setPoses(poses) {
    poses.forEach(({ rotation: r, translation: t, there }, k) => {
      const holder = this.colliders[k]?.holder;
      if (!holder) return;
      holder.matrix.set(r[0], r[1], r[2], t[0], r[3], r[4], r[5], t[1], r[6], r[7], r[8], t[2], 0, 0, 0, 1);
      holder.matrixWorldNeedsUpdate = true;
      holder.visible = there;
    });
    this.draw(true);
  }

  setMaterialShown(index, shown) {
    shared.uSurfaces.value[Math.min(index, maxMaterials - 1)].z = shown ? 1 : 0;
    this.cullInner();
    this.draw(true);
  }

  showParticles(packet) {
    this.growBounds(packet);
    this.particles.show(packet, this.run.cell_size);
    this.draw(true);
  }

  showSurface(packet) {
    this.surface.show(packet);
    this.draw(true);
  }

  // clip: { axis: 0 to 2, place: 0 to 1 along it, flip }, or null
  setClip(clip) {
    if (!clip) shared.uClip.value.set(0, 0, 0, 1);
    else {
      const { low, high } = this.bounds;
      const pad = 0.01 * this.size;
      const at = low[clip.axis] - pad + clip.place * (high[clip.axis] - low[clip.axis] + 2 * pad);
      const side = clip.flip ? 1 : -1;
      const plane = [0, 0, 0];
      plane[clip.axis] = side;
      shared.uClip.value.set(...plane, -side * at);
    }
    this.cullInner();
    this.draw(true);
  }

  cullInner() {
    if (this.particles.packet) this.particles.cullInner();
  }

  setMark(position, radius) {
    this.mark.visible = position !== null;
    if (position) {
      this.mark.position.set(...position);
      this.markRadius = radius;
    }
    this.draw();
  }

  home() {
    const { eye, target, angle } = this.run.camera;
    this.camera.fov = (angle * 180) / Math.PI;
    this.camera.position.set(...eye);
    this.controls.target.set(...target);
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = 0.01 * Math.min(distance, this.size);
    this.camera.far = 20 * (distance + this.size);
    this.controls.maxDistance = 12 * (distance + this.size);
    this.controls.minDistance = 0.02 * this.size;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.draw();
  }

  // --- drawing

  moved() {
    this.lastMove = performance.now();
    this.needed = true;
  }

  draw(lamp = false) {
    this.needed = true;
    this.shadowMapNeeded ||= lamp;
  }

  tick() {
    const now = performance.now();
    this.controls.update();
    const moving = now - this.lastMove < 250;
    const count = this.particles.seen;
    // on slow machines, draw a coarser image while the camera moves and a full one when it rests
    if (!this.needed && this.coarse && !moving) this.needed = true;
    if (!this.needed) return;
    this.needed = false;
    const full = Math.min(1, maxDrawn / Math.max(count, 1));
    const fraction = moving && count > 30000 ? Math.min(this.movingFraction, full) : full;
    if (this.shadowMapNeeded) {
      this.shadowMapNeeded = false;
      this.scene.updateMatrixWorld();
      this.lamp.draw(this.renderer, { particles: this.particles, meshes: [this.surface, ...this.colliders] });
    }
    this.setPixelRatio(moving && this.slow ? movePixelRatio : restPixelRatio);
    this.chooseQuality();
    this.coarse = fraction < full || this.pixelRatio < restPixelRatio;
    this.drawn = this.particles.setDrawnFraction(fraction);
    if (this.mark.visible) this.placeMark();
    this.renderer.render(this.scene, this.camera);
    ++this.pictures;
    if (moving) this.adapt(now - this.lastPicture);
    this.lastPicture = now;
  }

  // large spheres write exact depths, so that they intersect each other correctly
  chooseQuality() {
    const radius = this.particles.uniforms.uRadii.value[0];
    const distance = this.camera.position.distanceTo(this.controls.target);
    const pixels = (this.particles.uniforms.uPixels.value * radius) / (distance * Math.tan((this.camera.fov * Math.PI) / 360));
    this.particles.object.material = this.particles.materials[pixels > 5 && this.particles.seen < maxExact ? "exact" : "quick"];
  }

  adapt(interval) {
    if (interval > 2000) return; // idle before
    this.slow ||= interval > slowInterval;
    if (interval > slowInterval) this.movingFraction = Math.max(this.movingFraction / 2, Math.min(1, minDrawn / Math.max(this.particles.seen, 1)));
    else if (interval < fastInterval) this.movingFraction = Math.min(this.movingFraction * 1.25, 1);
  }

  placeMark() {
    const distance = this.camera.position.distanceTo(this.mark.position);
    const least = 0.012 * distance * Math.tan((this.camera.fov * Math.PI) / 360) * 2;
    this.mark.scale.setScalar(Math.max(1.5 * this.markRadius, least));
    this.mark.quaternion.copy(this.camera.quaternion);
  }

  // The index of the particle under a pixel of the canvas; -1: none.
  pick(x, y) {
    if (!this.particles.object.visible || this.particles.count === 0) return -1;
    const { clientWidth: w, clientHeight: h } = this.host;
    const half = (pickWindow - 1) / 2;
    this.camera.setViewOffset(w, h, Math.floor(x) - half, Math.floor(y) - half, pickWindow, pickWindow);
    const pixels = this.particles.uniforms.uPixels.value;
    const material = this.particles.object.material;
    this.particles.uniforms.uPixels.value = pickWindow;
    this.particles.object.material = this.particles.materials.pick;
    this.particles.setDrawnFraction(1);
    const only = new Scene();
    only.add(this.particles.object);
    this.renderer.setRenderTarget(this.pickTarget);
    this.renderer.setClearColor(0, 0);
    this.renderer.clear();
    this.renderer.render(only, this.camera);
    const pixel = new Uint8Array(4);
    this.renderer.readRenderTargetPixels(this.pickTarget, half, half, 1, 1, pixel);
    this.renderer.setRenderTarget(null);
    this.scene.add(this.particles.object);
    this.particles.object.material = material;
    this.particles.uniforms.uPixels.value = pixels;
    this.camera.clearViewOffset();
    this.draw();
    const slot = (pixel[0] | (pixel[1] << 8) | (pixel[2] << 16) | (pixel[3] << 24)) - 1;
    return slot < 0 ? -1 : this.particles.indexOf(slot);
  }

  picture() {
    this.renderer.render(this.scene, this.camera);
    return this.renderer.domElement.toDataURL("image/png");
  }
}
