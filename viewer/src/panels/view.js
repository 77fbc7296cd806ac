// The panels of visible objects (particles, surface, materials, colliders) and of the clipping plane.
import { checkbox, element, section } from "../dom.js";
import { colliderLook, cssColor } from "../looks.js";

export function makeViewPanel(store, stage) {
  const points = checkbox("Particles", true, (on) => store.set({ showPoints: on }), "show-points");
  const surface = checkbox("Surface", false, (on) => store.set({ showSurface: on }), "show-surface");
  const solids = checkbox("Colliders", true, (on) => store.set({ showColliders: on }), "show-colliders");
  const size = element("input", {
    type: "range", min: 0.2, max: 3, step: 0.05, testid: "point-size", ariaLabel: "size of the particles",
    oninput: () => store.set({ pointSize: Number(size.value) }),
  });
  const list = element("div.stack.list", {});
  const row = (swatch, name, shown, change, testid) => {
    const made = checkbox(name, shown, change, testid);
    made.insertBefore(element("i.swatch", { style: `background:${swatch}` }), made.lastChild);
    return made;
  };
  store.on(["run"], ({ run, looks }) => {
    list.replaceChildren();
    if (!run) return;
    run.materials.forEach((material, k) =>
      list.append(row(cssColor(looks[k].color), material.name, !looks[k].hidden, (on) => stage.setMaterialShown(k, on), `material-${k}`)));
    run.colliders.forEach((collider, k) =>
      list.append(row(cssColor(colliderLook(collider).color), collider.name || `collider ${k + 1}`, stage.colliders[k]?.shown ?? true, (on) => {
        stage.colliders[k].object.visible = on;
        stage.draw(true);
      }, `collider-${k}`)));
  });
  store.on(["showPoints"], (v) => (points.input.checked = v.showPoints));
  store.on(["showSurface"], (v) => (surface.input.checked = v.showSurface));
  store.on(["showColliders"], (v) => (solids.input.checked = v.showColliders));
  store.on(["pointSize"], (v) => (size.value = v.pointSize));
  return section("View",
    element("div.columns", {}, points, surface, solids),
    element("label.row", {}, element("span", {}, "Particle size"), size),
    list);
}

export function makeClipPanel(store) {
  const on = checkbox("Cut open", false, (clipOn) => store.set({ clipOn }), "clip-on");
  const axes = element("div.segmented", {});
  ["x", "y", "z"].forEach((name, axis) =>
    axes.append(element("button", { type: "button", testid: `clip-${name}`, onclick: () => store.set({ clipAxis: axis, clipOn: true }) }, name)));
  const flip = element("button", { type: "button", title: "keep the other side", testid: "clip-flip", onclick: () => store.set({ clipFlip: !store.values.clipFlip }) }, "⇄");
  axes.append(flip);
  const place = element("input", {
    type: "range", min: 0, max: 1, step: 0.002, testid: "clip-place", ariaLabel: "place of the clipping plane",
    oninput: () => store.set({ clipPlace: Number(place.value), clipOn: true }),
  });
  store.on(["clipOn", "clipAxis", "clipFlip", "clipPlace"], (v) => {
    on.input.checked = v.clipOn;
    [...axes.children].slice(0, 3).forEach((b, k) => b.classList.toggle("on", k === v.clipAxis));
    flip.classList.toggle("on", v.clipFlip);
    place.value = v.clipPlace;
  });
  return section("Clipping plane", element("div.row", {}, on, axes), place);
}
