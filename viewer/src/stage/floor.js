// Planes: a sheet with grid lines that fades into the background, visible from its front only.
import { Mesh, PlaneGeometry, Quaternion, ShaderMaterial, Vector3 } from "three";
import { fragmentCommon, shared } from "./shading.js";

const vertex = /* glsl */ `
  varying vec3 vPosition;
  varying vec2 vPlanePosition;
  void main() {
    vec4 x = modelMatrix * vec4(position, 1.0);
    vPosition = x.xyz;
    vPlanePosition = position.xy;
    gl_Position = projectionMatrix * viewMatrix * x;
  }
`;

const fragment = /* glsl */ `
  ${fragmentCommon}
  uniform vec3 uColor;
  uniform vec3 uNormal;
  uniform float uFadeRadius, uSpacing;
  varying vec3 vPosition;
  varying vec2 vPlanePosition;
  float lines(vec2 p) {
    vec2 width = fwidth(p), at = abs(fract(p - 0.5) - 0.5) / max(width, vec2(1e-6));
    float thin = 1.0 - smoothstep(0.25, 0.6, max(width.x, width.y));
    return (1.0 - min(min(at.x, at.y), 1.0)) * thin;
  }
  void main() {
    float fade = 1.0 - smoothstep(0.25, 1.0, length(vPlanePosition) / uFadeRadius);
    float light = lampVisibility(vPosition, uNormal, pixelRotation());
    vec3 v = normalize(cameraPosition - vPosition);
    vec3 color = uColor * (0.16 + 0.5 * max(dot(uNormal, uLight), 0.0) * light);
    color += 0.05 * pow(1.0 - max(dot(uNormal, v), 0.0), 4.0) * vec3(0.5, 0.6, 0.8);
    float grid = max(0.6 * lines(vPlanePosition / uSpacing), lines(vPlanePosition / (5.0 * uSpacing)));
    color = mix(color, color * 1.9 + vec3(0.012), 0.35 * grid);
    float a = fade * 0.95;
    gl_FragColor = vec4(toneMapped(color) * a, a);
  }
`;

// the round number that is closest to a length
function roundLength(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return [1, 2, 5, 10].map((k) => k * power).reduce((a, b) => (Math.abs(b - length) < Math.abs(a - length) ? b : a));
}

export class Floor {
  constructor(plane, color, middle, size) {
    const normal = new Vector3(...plane.normal).normalize();
    const point = new Vector3(...plane.point);
    this.uniforms = {
      uColor: { value: color },
      uNormal: { value: normal },
      uFadeRadius: { value: 3.2 * size },
      uSpacing: { value: roundLength(size / 12) },
    };
    this.material = new ShaderMaterial({
      uniforms: { ...shared, ...this.uniforms },
      vertexShader: vertex,
      fragmentShader: fragment,
      transparent: true,
      premultipliedAlpha: true,
      depthWrite: true,
      // what lies in the plane, such as the top of a stand, is drawn and not the plane
      polygonOffset: true,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 8,
    });
    const sheet = new Mesh(new PlaneGeometry(6.4 * size, 6.4 * size), this.material);
    sheet.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal));
    const centre = middle.clone().addScaledVector(normal, point.clone().sub(middle).dot(normal));
    sheet.position.copy(centre);
    sheet.renderOrder = -1;
    this.object = sheet;
    this.casts = false;
  }

  show() {}

  dispose() {
    this.object.geometry.dispose();
    this.material.dispose();
  }
}
