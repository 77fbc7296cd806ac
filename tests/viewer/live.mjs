// A run that goes on, paused when this begins: node live.mjs URL BROWSER FOLDER LAST-FRAME
import assert from "node:assert/strict";
import { drive } from "./browser.mjs";

const [url, browser, folder, last] = process.argv.slice(2);

await drive(url, browser, folder, async (view, page) => {
  const state = (name) => page.waitForFunction((wanted) => dollop.store.values.live.state === wanted, name);
  const frames = () => page.evaluate(() => dollop.store.values.frames.length);
  await state("paused");
  await page.waitForFunction(() => dollop.store.values.shown !== null);
  assert.ok(await view.at("orders").isVisible());
  assert.match(await view.text("progress-readout"), /^frame \d+\/\d+/);
  assert.ok(await view.at("time-left").evaluate((e) => e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right < innerWidth));
  await view.screenshot("paused");

  // one frame on, and it is followed
  const before = await frames();
  await view.at("run-step").click();
  await page.waitForFunction((n) => dollop.store.values.frames.length === n + 1, before);
  await state("paused");
  const newest = await page.evaluate(() => dollop.store.values.frames.at(-1));
  await view.shown(newest);

  // a checkpoint
  await view.at("run-save").click();
  await view.at("notice").waitFor({ state: "visible" });

  if (last === "stop") {
    await view.at("run-stop").click();
    await state("interrupted");
    assert.equal(await view.text("state-readout"), "stopped");
  } else {
    await view.at("run-pause").click();
    await state("finished");
    await page.waitForFunction((n) => dollop.store.values.frames.at(-1) === n, Number(last));
    await view.shown(Number(last)); // it was followed to its end
    assert.equal(await page.evaluate(() => dollop.store.values.metrics.frame.length), Number(last) + 1);
    assert.equal(await view.text("state-readout"), "finished");
  }
  assert.ok(await view.at("orders").isHidden());
  await view.screenshot("ended");
});
console.log("live: fine");
