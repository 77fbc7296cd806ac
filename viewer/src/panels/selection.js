// The panel of the selected particle and its values.
import { button, element, section } from "../dom.js";
import { short } from "../format.js";
import { withUnit } from "../units.js";

export function makeSelectionPanel(store) {
  const body = element("div", { testid: "selection" });
  store.on(["picked", "run"], ({ picked, run }) => {
    if (!picked) {
      body.replaceChildren(element("p.dim", {}, "Click a particle to see its values."));
      return;
    }
    const rows = [
      ["id", picked.id],
      ["material", run?.materials[picked.material]?.name ?? picked.material],
      ["position", withUnit(picked.position.map((v) => short(v, 4)).join("  "), "position")],
      ...Object.entries(picked.values).map(([name, value]) => [name, withUnit(short(value, 5), name)]),
    ];
    const table = element("table", {});
    for (const [name, value] of rows)
      table.append(element("tr", {}, element("th", {}, name), element("td", { testid: `picked-${name}` }, String(value))));
    body.replaceChildren(
      element("div.row", {}, element("b", {}, picked.gone ? `particle ${picked.id} is not in this frame` : `particle ${picked.id}`),
        button("close", "let go (Esc)", () => store.set({ picked: null }))),
      table);
  });
  return section("Particle", body);
}
