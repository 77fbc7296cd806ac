// Triangle meshes: the surface of the material, and colliders.
import { BufferAttribute, BufferGeometry, DoubleSide, Mesh, ShaderMaterial, Sphere, Vector2, Vector3, Vector4 } from "three";
import { fragmentCommon, shared, vertexCommon } from "./shading.js";

const vertex = /* glsl */ `
  ${vertexCommon}
  attribute vec4 packedNormal;       // with a fourth component for alignment
  attribute float material;
  attribute float value;
  uniform vec3 uLow, uHigh;
  varying vec3 vPosition, vNormal, vColor;
  varying vec2 vSurface;
  varying float vClip;
  void main() {
    int m = materialIndex(material);
    vec4 x = modelMatrix * vec4(mix(uLow, uHigh, position), 1.0);
    vPosition = x.xyz;
    vNormal = mat3(modelMatrix) * packedNormal.xyz;
    gl_Position = projectionMatrix * viewMatrix * x;
    vColor = uByValue > 0.5 ? vec3(colormapCoordinate(value), 0.0, 0.0) : uColors[m];
    vSurface = uSurfaces[m].xy;
    vClip = clipDistance(x.xyz);
    if (uSurfaces[m].z < 0.5) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  }
`;

const fragment = /* glsl */ `
  ${fragmentCommon}
  uniform vec4 uSolid;         // colour and opacity of a collider
  uniform vec2 uSolidSurface;
  varying vec3 vPosition, vNormal, vColor;
  varying vec2 vSurface;
  varying float vClip;
  void main() {
    if (vClip < 0.0) discard;
    #ifdef SHADOW_MAP
    gl_FragColor = vec4(1.0);
    #else
    vec3 n = normalize(vNormal);
    if (!gl_FrontFacing) n = -n;
    float lamp = lampVisibility(vPosition, n, pixelRotation());
    vec3 v = normalize(cameraPosition - vPosition);
    #ifdef SOLID
    vec3 color = toneMapped(lit(uSolid.rgb, n, v, lamp, uSolidSurface.x, uSolidSurface.y));
    float edge = pow(1.0 - abs(dot(n, v)), 3.0);
    float a = uSolid.a < 1.0 ? mix(uSolid.a, 0.75, edge) : 1.0;
    gl_FragColor = vec4(color * a, a);
    #else
    vec3 albedo = uByValue > 0.5 ? texture2D(uColormap, vec2((vColor.x * 255.0 + 0.5) / 256.0, 0.5)).rgb : vColor;
    // back faces, visible where the surface is clipped, are darker
    if (!gl_FrontFacing) albedo *= 0.55;
    gl_FragColor = vec4(shaded(albedo, n, v, lamp, vSurface.x, vSurface.y), 1.0);
    #endif
    #endif
  }
`;

export class QuantisedMesh {
  // `solid`: { color, opacity, gloss, scatter }, linear RGB; without it the materials' looks are used
  constructor(solid = null) {
    this.uniforms = {
      uLow: { value: new Vector3() },
      uHigh: { value: new Vector3(1, 1, 1) },
      uValueRange: { value: new Vector2(0, 1) },
      uSolid: { value: new Vector4(0, 0, 0, 0) },
      uSolidSurface: { value: new Vector2(0, 0) },
    };
    const transparent = solid !== null && solid.opacity < 1;
    const options = (defines) => ({
      uniforms: { ...shared, ...this.uniforms },
      vertexShader: vertex,
      fragmentShader: fragment,
      side: DoubleSide,
      defines,
    });
    this.material = new ShaderMaterial({
      ...options(solid ? { SOLID: 1 } : {}),
      transparent,
      premultipliedAlpha: true,
      depthWrite: !transparent,
    });
    this.shadowMaterial = new ShaderMaterial(options({ SHADOW_MAP: 1 }));
    if (solid) {
      this.uniforms.uSolid.value.set(solid.color.x, solid.color.y, solid.color.z, solid.opacity);
      this.uniforms.uSolidSurface.value.set(solid.gloss, solid.scatter);
    }
    this.casts = !transparent;
    this.object = new Mesh(new BufferGeometry(), this.material);
    this.object.frustumCulled = false;
  }

  show(packet) {
    const geometry = new BufferGeometry();
    const { positions, normals, materials, values, triangles } = packet.arrays;
    geometry.setAttribute("position", new BufferAttribute(positions, 3, true));
    geometry.setAttribute("packedNormal", new BufferAttribute(normals, 4, true));
    geometry.setAttribute("material", new BufferAttribute(materials, 1, false));
    if (values) geometry.setAttribute("value", new BufferAttribute(values, 1, true));
    geometry.setIndex(new BufferAttribute(triangles, 1));
    geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
    this.object.geometry.dispose();
    this.object.geometry = geometry;
    this.uniforms.uLow.value.set(...packet.low);
    this.uniforms.uHigh.value.set(...packet.high);
    if (packet.quantity) this.uniforms.uValueRange.value.set(packet.quantity.low, packet.quantity.high);
  }

  dispose() {
    this.object.geometry.dispose();
    this.material.dispose();
    this.shadowMaterial.dispose();
  }
}
