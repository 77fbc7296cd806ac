// The lamp's shadow map. It is redrawn when anything but the camera has moved.
import { DepthTexture, Matrix4, NearestFilter, OrthographicCamera, Scene, UnsignedIntType, WebGLRenderTarget } from "three";
import { shared, software } from "./shading.js";

const size = software ? 512 : 1024;
const maxParticles = software ? 20000 : 150000; // a subset, drawn larger, casts the same shadow

export class Lamp {
  constructor() {
    this.camera = new OrthographicCamera();
    this.scene = new Scene();
    this.scene.matrixWorldAutoUpdate = false;
    this.target = new WebGLRenderTarget(size, size, { minFilter: NearestFilter, magFilter: NearestFilter });
    this.target.depthTexture = new DepthTexture(size, size, UnsignedIntType);
    shared.uShadowMap.value = this.target.depthTexture;
    shared.uShadowTexel.value = 1 / size;
  }

  // shadows are computed within `radius` of `middle`
  aim(middle, radius) {
    const camera = this.camera;
    camera.left = camera.bottom = -radius;
    camera.right = camera.top = radius;
    camera.near = 0;
    camera.far = 4 * radius;
    camera.position.copy(middle).addScaledVector(shared.uLight.value, 2 * radius);
    camera.lookAt(middle);
    camera.updateMatrixWorld();
    camera.updateProjectionMatrix();
    const toPicture = new Matrix4().set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1);
    shared.uShadowMatrix.value.copy(toPicture).multiply(camera.projectionMatrix).multiply(camera.matrixWorldInverse);
  }

  draw(renderer, { particles, meshes }) {
    const borrowed = [];
    const borrow = (object, material) => {
      borrowed.push([object, object.parent, object.material]);
      object.material = material;
      this.scene.add(object);
    };
    for (const mesh of meshes)
      if (mesh.casts && mesh.object.visible && mesh.object.parent?.visible !== false) borrow(mesh.object, mesh.shadowMaterial);
    let pixels = 0;
    if (particles.object.visible && particles.count > 0) {
      pixels = particles.uniforms.uPixels.value;
      particles.uniforms.uPixels.value = size;
      particles.setDrawnFraction(Math.min(1, maxParticles / Math.max(particles.seen, 1)));
      borrow(particles.object, particles.materials.lamp);
    }
    const map = shared.uShadowMap.value;
    shared.uShadowMap.value = null; // it cannot be sampled while it is rendered
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(this.scene, this.camera);
    renderer.setRenderTarget(null);
    shared.uShadowMap.value = map;
    if (pixels > 0) {
      particles.uniforms.uPixels.value = pixels;
      particles.setDrawnFraction(1);
    }
    for (const [object, parent, material] of borrowed) {
      object.material = material;
      parent.add(object);
    }
  }
}
