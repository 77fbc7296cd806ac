// Shading and shadow mapping, shared by particles, surfaces and solids.
import { DataTexture, Matrix4, RGBAFormat, SRGBColorSpace, UnsignedByteType, Vector3, Vector4 } from "three";

export const maxMaterials = 16; // further materials look like the last one

const filled = (value) => Array.from({ length: maxMaterials }, value);

// Uniforms shared by all materials of the stage.
export const shared = {
  uLight: { value: new Vector3(0.45, 0.8, 0.4).normalize() }, // direction to the lamp
  uShadowMap: { value: null },
  uShadowMatrix: { value: new Matrix4() },
  uShadowTexel: { value: 1 / 1024 },
  uClip: { value: new Vector4(0, 0, 0, 1) }, // clipping plane: keeps dot(xyz, x) + w > 0
  uByValue: { value: 0 }, // 1: coloured by values
  uRange: { value: new Vector3(0, 1, 0) }, // range of values of the colour map: low, high
  uColormap: { value: new DataTexture(new Uint8Array(4), 1, 1) },
  uColors: { value: filled(() => new Vector3(0.8, 0.8, 0.8)) },
  uSurfaces: { value: filled(() => new Vector3(0.1, 0.5, 1)) }, // gloss, scattering, visibility
};

export function setColormap(bytes) {
  shared.uColormap.value.dispose();
  const texture = new DataTexture(bytes, bytes.length / 4, 1, RGBAFormat, UnsignedByteType);
  texture.colorSpace = SRGBColorSpace;
  texture.needsUpdate = true;
  shared.uColormap.value = texture;
}

const toLinear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
export const linear = (color) => new Vector3(...color.map(toLinear));

// Whether WebGL is rendered in software: everything must be cheap then.
export const software = isSoftware();

function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const names = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = names ? gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

const shadowSamples = software ? 4 : 12; // taps of percentage-closer filtering

const shadowCommon = /* glsl */ `
  uniform vec3 uLight;
  uniform sampler2D uShadowMap;
  uniform mat4 uShadowMatrix;
  uniform float uShadowTexel;

  // fraction of the lamp that is visible, by percentage-closer filtering; the pattern of taps is rotated by an angle
  float lampVisibility(vec3 x, vec3 n, float turn) {
    vec4 p = uShadowMatrix * vec4(x, 1.0);
    if (any(lessThan(p.xy, vec2(0.001))) || any(greaterThan(p.xy, vec2(0.999))) || p.z > 1.0) return 1.0;
    float bias = 0.0025 + 0.006 * (1.0 - max(dot(n, uLight), 0.0));
    mat2 spin = mat2(cos(turn), sin(turn), -sin(turn), cos(turn));
    float light = 0.0;
    for (int k = 0; k < ${shadowSamples}; ++k) {
      float a = 2.39996 * float(k), r = sqrt((float(k) + 0.5) / ${shadowSamples}.0);
      vec2 at = p.xy + spin * vec2(cos(a), sin(a)) * r * 3.5 * uShadowTexel;
      light += step(p.z - bias, texture2D(uShadowMap, at).r);
    }
    return light / ${shadowSamples}.0;
  }
`;

export const vertexCommon = /* glsl */ `
  ${shadowCommon}
  uniform vec3 uColors[${maxMaterials}];
  uniform vec3 uSurfaces[${maxMaterials}];
  uniform vec4 uClip;
  uniform vec3 uRange;
  uniform float uByValue;
  uniform vec2 uValueRange;   // of the 16-bit values
  int materialIndex(float m) { return int(min(m, ${maxMaterials - 1}.0) + 0.5); }
  float clipDistance(vec3 x) { return dot(uClip.xyz, x) + uClip.w; }
  // the texture coordinate of a value in the colour map
  float colormapCoordinate(float value) {
    float v = mix(uValueRange.x, uValueRange.y, value);
    return clamp((v - uRange.x) / max(uRange.y - uRange.x, 1e-30), 0.0, 1.0);
  }
`;

export const fragmentCommon = /* glsl */ `
  ${shadowCommon}
  uniform sampler2D uColormap;
  uniform float uByValue;

  // interleaved gradient noise: an angle that differs between neighbouring pixels
  float pixelRotation() { return 6.2832 * fract(52.9829 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))); }

  // Blinn-Phong shading with wrapped diffuse light; v: direction to the eye, lamp: its visibility
  vec3 lit(vec3 albedo, vec3 n, vec3 v, float lamp, float gloss, float scatter) {
    float facing = dot(n, uLight), wrap = 0.45 * scatter;
    float diffuse = max((facing + wrap) / (1.0 + wrap), 0.0);
    lamp = mix(lamp, 1.0, 0.25 * scatter);                   // subsurface scattering
    vec3 sky = mix(vec3(0.17, 0.16, 0.17), vec3(0.34, 0.41, 0.54), 0.5 + 0.5 * n.y);
    vec3 color = albedo * (sky + vec3(1.06, 0.98, 0.87) * diffuse * lamp);
    vec3 h = normalize(uLight + v);
    float edge = pow(1.0 - max(dot(n, v), 0.0), 4.0);
    float sharp = mix(12.0, 140.0, gloss);
    color += gloss * (0.15 + 0.5 * gloss) * pow(max(dot(n, h), 0.0), sharp) * lamp * vec3(1.0, 0.97, 0.92);
    color += (0.05 + 0.35 * gloss) * edge * vec3(0.45, 0.55, 0.72);
    return color;
  }

  // tone mapping, so that white foam shows its form, and conversion to sRGB
  vec3 toneMapped(vec3 color) {
    vec3 c = color * 0.86;
    c = c * (1.0 + c / 3.2) / (1.0 + c * 0.86);
    return mix(12.92 * c, 1.055 * pow(max(c, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
  }

  // colours of values are those of the colour bar, times the light
  vec3 shaded(vec3 albedo, vec3 n, vec3 v, float lamp, float gloss, float scatter) {
    if (uByValue < 0.5) return toneMapped(lit(albedo, n, v, lamp, gloss, scatter));
    float light = 0.52 + 0.1 * n.y + 0.44 * max(dot(n, uLight), 0.0) * lamp;
    vec3 c = albedo * min(light, 1.0);
    return mix(12.92 * c, 1.055 * pow(max(c, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
  }
`;
