// The folder of a static site, opened from disk.

import { access, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { everywhere } from './kinds.mjs';
import { accessible, check, foreign, narrow, open, settled, subject, unfold } from './browser.mjs';

// links looks for every file that a page leads to.
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

// look opens one page, and for some of them every mode.
async function look(path, name, modes) {
  const { page, close } = await open(name, { path });
  check((await page.locator('h1').count()) === 1, `${name}: one main heading`);
  check((await page.locator('script').count()) === 0, `${name}: no script`);
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

// inAllModes is how many pages of models are looked at in every mode.
const inAllModes = 3;

export async function site() {
  const models = (await readdir(join(subject, 'models'))).filter((f) => f.endsWith('.html')).sort();
  check(models.length > 0, `${models.length} pages of models`);
  await look('/index.html', 'index', true);
  let charts = 0;
  for (const [i, file] of models.entries()) charts += await look(`/models/${file}`, `model-${i + 1}`, i < inAllModes);
  check(charts > 0, `${charts} charts of the history in all`);
  await walk();
  await everywhere('site', { path: '/index.html' });
  await everywhere('model', { path: `/models/${models[0]}` });
}
