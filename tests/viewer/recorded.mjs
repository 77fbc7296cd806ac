// A run that was made before: node recorded.mjs URL BROWSER FOLDER SERVER-PID
import assert from "node:assert/strict";
import { drive } from "./browser.mjs";

const [url, browser, folder, server] = process.argv.slice(2);

await drive(url, browser, folder, async (view, page) => {
  // it opens with the newest frame, framed
  await view.shown(6);
  assert.equal(await view.text("title"), "A drop");
  assert.match(await view.text("particles-readout"), /^[\d,]+ particles$/);
  assert.equal(await view.text("state-readout"), "recorded");
  assert.equal(await view.text("frame-readout"), "6 / 6");
  assert.ok(await view.at("orders").isHidden());
  const first = await view.pixels();
  assert.ok(first.bright > 1500, `the material is to be seen: ${first.bright} bright pixels`);
  await view.screenshot("first");

  // scrubbing
  await view.scrub(4);
  assert.equal(await view.text("frame-readout"), "4 / 6");
  assert.equal(await view.text("time-readout"), "0.06667 s");

  // colours
  await view.at("quantity").selectOption("speed");
  await page.waitForFunction(() => dollop.stage.particles.packet.quantity?.name === "speed");
  await view.drawn();
  assert.equal(await view.text("colorbar-title"), "speed [m/s]");
  assert.equal(await view.text("range-unit"), "m/s");
  const coloured = await view.pixels();
  assert.ok(coloured.coloured > 1000 && coloured.coloured > 3 * first.coloured, `${coloured.coloured} of ${first.coloured}`);
  await view.at("range-high").fill("0.5");
  await view.at("range-high").press("Enter");
  assert.equal(await view.at("auto-range").isChecked(), false);
  assert.equal(await page.evaluate(() => dollop.store.values.rangeHigh), 0.5);
  await view.screenshot("coloured");
  await page.locator("body").press("r");
  assert.notEqual(await page.evaluate(() => dollop.store.values.rangeHigh), 0.5);
  await view.at("quantity").selectOption("");

  // the clipping plane takes some of it away
  await view.drawn();
  const whole = await view.pixels();
  await view.at("clip-x").click();
  await view.drawn();
  const cut = await view.pixels();
  assert.ok(cut.bright < 0.8 * whole.bright && cut.bright > 0.1 * whole.bright, `${cut.bright} of ${whole.bright}`);
  await page.locator("body").press("x");

  // a particle, picked where it is seen
  const place = await page.evaluate(() => {
    const { stage } = dollop;
    const { positions } = stage.particles.packet.arrays;
    const { low, high } = stage.particles.packet;
    const point = stage.camera.position.clone();
    let best = null;
    for (let s = 0; s < stage.particles.count; ++s) { // the one nearest to the eye
      point.set(...[0, 1, 2].map((a) => low[a] + (positions[3 * s + a] / 65535) * (high[a] - low[a])));
      const away = point.distanceTo(stage.camera.position);
      if (best && best.away < away) continue;
      const seen = point.clone().project(stage.camera);
      best = { away, slot: s, index: stage.particles.indexOf(s), x: (0.5 + 0.5 * seen.x) * stage.host.clientWidth, y: (0.5 - 0.5 * seen.y) * stage.host.clientHeight };
    }
    return best;
  });
  await view.at("canvas").click({ position: { x: place.x, y: place.y } });
  await view.at("picked-id").waitFor();
  const picked = await page.evaluate(() => dollop.store.values.picked);
  assert.equal(picked.index, place.index);
  assert.equal(await view.text("picked-id"), String(picked.id));
  assert.match(await view.text("picked-position"), / m$/);
  assert.match(await view.text("picked-velocity.x"), / m\/s$/);
  await view.screenshot("picked");
  await view.scrub(5);
  await page.waitForFunction((y) => dollop.store.values.picked.position[1] !== y, picked.position[1]);
  assert.equal(await page.evaluate(() => dollop.store.values.picked.id), picked.id);
  await page.locator("body").press("Escape");
  assert.match(await view.text("selection"), /Click a particle/);

  // the surface
  await view.at("show-surface").check();
  await page.waitForFunction(() => dollop.stage.surface.object.geometry.index?.count > 0);
  await view.at("show-points").uncheck();
  await view.drawn();
  assert.match(await view.text("particles-readout"), /triangles$/);
  assert.ok((await view.pixels()).bright > 1000);
  await view.screenshot("surface");
  await view.at("show-points").check();
  await view.at("show-surface").uncheck();

  // plots: a mark at the frame, and a click that goes to another
  assert.equal(await view.at("plot").count(), 3);
  await view.at("add-plot").selectOption("center_of_mass.y");
  assert.equal(await view.at("plot").count(), 4);
  assert.ok(await page.locator('[data-plot="center_of_mass.y [m]"]').isVisible());
  const box = await view.at("plot").first().boundingBox();
  await view.at("plot").first().click({ position: { x: box.width / 2, y: 20 } });
  await view.shown(3);

  // keys
  await page.locator("body").press("ArrowRight");
  await view.shown(4);
  await page.locator("body").press("Home");
  await view.shown(0);
  await page.locator("body").press("?");
  assert.ok(await view.at("help").isVisible());
  await view.screenshot("help");
  await page.locator("body").press("Escape");
  assert.ok(await view.at("help").isHidden());
  await page.locator("body").press(" ");
  await page.waitForFunction(() => dollop.store.values.frame >= 3);
  await page.locator("body").press(" ");
  assert.equal(await page.evaluate(() => dollop.store.values.playing), false);

  // the eye moves with the mouse, and goes home
  const eye = () => page.evaluate(() => dollop.stage.camera.position.toArray());
  const home = await eye();
  await page.mouse.move(250, 300);
  await page.mouse.down();
  await page.mouse.move(330, 320, { steps: 4 });
  await page.mouse.up();
  assert.notDeepEqual(await eye(), home);
  await view.at("home").click();
  await page.waitForFunction((h) => dollop.stage.camera.position.toArray().every((v, k) => Math.abs(v - h[k]) < 1e-6), home);

  // the server goes
  assert.ok(await view.at("error-banner").isHidden());
  process.kill(Number(server), "SIGINT");
  await view.at("error-banner").waitFor({ state: "visible" });
  await view.screenshot("gone");
});
console.log("recorded: fine");
