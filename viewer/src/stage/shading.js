// Light and shadow, the same for particles, surfaces and solids.
import { DataTexture, Matrix4, RGBAFormat, SRGBColorSpace, UnsignedByteType, Vector3, Vector4 } from "three";

export const mostMaterials = 16; // further ones look like the last

const filled = (value) => Array.from({ length: mostMaterials }, value);

// Uniforms that all materials of the stage share, so that one change reaches all.
export const shared = {
  uLight: { value: new Vector3(0.45, 0.8, 0.4).normalize() }, // towards the lamp
  uShadowMap: { value: null },
  uShadowMatrix: { value: new Matrix4() },
  uShadowTexel: { value: 1 / 1024 },
  uClip: { value: new Vector4(0, 0, 0, 1) }, // kept where dot(xyz, x) + w > 0
  uByValue: { value: 0 }, // 1: colours come from values
  uRange: { value: new Vector3(0, 1, 0) }, // of the values: low and high as shown
  uColormap: { value: new DataTexture(new Uint8Array(4), 1, 1) },
  uColors: { value: filled(() => new Vector3(0.8, 0.8, 0.8)) },
  uSurfaces: { value: filled(() => new Vector3(0.1, 0.5, 1)) }, // gloss, scatter, shown
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

// Graphics without a graphics card: everything must be cheap.
export const software = isSoftware();

function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const names = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = names ? gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

const looks = software ? 4 : 12; // into the lamp's map, for one point

const lampCommon = /* glsl */ `
  uniform vec3 uLight;
  uniform sampler2D uShadowMap;
  uniform mat4 uShadowMatrix;
  uniform float uShadowTexel;

  // share of the lamp's light that arrives; the looks into its map are turned by a number
  float lampLight(vec3 x, vec3 n, float turn) {
    vec4 p = uShadowMatrix * vec4(x, 1.0);
    if (any(lessThan(p.xy, vec2(0.001))) || any(greaterThan(p.xy, vec2(0.999))) || p.z > 1.0) return 1.0;
    float bias = 0.0025 + 0.006 * (1.0 - max(dot(n, uLight), 0.0));
    mat2 spin = mat2(cos(turn), sin(turn), -sin(turn), cos(turn));
    float light = 0.0;
    for (int k = 0; k < ${looks}; ++k) {
      float a = 2.39996 * float(k), r = sqrt((float(k) + 0.5) / ${looks}.0);
      vec2 at = p.xy + spin * vec2(cos(a), sin(a)) * r * 3.5 * uShadowTexel;
      light += step(p.z - bias, texture2D(uShadowMap, at).r);
    }
    return light / ${looks}.0;
  }
`;

export const vertexCommon = /* glsl */ `
  ${lampCommon}
  uniform vec3 uColors[${mostMaterials}];
  uniform vec3 uSurfaces[${mostMaterials}];
  uniform vec4 uClip;
  uniform vec3 uRange;
  uniform float uByValue;
  uniform vec2 uValueRange;   // that the 16 bits of a value span
  int materialIndex(float m) { return int(min(m, ${mostMaterials - 1}.0) + 0.5); }
  float clipDistance(vec3 x) { return dot(uClip.xyz, x) + uClip.w; }
  // the place of a value on the colour bar
  float barPlace(float value) {
    float v = mix(uValueRange.x, uValueRange.y, value);
    return clamp((v - uRange.x) / max(uRange.y - uRange.x, 1e-30), 0.0, 1.0);
  }
`;

export const fragmentCommon = /* glsl */ `
  ${lampCommon}
  uniform sampler2D uColormap;
  uniform float uByValue;

  // a number for each pixel that differs from those of its neighbours
  float pixelTurn() { return 6.2832 * fract(52.9829 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))); }

  // what the eye gets from a point: v towards the eye, lamp the share of its light that arrives
  vec3 lit(vec3 albedo, vec3 n, vec3 v, float lamp, float gloss, float scatter) {
    float facing = dot(n, uLight), wrap = 0.45 * scatter;
    float diffuse = max((facing + wrap) / (1.0 + wrap), 0.0);
    lamp = mix(lamp, 1.0, 0.25 * scatter);                   // light that went through
    vec3 sky = mix(vec3(0.17, 0.16, 0.17), vec3(0.34, 0.41, 0.54), 0.5 + 0.5 * n.y);
    vec3 color = albedo * (sky + vec3(1.06, 0.98, 0.87) * diffuse * lamp);
    vec3 h = normalize(uLight + v);
    float edge = pow(1.0 - max(dot(n, v), 0.0), 4.0);
    float sharp = mix(12.0, 140.0, gloss);
    color += gloss * (0.15 + 0.5 * gloss) * pow(max(dot(n, h), 0.0), sharp) * lamp * vec3(1.0, 0.97, 0.92);
    color += (0.05 + 0.35 * gloss) * edge * vec3(0.45, 0.55, 0.72);
    return color;
  }

  // bright light is drawn together, so that white foam keeps its form
  vec3 developed(vec3 color) {
    vec3 c = color * 0.86;
    c = c * (1.0 + c / 3.2) / (1.0 + c * 0.86);
    return mix(12.92 * c, 1.055 * pow(max(c, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
  }

  // colours of values are those of the colour bar, darker where it is dark
  vec3 shaded(vec3 albedo, vec3 n, vec3 v, float lamp, float gloss, float scatter) {
    if (uByValue < 0.5) return developed(lit(albedo, n, v, lamp, gloss, scatter));
    float light = 0.52 + 0.1 * n.y + 0.44 * max(dot(n, uLight), 0.0) * lamp;
    vec3 c = albedo * min(light, 1.0);
    return mix(12.92 * c, 1.055 * pow(max(c, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
  }
`;
