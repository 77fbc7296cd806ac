// What the tests of the page share: a browser without a graphics card, and ways to look at the page.
import assert from "node:assert/strict";
import path from "node:path";
import { chromium } from "playwright-core";

export async function openPage(url, browserPath) {
  const browser = await chromium.launch({
    executablePath: browserPath,
    args: [
      "--no-sandbox", "--no-first-run", "--disable-quic", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
    ],
  });
  const page = await browser.newPage({ viewport: { width: 900, height: 620 } });
  page.setDefaultTimeout(180000);
  const faults = [];
  const others = []; // requests to anywhere but the server
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !request.url().startsWith("data:")) others.push(request.url());
  });
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(url);
  return { browser, page, faults, others };
}

export class View {
  constructor(page, folder) {
    this.page = page;
    this.folder = folder;
  }

  at(testid) {
    return this.page.locator(`[data-testid="${testid}"]`);
  }

  text(testid) {
    return this.at(testid).innerText();
  }

  // Waits until the frame that is wanted is on the stage, and drawn.
  async shown(frame) {
    await this.page.waitForFunction((wanted) => dollop.store.values.shown === wanted && dollop.store.values.frame === wanted, frame);
    await this.drawn();
  }

  async drawn() {
    await this.page.waitForFunction(() => !dollop.stage.needed && !dollop.stage.coarse);
  }

  async scrub(frame) {
    await this.at("timeline").evaluate((slider, value) => {
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
    }, String(frame));
    await this.shown(frame);
  }

  // Pixels of the picture that are bright, and that have a strong colour.
  async pixels() {
    return this.page.evaluate(async () => {
      const image = new Image();
      image.src = dollop.stage.picture();
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      const paint = canvas.getContext("2d");
      paint.drawImage(image, 0, 0);
      const { data } = paint.getImageData(0, 0, image.width, image.height);
      let bright = 0;
      let coloured = 0;
      for (let i = 0; i < data.length; i += 4) {
        const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
        bright += r > 150 && g > 150 && b > 130;
        coloured += Math.max(r, g) - b > 60 || g - r > 60;
      }
      return { bright, coloured };
    });
  }

  async screenshot(name) {
    await this.page.screenshot({ path: path.join(this.folder, `${name}.png`) });
  }
}

// Runs a test with a page, and always ends the browser.
export async function drive(url, browserPath, folder, body) {
  const { browser, page, faults, others } = await openPage(url, browserPath);
  try {
    const view = new View(page, folder);
    try {
      await body(view, page);
    } catch (error) {
      await view.screenshot("failed").catch(() => {});
      throw error;
    }
    assert.deepEqual(faults, [], "the page had errors");
    assert.deepEqual(others, [], "the page asked other servers");
  } finally {
    await browser.close();
  }
}
