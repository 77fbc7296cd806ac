// The list of keyboard shortcuts.
import { button, element } from "../dom.js";

export function makeHelp(keys, store) {
  const table = element("table", {});
  for (const { show, text } of keys) table.append(element("tr", {}, element("td", {}, ...show.split(" ").map((k) => element("kbd", {}, k))), element("td", {}, text)));
  for (const [what, text] of [["drag", "turn"], ["right drag", "move"], ["wheel", "nearer or farther"], ["click", "the values of a particle"], ["double click", "turn about this particle"]])
    table.append(element("tr", {}, element("td", {}, element("kbd", {}, what)), element("td", {}, text)));
  const box = element("div.overlay", { testid: "help", onclick: (event) => event.target === box && store.set({ help: false }) },
    element("div.card", {}, element("div.row", {}, element("h2", {}, "Keys and mouse"), button("close", "close (Esc)", () => store.set({ help: false }))), table));
  store.on(["help"], (v) => (box.hidden = !v.help));
  return box;
}
