// Follows the pages of infbench serve in Chromium while a real sweep runs, is killed and
// resumes, and while its folder is moved. PATH is the program.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { accessible, browser, charts, check, foreign, narrow, picture, settled, subject, unfold } from './browser.mjs';

// An experiment of three losses, one of which must fail, and two baselines. Its cells take
// long enough to be seen running.
const experiment = `name: live
base:
  data: mini-infir
  world: 1
  backbone: tiny-bert
  seed: 1
  train: {epochs: 3, rows_per_group: 12, groups: 2, lr: 5e-3, warmup: 0.05, instruction_negatives: {divisor: 4}}
matrix:
  loss: [uni(P), "uni(P,I)", "multi(P,I)"]
include:
  - {loss: uni(IQ), train: {epochs: 3, rows_per_group: 12, groups: 2, lr: 1e30, warmup: 0.05, instruction_negatives: {divisor: 4}}}
baselines: [untrained, bm25]
evaluate: [mini-followir]
`;

const children = [];

// start runs the program and keeps its output.
function start(cwd, ...args) {
  const child = spawn(subject, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  child.said = '';
  for (const out of [child.stdout, child.stderr]) out.on('data', (text) => { child.said += text; });
  child.over = once(child, 'exit');
  children.push(child);
  return child;
}

// within waits until a test is true; it returns false if that takes too long.
async function within(seconds, test) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise((go) => setTimeout(go, 200))) {
    if (await test()) return true;
  }
  return false;
}

// comes reports whether something is shown, on a page that may still be loading.
const comes = (locator) => locator.waitFor().then(() => true, () => false);

// visit opens an address and watches the messages and requests of the page.
async function visit(name, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  context.setDefaultTimeout(120_000); // longer than a slow machine needs
  const page = await context.newPage();
  const said = [];
  page.on('console', (m) => { if (!m.text().includes('willReadFrequently')) said.push(`${m.type()}: ${m.text()}`); }); // caused by this check, which reads the charts twice
  page.on('pageerror', (e) => said.push(`error: ${e.message}`));
  page.on('dialog', (d) => { said.push(`dialog: ${d.message()}`); d.dismiss(); });
  const origin = new URL(address).origin;
  page.on('request', (r) => { if (!r.url().startsWith(`${origin}/`) && !r.url().startsWith('data:')) said.push(`asked for ${r.url()}`); });
  await page.goto(address, { waitUntil: 'load' });
  await settled(page);
  const close = async () => {
    check(said.length === 0, `${name}: console is clean, and nothing is asked of elsewhere ${said.slice(0, 3).join(' | ')}`);
    await context.close();
  };
  return { page, close };
}

const states = (page) => page.locator('.shares').first().innerText().catch(() => '');
const points = (page) => page.evaluate(() => {
  const text = document.getElementById('charts')?.textContent;
  return text ? (JSON.parse(text)['curve-loss']?.option.series ?? []).reduce((n, s) => n + s.data.length, 0) : 0;
});
// ranked counts the systems of the board that have numbers.
const ranked = (page) => page.locator('[data-part=board] [id$=-leaderboard] tbody tr').evaluateAll((rows) => rows.filter((row) => row.querySelector('td[data-sort]')).length);

// view returns the view of the board, and the address, which has the view that was changed last.
const view = (page) => page.locator('[data-part=board] [id$=-leaderboard]').first().evaluate((table) => JSON.stringify([
  table.querySelector('[aria-sort]')?.textContent, table.querySelector('[aria-sort]')?.ariaSort,
  [...table.tHead.querySelectorAll('th[data-column]')].filter((th) => th.hidden).map((th) => th.textContent),
  table.closest('.scroll').previousElementSibling.querySelector('input').value, location.hash,
]));

// choose sorts all tables, changes the view of the board and returns it.
async function choose(page) {
  await page.locator('[data-part=board] [id$=-leaderboard]').first().evaluate((table) => {
    for (const other of document.querySelectorAll('table.sortable')) other.querySelector('.sort').click();
    const search = table.closest('.scroll').previousElementSibling.querySelector('input');
    search.value = 'p';
    search.dispatchEvent(new Event('input', { bubbles: true }));
    tableColumns.show(table, tableColumns.of(table)[1], false);
  });
  return view(page);
}

// anchored checks that every heading with a name has a link to its place.
async function anchored(page, name) {
  const { titles, links, lost } = await page.evaluate(() => {
    const all = [...document.querySelectorAll('.anchor')].map((a) => a.hash);
    return { titles: document.querySelectorAll('main :is(h2, h3, h4)[id$="-title"]').length, links: all.length, lost: all.filter((hash) => !document.getElementById(hash.slice(1))) };
  });
  check(links === titles && lost.length === 0, `${name}: ${links} of ${titles} headings have a link to themselves ${lost.join(' ')}`);
}

// following watches one page from the start of a sweep to its end, without reloading.
async function following(home, address, sweep) {
  const { page, close } = await visit('following', `${address}runs/live/`);
  const same = await page.evaluate(() => { window.since = performance.timeOrigin; return window.since; });
  check(await within(900, async () => (await states(page)).includes('running')), `following: a cell runs ${sweep.said.slice(-300)}`);
  check(await within(900, async () => (await points(page)) > 5), 'following: its curve is drawn');
  const few = await points(page);
  check(await within(900, async () => (await points(page)) > few + 5), `following: its curve grows (from ${few} to ${await points(page)} points)`);
  await charts(page, 'following');
  await page.screenshot({ path: picture('running.png'), fullPage: true });

  process.kill(-sweep.pid, 'SIGKILL');
  await sweep.over;
  check(await within(300, async () => !/running/.test(await states(page)) && /stopped at|abandoned/.test(await page.locator('#cells-table').innerText())),
    `following: the sweep is killed, and the page says so (${(await states(page)).replaceAll('\n', ' ')})`);
  const begun = /done/.test(await states(page)) || /no cell is done yet/i.test(await page.locator('[data-part=board]').innerText());
  check(begun, 'following: a board that no cell is done for yet says so');
  await page.screenshot({ path: picture('killed.png'), fullPage: true });

  sweep = start(home, 'sweep', 'live.yaml', '--workers', '1');
  check(await within(900, async () => (await states(page)).includes('running')), `following: it goes on ${sweep.said.slice(-300)}`);
  check(await within(300, async () => (await page.locator('#cells-table tbody tr').count()) === 6 && (await page.locator('#cells-table').innerText()).includes('loss')), 'following: six cells are listed, with how far they are');
  check(await within(900, async () => /done\s+[2-9]/.test(await states(page))), 'following: cells are done');
  check(await within(900, async () => (await ranked(page)) >= 1), 'following: the board begins');
  const early = await ranked(page);
  check(await page.locator('[data-part=board] .unfinished').innerText().then((t) => t.includes('of 6 cells are done')), 'following: the board is marked unfinished');
  await page.screenshot({ path: picture('filling.png'), fullPage: true });
  const chosen = await choose(page);
  await sweep.over;
  check(await within(900, async () => /done\s+5/.test(await states(page)) && /failed\s+1/.test(await states(page))), `following: all but one are done (${(await states(page)).replaceAll('\n', ' ')})`);
  check(await within(900, async () => (await ranked(page)) === 5), `following: the board filled (from ${early} to ${await ranked(page)} rows)`);
  check((await view(page)) === chosen, `following: order, search and columns survive updates (${chosen}, then ${await view(page)})`);
  await page.locator('[data-part=board] .filter input').first().fill('');
  check((await page.evaluate(() => window.since)) === same, 'following: the page was never loaded again');
  await charts(page, 'following, done');
  await anchored(page, 'following, done');
  await page.locator('[data-part=curves] h4 > button.take').first().click();
  const items = await page.locator('.take:popover-open > button').allTextContents();
  check(items.length > 0 && !items.some((item) => item.startsWith('Save')), `following: an empty drawing is not offered (${items.join(', ')})`);
  await page.keyboard.press('Escape');

  await rename(join(home, 'runs/live'), join(home, 'runs/moved'));
  check(await within(300, () => page.locator('[data-part=head] .fault').isVisible()), 'following: the folder is moved, and the page says so');
  check((await ranked(page)) === 5, 'following: what was there stays');
  await rename(join(home, 'runs/moved'), join(home, 'runs/live'));
  check(await within(300, async () => (await page.locator('[data-part=head] .fault').count()) === 0), 'following: it is back');

  // A reader's filter, sorting and unfolded parts survive an update.
  await page.locator('#filter input').fill('uni(P)');
  check(await within(120, async () => (await page.locator('#cells-table tbody tr').count()) === 1), 'following: the filter leaves one cell');
  await page.locator('#filter input').fill('');
  check(await within(120, async () => (await page.locator('#cells-table tbody tr').count()) === 6), 'following: and lets all through again');
  await close();
}

// finding watches the page of all runs: it shows new runs, and leads to the only one.
async function finding(home, run) {
  await mkdir(join(home, 'empty'));
  const child = start(join(home, 'empty'), 'serve', '--listen', 'localhost:0');
  const address = await served(child);
  const { page, close } = await visit('finding', address);
  check(await page.locator('.runs').innerText().then((t) => t.includes('no run folder yet')), 'finding: that there is no run is said');
  await cp(run, join(home, 'empty/runs/one'), { recursive: true });
  check(await within(120, () => new URL(page.url()).pathname === '/runs/one/'), 'finding: the first run that comes is shown');
  await cp(run, join(home, 'empty/runs/two'), { recursive: true });
  await page.goto(address, { waitUntil: 'load' });
  check((await page.locator('.runs h2').count()) === 2 && (await page.locator('select[name=b]').inputValue()) === 'two', 'finding: two are listed, and offered side by side');
  await cp(run, join(home, 'empty/runs/three'), { recursive: true });
  check(await within(120, async () => (await page.locator('.runs h2').count()) === 3), 'finding: a third joins them without loading the page again');
  await close();
  process.kill(child.pid, 'SIGTERM');
  await child.over;
}

// everywhere checks a page at every width, light and dark.
async function everywhere(name, address, mark) {
  for (const width of [400, 1400, 1920]) {
    for (const colorScheme of ['light', 'dark']) {
      const at = `${name}, ${width}, ${colorScheme}`;
      const { page, close } = await visit(at, address, { viewport: { width, height: 900 }, colorScheme });
      if (mark) check(await within(300, () => page.locator(mark).first().isVisible()), `${at}: it has its content`);
      await narrow(page, at);
      await anchored(page, at);
      await unfold(page);
      await settled(page);
      await accessible(page, at);
      await foreign(page, at, '^(#|\\?|(\\./|\\.\\./)*([A-Za-z0-9._/%?=&#-]*)$|data:image/|data:,$)');
      await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = false; }));
      await page.screenshot({ path: picture(`${name}-${width}-${colorScheme}.png`), fullPage: true });
      await close();
    }
  }
}

// titles checks that windows of two runs of one experiment have different titles, that done cells
// show their scores, and that the differences of two runs are seen first.
async function titles(address) {
  const all = [];
  for (const path of ['', 'runs/live/', 'runs/other/', 'runs/live/board', 'compare?a=live&b=other']) {
    const { page, close } = await visit('titles', address + path);
    all.push(await page.title());
    if (path.endsWith('live/')) {
      check(await within(120, () => page.locator('#cells-table tr', { hasText: 'done' }).first().locator('.note', { hasText: 'p-MRR' }).isVisible()), 'titles: cells that are done show their scores');
    }
    if (path.startsWith('compare')) {
      const [differences, boards] = await Promise.all(['#shared', '.beside'].map((part) => page.locator(part).boundingBox()));
      check(differences.y < boards.y && differences.y < 900, 'titles: the differences of two runs come first');
    }
    await close();
  }
  check(new Set(all).size === all.length, `titles: each window has its own: ${all.join(', ')}`);
}

// served waits for the address that a server prints, and returns it.
async function served(child) {
  await within(120, () => /http:\S+/.test(child.said));
  return child.said.match(/http:\S+/)?.[0];
}

export async function serve() {
  const home = await mkdtemp(join(tmpdir(), 'infbench-serve-'));
  try {
    await writeFile(join(home, 'live.yaml'), experiment);
    const unknown = start(home, 'serve', 'runs/live');
    const [refused] = await unknown.over;
    check(refused === 2 && unknown.said.includes('is not a run folder'), 'a folder that is not there is refused');
    const sweep = start(home, 'sweep', 'live.yaml', '--workers', '1');
    check(await within(300, () => existsSync(join(home, 'runs/live/plan.json'))), `the sweep begins ${sweep.said.slice(-300)}`);
    const first = start(home, 'serve', 'runs/live', '--listen', 'localhost:0');
    await following(home, await served(first), sweep);
    process.kill(first.pid, 'SIGTERM');
    await first.over;

    await finding(home, join(home, 'runs/live'));
    await cp(join(home, 'runs/live'), join(home, 'runs/other'), { recursive: true });
    const child = start(home, 'serve', '--listen', 'localhost:0');
    const address = await served(child);
    const names = await readdir(join(home, 'runs'));
    check(names.includes('live') && names.includes('other'), 'two run folders are there');
    await everywhere('first', address, '.runs .bar');
    await everywhere('run', `${address}runs/live/`, '[id$=-leaderboard]');
    await everywhere('report', `${address}runs/live/board`, '[id$=-leaderboard]');
    await everywhere('compare', `${address}compare?a=live&b=other`, '#shared');
    await titles(address);
    await everywhere('queries', `${address}runs/live/query`, '#queries-table');

    {
      const { page, close } = await visit('query', `${address}runs/live/query?q=only`);
      check((await page.locator('#queries-table tbody tr').count()) > 0, 'query: queries with a word are listed');
      await page.locator('#queries-table tbody a').first().click();
      check(await comes(page.locator('#documents')), 'query: one shows how its documents moved');
      const one = page.url();
      await close();
      await everywhere('query', one, '#documents');
    }
    const { page, close } = await visit('failed', `${address}runs/live/?state=failed`);
    await page.locator('#cells-table tbody a').click();
    check(await comes(page.locator('pre.log').first()), 'failed: a cell that failed shows its first error');
    const failed = page.url();
    await close();
    await everywhere('failed', failed, 'pre.log');
    {
      const { page: still, close: done } = await visit('no-script', `${address}runs/live/`, { javaScriptEnabled: false });
      check((await still.locator('#cells-table tbody tr').count()) === 6 && (await still.locator('img.static').count()) > 2 && (await still.locator('[id$=-leaderboard]').count()) > 0, 'no-script: cells, drawings and the board are there');
      await done();
    }
    const { page: last } = await visit('ends', `${address}runs/live/`);
    const began = Date.now();
    process.kill(child.pid, 'SIGTERM');
    const [code] = await child.over;
    check(code === 0 && Date.now() - began < 20_000, `ends: SIGTERM with an open page, exit ${code} after ${Date.now() - began} ms`);
    check(await within(120, () => last.locator('#connection.fault').isVisible()), 'ends: the page says that the connection is lost');
  } finally {
    for (const child of children) {
      try { process.kill(-child.pid, 'SIGKILL'); } catch { /* it has ended */ }
    }
    await rm(home, { recursive: true, force: true });
  }
}
