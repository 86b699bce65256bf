// Checks what readers take away from a report: copies of tables against the texts that
// infbench report writes, saved charts, cells as numbers, links to headings and views.
// TEXTS names a folder with report.tex, report.md and report.csv of the same run folder.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { accessible, check, open, picture, settled, unfold } from './browser.mjs';

const texts = {};
const permissions = ['clipboard-read', 'clipboard-write'];

// menuOf returns the button of the menu of a table, or of its figure.
const menuOf = (page, id) => page.locator(`figure:has([id="${id}"]) h4 > button.take, [id="${id}"] > caption > button.take`).first();

// choose opens a menu and presses an item.
async function choose(page, button, text) {
  await button.click();
  await page.locator('.take:popover-open > button', { hasText: text }).click();
}

// copied presses an item and returns what is then in the clipboard.
async function copied(page, id, format) {
  await choose(page, menuOf(page, id), `Copy as ${format}`);
  await page.waitForFunction((said) => document.querySelector('body > [role=status]:last-of-type')?.textContent === said, `Copied ${format}`);
  return page.evaluate(() => navigator.clipboard.readText());
}

// cells splits a text in CSV.
const cells = (text) => text.trimEnd().split('\n').map((line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, a, b]) => a?.replaceAll('""', '"') ?? b));

// copies compares the copies of every table with the files of the verb.
async function copies(page) {
  const latex = new Map([...texts.tex.matchAll(/\\begin\{table\}[\s\S]*?\\label\{tab:(.*?)\}[\s\S]*?\\end\{table\}\n/g)].map(([block, id]) => [id, block]));
  const numbers = new Set(cells(texts.csv).flat());
  const ids = await page.evaluate(() => [...document.querySelectorAll('main table.sortable')].filter((t) => t.tBodies[0].rows.length > 0).map((t) => t.id));
  const bad = { LaTeX: [], Markdown: [], CSV: [] };
  let values = 0;
  for (const id of ids) {
    if (id === 'queries-movers-table') continue; // only the page has it
    if ((await copied(page, id, 'LaTeX')) !== latex.get(id)) bad.LaTeX.push(id);
    if (!texts.md.includes(await copied(page, id, 'Markdown'))) bad.Markdown.push(id);
    const [head, ...rows] = cells(await copied(page, id, 'CSV'));
    const odd = rows.find((row) => row.length !== head.length);
    if (odd) bad.CSV.push(`${id}: ${odd}`);
    if (/-(costs-|training)/.test(id) || id === 'trials-table') continue; // records of machines are not in the verb's CSV
    for (const value of rows.flat().filter((text) => /^-?\d\.\d{6,}$/.test(text))) {
      values++;
      if (!numbers.has(value)) bad.CSV.push(`${id}: ${value}`);
    }
  }
  for (const [format, list] of Object.entries(bad)) check(list.length === 0, `take: ${ids.length} tables copy as ${format} as infbench report writes it ${list.slice(0, 3).join('; ')}`);
  check(values > 100, `take: ${values} numbers in CSV have all digits`);
}

// folded copies the numbers of a chart while they are folded.
async function folded(page) {
  const { id, rows } = await page.evaluate(() => {
    const table = [...document.querySelectorAll('figure > details:not([open]) table')].find((t) => t.closest('figure').checkVisibility());
    return { id: table.id, rows: table.tBodies[0].rows.length };
  });
  const text = await copied(page, id, 'CSV');
  check(rows > 0 && cells(text).length === rows + 1, `take: the ${rows} folded numbers of a chart copy`);
}

// charts saves every chart.
async function charts(page) {
  const figures = await page.evaluate(() => [...document.querySelectorAll('figure:has(img.static)')].map((f) => f.id));
  const bad = [];
  for (const id of figures) {
    for (const format of ['SVG', 'PNG']) {
      const [file] = await Promise.all([page.waitForEvent('download'), choose(page, page.locator(`figure[id="${id}"] h4 > button.take`), `Save as ${format}`)]);
      const data = await readFile(await file.path());
      const kind = format === 'SVG' ? data.subarray(0, 5).toString() === '<svg ' && data.includes('<title>') && !data.includes('prefers-color-scheme') && data.toString().trimEnd().endsWith('</svg>') : data.subarray(1, 4).toString() === 'PNG' && data.length > 2000;
      if (!kind || file.suggestedFilename() !== `${id}.${format.toLowerCase()}`) bad.push(`${id} ${format}`);
      if (id === figures[0]) await file.saveAs(picture(`chart.${format.toLowerCase()}`));
    }
  }
  check(figures.length > 0 && bad.length === 0, `take: ${figures.length} charts are saved as SVG and PNG ${bad.slice(0, 3).join(' ')}`);
}

// selection copies cells by the keyboard.
async function selection(page) {
  const shown = await page.evaluate(() => {
    const table = [...document.querySelectorAll('main table')].find((t) => [...t.querySelectorAll('td.n')].some((c) => c.textContent.startsWith('−')));
    const row = [...table.tBodies[0].rows].find((r) => [...r.cells].some((c) => c.textContent.startsWith('−')));
    getSelection().setBaseAndExtent(row.cells[0], 0, row.cells[row.cells.length - 1], row.cells[row.cells.length - 1].childNodes.length);
    return row.textContent;
  });
  await page.keyboard.press('Control+c');
  const text = await page.evaluate(() => navigator.clipboard.readText());
  check(/\t-\d/.test(text) && !/[−†‡↕]|rank/.test(text), `take: selected cells copy as numbers (${shown.trim()} gives ${text.replaceAll('\t', ' | ')})`);
}

// view changes a table, opens the address again, and finds the same view.
async function view(page) {
  const table = page.locator('[id$=-leaderboard]').first();
  const id = await table.getAttribute('id');
  const state = (page) => page.evaluate((id) => {
    const t = document.getElementById(id);
    return JSON.stringify([t.querySelector('[aria-sort]')?.ariaSort, t.querySelector('[aria-sort]')?.textContent, [...t.rows].filter((r) => r.checkVisibility()).map((r) => [...r.cells].filter((c) => c.checkVisibility()).map((c) => [c.textContent, c.colSpan]))]);
  }, id);
  const all = await state(page);
  await table.locator('th.n[data-column] .sort').first().click();
  await page.locator('.filter input').first().fill('uni');
  const button = menuOf(page, id);
  await button.focus();
  await page.keyboard.press('Enter');
  const boxes = page.locator('.take:popover-open input');
  await boxes.nth(1).focus();
  await page.keyboard.press('Space');
  await page.screenshot({ path: picture('menu.png') });
  await accessible(page, 'take, with an open menu');
  await page.keyboard.press('Escape');
  check(await button.evaluate((b) => b === document.activeElement), 'take: Escape closes the menu and returns to its button');
  const hash = await page.evaluate(() => location.hash);
  check(hash.startsWith(`#${id}&`) && /&down=/.test(hash) && /&without=/.test(hash) && /&rows=uni/.test(hash), `take: the address has the view (${hash})`);
  const changed = await state(page);
  check(changed !== all, 'take: the view differs');
  const again = await open('take-view', { hash, permissions });
  check((await state(again.page)) === changed, 'take: the address opens the same view');
  const top = await again.page.evaluate((id) => document.getElementById(id).getBoundingClientRect().top, id);
  check(top >= -5 && top < 900, `take: the address shows the table (${Math.round(top)} px)`);
  await again.page.screenshot({ path: picture('view.png') });
  const markdown = await copied(again.page, id, 'Markdown');
  const lines = markdown.trimEnd().split('\n');
  check(lines.slice(2).every((line) => line.includes('uni')) && lines[0].split('|').length === texts.md.split('\n').find((line) => line.startsWith('| system') && line.includes('headline')).split('|').length - 1, 'take: a copy has the rows and columns that are shown');
  await again.close(false);
  await page.evaluate((hash) => { location.hash = hash; }, `#${id}`);
}

// anchors follows the link of a heading.
async function anchors(page) {
  const { count, lost } = await page.evaluate(() => {
    const links = [...document.querySelectorAll('.anchor')];
    return { count: links.length, lost: links.filter((a) => !document.getElementById(a.hash.slice(1))).length };
  });
  check(count > 10 && lost === 0, `take: ${count} headings have a link to themselves`);
  await page.locator('.anchor').last().focus();
  await page.keyboard.press('Enter');
  check((await page.evaluate(() => location.hash)) === (await page.locator('.anchor').last().getAttribute('href')), 'take: the link is in the address');
}

export async function take() {
  for (const kind of ['tex', 'md', 'csv']) texts[kind] = await readFile(join(process.env.TEXTS, `report.${kind}`), 'utf8');
  const { page, close } = await open('take', { permissions, acceptDownloads: true, downloads: true });
  await view(page);
  await page.reload();
  await settled(page);
  await folded(page);
  await unfold(page);
  await settled(page);
  await copies(page);
  await charts(page);
  await selection(page);
  await anchors(page);
  await close(false);
}
