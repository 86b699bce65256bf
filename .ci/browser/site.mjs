// Checks the folder of a static site, opened from disk.

import { access, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { everywhere } from './kinds.mjs';
import { accessible, check, foreign, narrow, open, settled, subject, unfold } from './browser.mjs';
import { ordered } from './tables.mjs';

// links checks that every linked file exists.
async function links(page, path, name) {
  const hrefs = await page.evaluate(() => [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href')));
  const lost = [];
  for (const href of new Set(hrefs.filter((h) => !h.startsWith('#')))) {
    await access(join(subject, dirname(path), decodeURIComponent(href))).catch(() => lost.push(href));
  }
  check(lost.length === 0, `${name}: ${hrefs.length} links lead to files ${lost.slice(0, 3).join(' ')}`);
}

// drawn checks that the charts of a history have their size and their points.
async function drawn(page, name) {
  const charts = await page.evaluate(() => [...document.querySelectorAll('figure svg')].map((svg) => {
    const line = svg.querySelector('polyline');
    const points = svg.querySelectorAll('circle').length;
    return svg.getBoundingClientRect().height > 20 && points > 0 && line.points.length === points;
  }));
  check(charts.every(Boolean), `${name}: ${charts.length} charts of the history drew`);
  return charts.length;
}

// look opens one page, some pages in every mode.
async function look(path, name, modes) {
  const { page, close } = await open(name, { path });
  check((await page.locator('h1').count()) === 1, `${name}: one main heading`);
  const scripts = path === '/index.html' ? 1 : 0; // the index sorts its tables
  check((await page.locator('script').count()) === scripts, `${name}: ${scripts} scripts`);
  await links(page, path, name);
  const charts = await drawn(page, name);
  await unfold(page);
  await foreign(page, name, '^(#|[A-Za-z0-9._/-]+\\.(html|svg|jsonl)$)');
  await narrow(page, name);
  if (modes) {
    await accessible(page, name);
    await page.emulateMedia({ colorScheme: 'dark' });
    const shade = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    check(Math.max(...shade.match(/\d+/g).slice(0, 3).map(Number)) < 80, `${name}: dark (${shade})`);
    await accessible(page, `${name}, dark`);
  }
  await page.setViewportSize({ width: 400, height: 800 });
  await settled(page);
  await narrow(page, `${name}, phone`);
  await close(modes);
  return charts;
}

// Widths of windows: a phone, a laptop, a wide screen.
const widths = [400, 1400, 1920];

// fits checks a page at each width and takes a picture.
async function fits(path, name) {
  for (const width of widths) {
    const { page, close } = await open(`${name}-${width}`, { path, viewport: { width, height: 900 } });
    await narrow(page, `${name} at ${width}`);
    const lost = await page.evaluate(() => [...document.querySelectorAll('table')].filter((t) => {
      const scroll = t.closest('.scroll');
      return !scroll || (scroll.scrollWidth > scroll.clientWidth && scroll.tabIndex !== 0);
    }).length);
    check(lost === 0, `${name} at ${width}: every table that is cut off can be scrolled to by the keyboard (${lost} cannot)`);
    await accessible(page, `${name} at ${width}`);
    await close();
  }
}

// told checks the index's account of the history: steps and drifts with their commits, gate
// marks with their cause, and terms with links to their definitions.
async function told() {
  const { page, close } = await open('told', { path: '/index.html' });
  const headings = await page.locator('h2').allTextContents();
  check(headings.includes('Steps and drifts'), 'told: the index has a section of steps and drifts');
  const rows = await page.locator('section:has(> h2:text-is("Steps and drifts")) tbody tr').evaluateAll((all) => all.map((r) => [...r.children].map((c) => c.textContent)));
  check(rows.every((r) => ['step', 'drift'].includes(r[2]) && r[3] && r[6]), `told: ${rows.length} steps and drifts, each with commit and cause`);
  await page.getByRole('link', { name: 'When a change is real' }).click();
  await page.waitForURL(/\/definitions\.html$/);
  for (const word of ['real', 'undecided', 'drift', 'step', 'dropped', 'lost', 'accepted']) {
    check((await page.locator('dt', { hasText: new RegExp(`^${word}$`) }).count()) === 1, `told: ${word} is defined`);
  }
  await page.locator('.kicker a').click();
  await page.waitForURL(/\/index\.html$/);
  await close(false);
}

// sorted presses the headings of the first leaderboard: numbers from the highest, then from the
// lowest; names from A.
async function sorted() {
  const { page, close } = await open('sorted', { path: '/index.html' });
  const board = page.locator('[id$=-leaderboard]').first();
  const column = (n) => board.locator(`tbody tr > :nth-child(${n})`).evaluateAll((cells) => cells.map((c) => c.firstChild.textContent.trim().replace('\u2212', '-')));
  const heading = board.locator('th.n[data-column]').first();
  const at = Number(await heading.getAttribute('data-column')) + 1;
  const press = async () => {
    await heading.locator('button').focus();
    await page.keyboard.press('Enter');
    return (await column(at)).map(Number.parseFloat).filter((v) => !Number.isNaN(v));
  };
  const down = await press();
  check(ordered(down, -1), `sorted: from the highest (${down})`);
  const up = await press();
  check(ordered(up, 1), `sorted: from the lowest (${up})`);
  await board.getByRole('button', { name: 'system' }).click();
  const names = await column(1);
  check(names.every((v, i) => i === 0 || v.localeCompare(names[i - 1], 'en', { numeric: true }) >= 0), `sorted: names (${names})`);
  await close();
}

// walk follows links as a reader does: a model, back, the report.
async function walk() {
  const { page, close } = await open('walk', { path: '/index.html' });
  const link = page.locator('[id$=-leaderboard] tbody a').first();
  const model = await link.textContent();
  await link.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/models\//);
  check((await page.locator('h1').textContent()).startsWith(model), `walk: the page of ${model}, by the keyboard`);
  await page.locator('.kicker a').click();
  await page.waitForURL(/\/index\.html$/);
  await page.getByRole('link', { name: 'The full report' }).click();
  await page.waitForURL(/\/report\.html$/);
  check((await page.locator('#main table').count()) > 0, 'walk: back, and on to the full report');
  await close(false);
}

// inAllModes is the number of model pages that are checked in every mode.
const inAllModes = 3;

export async function site() {
  const models = (await readdir(join(subject, 'models'))).filter((f) => f.endsWith('.html')).sort();
  check(models.length > 0, `${models.length} pages of models`);
  await look('/index.html', 'index', true);
  await look('/definitions.html', 'definitions', true);
  await fits('/index.html', 'index');
  await fits('/definitions.html', 'definitions');
  await fits(`/models/${models[0]}`, 'model');
  await told();
  await sorted();
  let charts = 0;
  for (const [i, file] of models.entries()) charts += await look(`/models/${file}`, `model-${i + 1}`, i < inAllModes);
  check(charts > 0, `${charts} charts of the history in all`);
  await walk();
  await everywhere('site', { path: '/index.html' });
  await everywhere('model', { path: `/models/${models[0]}` });
}
