// Particles as sphere impostors: each point sprite is shaded as a sphere.
import { BufferAttribute, BufferGeometry, Points, ShaderMaterial, Sphere, Vector2, Vector3 } from "three";
import { outerSlots } from "./outer.js";
import { fragmentCommon, maxMaterials, shared, vertexCommon } from "./shading.js";

const fewParticles = 20000; // below this number all are drawn

const vertex = /* glsl */ `
  ${vertexCommon}
  attribute float material;
  attribute float value;
  uniform vec3 uLow, uHigh;
  uniform float uRadii[${maxMaterials}];
  uniform float uScale;        // factor of the radii
  uniform float uPixels;       // height of the viewport in pixels
  uniform float uSizeFactor;        // of the radii, if only a part of the particles is drawn
  varying vec3 vCenter;        // in view space
  varying float vRadius;
  varying vec3 vColor;
  varying vec2 vSurface;
  varying float vLamp;
  #ifdef PICK
  flat varying int vSlot;
  #endif
  void main() {
    int m = materialIndex(material);
    vec3 x = mix(uLow, uHigh, position);
    vRadius = uRadii[m] * uScale * uSizeFactor;
    vec4 eye = viewMatrix * vec4(x, 1.0);
    vCenter = eye.xyz;
    gl_Position = projectionMatrix * eye;
    #ifdef SHADOW_MAP
    gl_PointSize = max(uPixels * projectionMatrix[1][1] * vRadius, 1.5);
    #else
    gl_PointSize = clamp(uPixels * projectionMatrix[1][1] * vRadius / max(-eye.z, 1e-6), 1.6, 512.0);
    #endif
    if (clipDistance(x) < 0.0 || uSurfaces[m].z < 0.5) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    vColor = uByValue > 0.5 ? vec3(colormapCoordinate(value), 0.0, 0.0) : uColors[m];
    vSurface = uSurfaces[m].xy;
    #ifdef PICK
    vSlot = gl_VertexID;
    #endif
    #if !defined(EXACT) && !defined(PICK) && !defined(SHADOW_MAP)
    vLamp = lampVisibility(x + vRadius * uLight, uLight, 100.0 * fract(91.7 * (x.x + x.y + x.z)));   // one shadow value per small sphere
    #endif
  }
`;

const fragment = /* glsl */ `
  ${fragmentCommon}
  uniform mat4 projectionMatrix;
  uniform mat4 uViewToWorld;       // view space to world space
  varying vec3 vCenter;
  varying float vRadius;
  varying vec3 vColor;
  varying vec2 vSurface;
  varying float vLamp;
  #ifdef PICK
  flat varying int vSlot;
  #endif
  void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    float r2 = dot(p, p);
    if (r2 > 1.0) discard;
    vec3 n = vec3(p.x, -p.y, sqrt(1.0 - r2));
    vec3 at = vCenter + vRadius * n;
    #if defined(EXACT) || defined(PICK)
    vec4 c = projectionMatrix * vec4(at, 1.0);
    gl_FragDepth = 0.5 + 0.5 * c.z / c.w;
    #endif
    #if defined(PICK)
    int slot = vSlot + 1;
    gl_FragColor = vec4(float(slot & 255), float(slot >> 8 & 255), float(slot >> 16 & 255), float(slot >> 24 & 255)) / 255.0;
    #elif defined(SHADOW_MAP)
    gl_FragColor = vec4(1.0);
    #else
    vec3 albedo = uByValue > 0.5 ? texture2D(uColormap, vec2((vColor.x * 255.0 + 0.5) / 256.0, 0.5)).rgb : vColor;
    vec3 normal = normalize((uViewToWorld * vec4(n, 0.0)).xyz);
    #ifdef EXACT
    float lamp = lampVisibility((uViewToWorld * vec4(at, 1.0)).xyz, normal, pixelRotation());
    #else
    float lamp = vLamp;
    #endif
    gl_FragColor = vec4(shaded(albedo, normal, normalize((uViewToWorld * vec4(-at, 0.0)).xyz), lamp, vSurface.x, vSurface.y), 1.0);
    #endif
  }
`;

function makeMaterial(own, defines) {
  return new ShaderMaterial({ uniforms: { ...shared, ...own }, vertexShader: vertex, fragmentShader: fragment, defines });
}

export class Particles {
  constructor() {
    this.uniforms = {
      uLow: { value: new Vector3() },
      uHigh: { value: new Vector3(1, 1, 1) },
      uRadii: { value: new Float32Array(maxMaterials) },
      uScale: { value: 1 },
      uPixels: { value: 1 },
      uSizeFactor: { value: 1 },
      uValueRange: { value: new Vector2(0, 1) },
    };
    this.viewToWorld = { uViewToWorld: { value: null } };
    const own = { ...this.uniforms, ...this.viewToWorld };
    this.materials = {
      quick: makeMaterial(own, {}),
      exact: makeMaterial(own, { EXACT: 1 }),
      pick: makeMaterial(own, { PICK: 1 }),
      lamp: makeMaterial(own, { SHADOW_MAP: 1 }),
    };
    this.object = new Points(new BufferGeometry(), this.materials.quick);
    this.object.frustumCulled = false;
    this.object.onBeforeRender = (renderer, scene, camera) => {
      this.viewToWorld.uViewToWorld.value = camera.matrixWorld;
      this.object.material.uniformsNeedUpdate = true;
    };
    this.count = 0; // particles of the frame
    this.seen = 0; // of these, those that are not culled
    this.packet = null;
  }

  show(packet, cellSize) {
    this.packet = packet;
    this.count = packet.count;
    const geometry = new BufferGeometry();
    const { positions, materials, values } = packet.arrays;
    geometry.setAttribute("position", new BufferAttribute(positions, 3, true));
    geometry.setAttribute("material", new BufferAttribute(materials, 1, false));
    if (values) geometry.setAttribute("value", new BufferAttribute(values, 1, true));
    geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
    this.object.geometry.dispose();
    this.object.geometry = geometry;
    const u = this.uniforms;
    u.uLow.value.set(...packet.low);
    u.uHigh.value.set(...packet.high);
    for (let m = 0; m < maxMaterials; ++m) u.uRadii.value[m] = (packet.radii[m] || 0.3 * cellSize) * 1.25;
    if (packet.quantity) u.uValueRange.value.set(packet.quantity.low, packet.quantity.high);
    this.cullInner();
  }

  // Call this again after a change of the clipping plane or of a material's visibility.
  cullInner() {
    this.seen = this.count;
    if (this.count < fewParticles) return;
    const spacing = 1.3 * Math.max(...this.packet.radii.map((r, m) => this.uniforms.uRadii.value[m]));
    const slots = outerSlots(this.packet, spacing, shared.uClip.value.toArray(), (m) => shared.uSurfaces.value[Math.min(m, maxMaterials - 1)].z > 0.5);
    this.object.geometry.setIndex(new BufferAttribute(slots, 1));
    this.seen = slots.length;
  }

  // Draws a fraction of the visible particles, enlarged to cover the same area.
  setDrawnFraction(fraction) {
    const drawn = Math.max(1, Math.ceil(this.seen * fraction));
    this.object.geometry.setDrawRange(0, drawn);
    this.uniforms.uSizeFactor.value = Math.min(Math.sqrt(this.seen / drawn), 3);
    return drawn;
  }

  // the index in the frame of the particle in a slot of the arrays
  indexOf(slot) {
    return Number((BigInt(slot) * BigInt(this.packet.stride)) % BigInt(this.count));
  }
}
