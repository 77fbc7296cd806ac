// Helpers that create elements of the page.

// element("div.row", { title: "…", onclick: f, testid: "x" }, child, "text", …)
export function element(kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name === "testid") made.dataset.testid = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && name !== "list" && name !== "style") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// SVG paths of the icons, in a 24 x 24 view box
const paths = {
  play: "M7 4.5v15l13-7.5z",
  pause: "M6 4.5h4v15H6zM14 4.5h4v15h-4z",
  first: "M5 5h2.5v14H5zM20 5v14L9 12z",
  last: "M16.500 5H19v14h-2.500zM4 5l11 7-11 7z",
  previous: "M17 5v14L6 12z",
  next: "M7 5l11 7-11 7z",
  step: "M4 5l10 7-10 7zM16 5h3v14h-3z",
  stop: "M6 6h12v12H6z",
  save: "M5 4h11l3 3v13H5zM8 4v5h7V4zM8 13h8v7H8z",
  loop: "M7 7h9V4l5 4.500-5 4.500v-3H7a3 3 0 0 0 0 6h2v3H7A6 6 0 0 1 7 7z",
  help: "M11 17h2v2h-2zM12 5a4 4 0 0 0-4 4h2a2 2 0 1 1 3.200 1.600C12 11.500 11 12.300 11 15h2c0-2 .8-2.300 1.900-3.300A4 4 0 0 0 12 5z",
  home: "M12 4l8 7h-2.500v8H14v-5h-4v5H6.500v-8H4z",
  camera: "M4 7h4l1.500-2h5L16 7h4v12H4zM12 9a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
  close: "M6.400 5L12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z",
  panel: "M4 5h16v14H4zM6 7v10h7V7z",
};

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", paths[name]);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

export const button = (name, title, onclick, testid) =>
  element("button.icon", { title, onclick, testid, type: "button", ariaLabel: title }, icon(name));

export function setIcon(target, name) {
  target.replaceChildren(icon(name));
}

// A collapsible section of the side panel.
export function section(title, ...children) {
  return element("details.section", { open: true }, element("summary", {}, title), element("div.body", {}, ...children));
}

export function checkbox(label, checked, change, testid) {
  const input = element("input", { type: "checkbox", checked, testid, onchange: () => change(input.checked) });
  const row = element("label.check", {}, input, element("span", {}, label));
  row.input = input;
  return row;
}
