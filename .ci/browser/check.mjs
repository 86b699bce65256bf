// Checks an HTML report in a real browser: node check.mjs REPORT.html FOLDER
// PLAYWRIGHT names playwright-core's index.mjs. Screenshots go into FOLDER.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { chromium } = await import(pathToFileURL(process.env.PLAYWRIGHT));
const [report, folder] = process.argv.slice(2);
const address = pathToFileURL(report).href;
await mkdir(folder, { recursive: true });

const failures = [];
function check(ok, what) {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}`);
  if (!ok) failures.push(what);
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});

// open loads the report in a fresh profile and watches what it says and asks
// for: anything but the file itself and pictures inside it is a failure.
async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const said = [];
  const asked = [];
  page.on('console', (m) => said.push(`${m.type()}: ${m.text()}`));
  page.on('pageerror', (e) => said.push(`error: ${e.message}`));
  page.on('request', (r) => {
    if (r.url() !== address && !r.url().startsWith('data:')) asked.push(r.url());
  });
  await page.goto(address, { waitUntil: 'load' });
  await page.waitForTimeout(600);
  const close = async (picture = true) => {
    if (picture) await photograph(page, join(folder, `${name}.png`));
    check(said.length === 0, `${name}: console is clean ${said.slice(0, 3).join(' | ')}`);
    check(asked.length === 0, `${name}: no request left the page ${asked.slice(0, 3).join(' ')}`);
    await context.close();
  };
  return { page, close };
}

// photograph shows the whole page in a window of its height: charts follow the
// window, and Playwright's own full-page mode catches them while they do.
async function photograph(page, path) {
  const { width } = page.viewportSize();
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height });
  await page.waitForTimeout(600);
  await page.screenshot({ path });
}

// scrolls says by how much the page is wider than the window.
const scrolls = (page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

// drawings counts the charts, and names those that show nothing: a picture that
// did not load, or a canvas of a single colour.
const drawings = (page) =>
  page.evaluate(() => {
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
      for (let i = 0; i < pixels.length; i += 4) colours.add(pixels.slice(i, i + 4).join());
      if (colours.size < 4) blank.push(name);
    }
    return { count: all.length, blank };
  });

async function charts(page, name) {
  const { count, blank } = await drawings(page);
  check(count > 0 && blank.length === 0, `${name}: ${count} charts drew ${blank.join(' ')}`);
}

{
  const { page, close } = await open('light');
  await charts(page, 'light');
  check((await page.title()).length > 0, 'light: the page has a title');
  check((await page.locator('h1').count()) === 1, 'light: one main heading');
  const wide = await scrolls(page);
  check(wide <= 0, `light: no horizontal page scroll (${wide} px)`);
  await sorting(page);
  await filtering(page);
  await page.reload();
  await page.waitForTimeout(600);
  await close();
}

// sorting clicks the first column of numbers of the first leaderboard twice.
async function sorting(page) {
  const table = page.locator('table.sortable').first();
  const values = () =>
    table.evaluate((t) => {
      const column = Number(t.querySelector('th.n[data-column]').dataset.column);
      return [...t.tBodies[0].rows].map((r) => r.cells[column].dataset.sort).map((v) => (v === undefined ? null : Number(v)));
    });
  const button = table.locator('th.n[data-column] .sort').first();
  const ordered = (list, sign) => list.every((v, i) => i === 0 || v === null || (list[i - 1] !== null && sign * (v - list[i - 1]) >= 0));
  await button.click();
  check(ordered(await values(), -1), 'sorting: descending, cells without a number last');
  await button.focus();
  await page.keyboard.press('Enter');
  check(ordered(await values(), 1), 'sorting: ascending by the keyboard, cells without a number last');
  check((await table.locator('[aria-sort=ascending]').count()) === 1, 'sorting: announced to screen readers');
}

async function filtering(page) {
  const input = page.locator('.filter input').first();
  if ((await input.count()) === 0) return;
  const rows = page.locator('table.sortable').first().locator('tbody tr:visible');
  const before = await rows.count();
  await input.fill('no such system');
  check((await rows.count()) === 0, 'filter: hides what does not match');
  await input.fill('');
  check((await rows.count()) === before, 'filter: shows all again');
}

{
  const { page, close } = await open('dark', { colorScheme: 'dark' });
  await charts(page, 'dark');
  const shade = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = shade.match(/\d+/g).slice(0, 3).map(Number);
  check(Math.max(...light) < 80, `dark: the page is dark (${shade})`);
  await close();
}

{
  const { page, close } = await open('phone', { viewport: { width: 400, height: 800 } });
  await charts(page, 'phone');
  const wide = await scrolls(page);
  check(wide <= 0, `phone: no horizontal page scroll (${wide} px)`);
  await close();
}

{
  const { page, close } = await open('no-script', { javaScriptEnabled: false });
  check((await page.locator('table').first().locator('tbody tr').count()) > 0, 'no-script: the table is there');
  const pictures = page.locator('img.static');
  for (let i = 0; i < (await pictures.count()); i++) {
    if (!(await pictures.nth(i).isVisible())) check(false, `no-script: static chart ${i} is hidden`);
  }
  await close();
}

{
  const { page, close } = await open('print');
  await page.emulateMedia({ media: 'print' });
  await page.pdf({ path: join(folder, 'print.pdf'), format: 'A4', margin: { top: '15mm', bottom: '15mm', left: '15mm', right: '15mm' } });
  check(await page.locator('.live').evaluateAll((all) => all.every((e) => e.offsetParent === null)), 'print: interactive charts give way to drawings');
  await close(false);
}

await browser.close();
if (failures.length) {
  console.error(`${failures.length} checks failed`);
  process.exit(1);
}
console.log('all checks passed');
