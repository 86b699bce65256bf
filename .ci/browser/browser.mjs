// Shared by all checks: the browser, pages that are opened and watched, and the checks that
// every page must pass. PLAYWRIGHT names playwright-core's index.mjs, AXE axe-core's
// axe.min.js.

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { chromium } = await import(pathToFileURL(process.env.PLAYWRIGHT));
const axe = await readFile(process.env.AXE, 'utf8');
export const [kind, subject, folder] = process.argv.slice(2);

// address is the page to check, picture the file for a screenshot.
export const address = pathToFileURL(subject).href;
export const picture = (name) => join(folder, `${kind}-${name}`);
await mkdir(folder, { recursive: true });

const failures = [];
export function check(ok, what) {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${kind}: ${what}`);
  if (!ok) failures.push(what);
}

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});

// finish closes the browser and prints the result of the checks.
export async function finish() {
  await browser.close();
  if (failures.length) {
    console.error(`${failures.length} checks failed`);
    process.exit(1);
  }
  console.log('all checks passed');
}

// open loads a page in a fresh profile and watches its messages and requests: a request
// fails unless it is for the page itself, another page of the same site, a picture inside
// the page or a file that the page offers.
export async function open(name, { path = '', hash = '', downloads = false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(120_000); // longer than a slow machine needs
  const page = await context.newPage();
  const said = [];
  const asked = [];
  page.on('console', (m) => said.push(`${m.type()}: ${m.text()}`));
  page.on('pageerror', (e) => said.push(`error: ${e.message}`));
  page.on('dialog', (d) => {
    said.push(`dialog: ${d.message()}`);
    d.dismiss();
  });
  page.on('request', (r) => {
    const url = r.url().split('#')[0];
    const follows = path !== '' && r.isNavigationRequest() && url.startsWith(`${address}/`);
    if (url !== address && !follows && !url.startsWith('data:') && !(downloads && url.startsWith('blob:'))) asked.push(url);
  });
  page.on('popup', (p) => asked.push(`popup ${p.url()}`));
  await page.goto(address + path + hash, { waitUntil: 'load' });
  await settled(page);
  const close = async (photographed = true) => {
    if (photographed) await photograph(page, picture(`${name}.png`));
    check(said.length === 0, `${name}: console is clean ${said.slice(0, 3).join(' | ')}`);
    check(asked.length === 0, `${name}: no request left the page ${asked.slice(0, 3).join(' ')}`);
    await context.close();
  };
  return { page, close };
}

// settled waits until the browser has painted the last change.
export const settled = (page) => page.waitForTimeout(300);

// photograph takes the complete page in a window of the page's height: charts follow the size
// of the window, and Playwright's own full-page mode catches them while they change.
async function photograph(page, path) {
  const { width } = page.viewportSize();
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.min(height, 16000) });
  await settled(page);
  await page.screenshot({ path });
}

// scrolls returns by how many pixels the page is wider than the window.
const scrolls = (page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

export async function narrow(page, name) {
  const wide = await scrolls(page);
  check(wide <= 0, `${name}: no horizontal page scroll (${wide} px)`);
}

// foreign looks for signs of injected texts: event handlers, addresses other than the wanted
// ones and those of the glossary (papers, tools, data), characters that reverse the direction of
// text.
export async function foreign(page, name, wanted) {
  const found = await page.evaluate((wanted) => {
    const out = [];
    const source = /^https:\/\/(arxiv\.org|doi\.org|github\.com|huggingface\.co)\/[\w./-]+$/;
    for (const e of document.querySelectorAll('*')) {
      for (const a of e.attributes) {
        if (e.matches('#glossary a[rel=noreferrer]') && a.name === 'href' && source.test(a.value)) continue;
        const address = ['href', 'src', 'action', 'formaction', 'srcdoc', 'xlink:href'].includes(a.name);
        if (a.name.startsWith('on') || (address && !new RegExp(wanted).test(a.value))) out.push(`${e.tagName} ${a.name}=${a.value.slice(0, 40)}`);
      }
    }
    if (/[\u202a-\u202e\u2066-\u2069\u001b\u0007]/.test(document.body.innerText)) out.push('a control character in the text');
    return out;
  }, wanted);
  check(found.length === 0, `${name}: no handler, no foreign address, no control character ${found.slice(0, 3).join('; ')}`);
}

// unfold opens all folded parts.
export const unfold = (page) => page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));

// charts checks that every chart shows something: a picture that loaded, or a
// canvas of several colours.
export async function charts(page, name) {
  const { count, blank } = await page.evaluate(() => {
    const blank = [];
    const all = [...document.querySelectorAll('.drawing')];
    for (const place of all) {
      const name = place.closest('figure').id;
      const canvas = place.querySelector('canvas');
      if (!canvas) {
        const picture = place.querySelector('img');
        if (!picture.complete || picture.naturalWidth === 0) blank.push(name);
        continue;
      }
      const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set();
      for (let i = 0; i < pixels.length && colours.size < 4; i += 4) colours.add(pixels.slice(i, i + 4).join());
      if (colours.size < 4) blank.push(name);
    }
    return { count: all.length, blank };
  });
  check(count > 0 && blank.length === 0, `${name}: ${count} charts drew ${blank.join(' ')}`);
}

// labels returns the texts that charts draw, with their boxes and the sizes of their charts. A label
// without a place has the size 0.01.
export const labels = (charts) => charts.evaluateAll((all) => all.flatMap((place) => {
  const chart = window.echarts.getInstanceByDom(place);
  if (!chart) return [];
  const texts = chart.getZr().storage.getDisplayList(true).filter((e) => e.type === 'tspan' && !e.ignore && !e.invisible && e.style.text && (e.style.opacity ?? 1) > 0 && !/\b0\.01px/.test(e.style.font));
  return texts.map((e) => {
    const box = e.getBoundingRect().clone();
    if (e.transform) box.applyTransform(e.transform);
    return {
      chart: place.closest('figure').id, width: chart.getWidth(), height: chart.getHeight(),
      text: e.style.text, left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + Math.max(box.height, 11),
    };
  });
}));

// cross reports whether two boxes overlap by more than some pixels.
const cross = (a, b, by = 0) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > by && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > by;

// overlaps returns the pairs of labels of a chart that overlap by more than some pixels.
export const overlaps = (labels, by = 0) => labels.flatMap((a, i) => labels.slice(i + 1).filter((b) => a.chart === b.chart && cross(a, b, by)).map((b) => [a, b]));

// accessible runs axe-core, outside the page's content security policy, and fails on findings
// that axe-core calls serious or critical.
export async function accessible(page, name) {
  // The script is added as a page function, because the policy of the report would refuse it
  // as an element.
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const bad = found.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical');
  const words = bad.map((v) => `${v.id} (${v.nodes.length}: ${v.nodes[0].target.join(' ')})`);
  check(bad.length === 0, `${name}: axe-core finds nothing serious among ${found.passes.length} rules passed ${words.join('; ')}`);
}
