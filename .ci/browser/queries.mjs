// Checks the page of single queries.

import { check, settled } from './browser.mjs';
import { ordered } from './tables.mjs';

// chooser returns one of the fields above a query.
export const chooser = (page, name) => page.locator('#query-browser form[aria-label="Choose a query"] label', { hasText: name }).locator('select');

const field = (page, name) => page.locator('#query-browser .finder label', { hasText: new RegExp(`^${name} `) }).locator('select, input');
const rows = (page) => page.locator('[aria-labelledby=query-list] tbody tr');

// listed returns the numbers in the list of queries, row by row; null for a missing number.
const listed = (page) => rows(page).evaluateAll((all) => all.map((r) => [2, 3, 4].map((i) => {
  const text = r.cells[i].textContent;
  return text === '–' ? null : Number(text.replace('−', '-'));
})));

// finds searches and sorts the list of queries by the keyboard, and opens one query.
export async function finds(page) {
  await page.locator('#query-browser .open').first().click();
  const numbers = await listed(page);
  check(numbers.length === 20, `query list: ${numbers.length} queries at first`);
  check(ordered(numbers.map((row) => row[2]), 1), 'query list: where A is furthest behind B first');
  check(numbers.every(([a, b, d]) => d === null || Math.abs(a - b - d) < 0.11), 'query list: the difference is A − B but for rounding');
  await field(page, 'Sort').selectOption('gain');
  check(ordered((await listed(page)).map((row) => row[2]), -1), 'query list: where A is furthest before B first');
  await field(page, 'Sort').selectOption('b');
  check(ordered((await listed(page)).map((row) => row[1]), 1), 'query list: the worst of B first');
  const other = await field(page, 'A').locator('option').nth(3).textContent();
  await field(page, 'A').selectOption({ index: 3 });
  check((await page.locator('#query-list').textContent()).includes(`${other} (A)`), `query list: another system (${other})`);
  const word = (await rows(page).first().locator('td').last().textContent()).split(/\s+/).at(-1);
  await field(page, 'Search').focus();
  await page.keyboard.type(word.toUpperCase());
  const texts = await rows(page).evaluateAll((all) => all.map((r) => r.textContent.toLowerCase()));
  check(texts.length > 0 && texts.some((t) => t.includes(word.toLowerCase())), `query list: ${texts.length} queries with ${word}`);
  check(await page.evaluate(() => document.activeElement.type === 'search'), 'query list: the focus stays in the search while one types');
  await page.keyboard.type(' zyzzyva');
  check((await rows(page).count()) === 0, 'query list: none has a word that is nowhere');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.locator('#query-browser .finder .open').focus();
  await page.keyboard.press('Enter');
  check((await rows(page).count()) === 120, 'query list: more of it, by the keyboard');
  check(await page.evaluate(() => document.activeElement.tagName === 'A'), 'query list: the focus goes to the first that is new');
  const wanted = await page.evaluate(() => document.activeElement.textContent);
  await page.keyboard.press('Enter');
  await settled(page);
  check((await page.locator('#query-name').textContent()) === wanted, `query list: a query opens by the keyboard (${wanted})`);
  check(await page.evaluate(() => document.activeElement.id === 'query'), 'query list: the focus goes to it');
}

// queries opens single queries by the button, the list, the URL fragment and the table of
// movers.
export async function queries(page) {
  await page.locator('#query-browser .open').click();
  const name = page.locator('#query-name');
  const first = await name.textContent();
  check(page.url().includes('#query='), 'query: its name is in the address');
  check((await page.locator('#query .sides section').count()) === 2, 'query: both instructions stand side by side');
  check((await page.locator('#query mark').count()) > 0, 'query: what differs between the instructions is marked');
  const documents = page.locator('[aria-labelledby=query-documents] tbody tr');
  check((await documents.count()) > 0, `query: ${await documents.count()} changed documents with their ranks`);
  await shares(page);
  await page.getByRole('button', { name: 'Next' }).focus();
  await page.keyboard.press('Enter');
  const second = await name.textContent();
  check(second !== first, 'query: the next one, by the keyboard');
  check(await page.evaluate(() => document.activeElement?.textContent === 'Next'), 'query: the focus stays on the button');
  await chooser(page, 'System').selectOption({ index: 2 });
  const system = await chooser(page, 'System').locator('option').nth(2).textContent();
  check((await page.locator('#query-documents').textContent()).includes(system), `query: ranks of another system (${system})`);
  const mover = page.locator('#queries-movers-table tbody a').first();
  const wanted = await mover.textContent();
  await mover.click();
  await settled(page);
  check((await name.textContent()) === wanted, 'query: a link in the table of movers leads to it');
}

// shares adds up the shares of p-MRR and compares the sum with the value of the same run, which
// the caption gives.
async function shares(page) {
  const { sum, value } = await page.evaluate(() => {
    const number = (text) => Number(text.replace('−', '-'));
    const table = document.querySelector('[aria-labelledby=query-documents]');
    const said = /which is ([+−]?[\d.]+) in trial/.exec(table.querySelector('caption').textContent);
    return { sum: [...table.querySelectorAll('tbody tr')].reduce((s, r) => s + number(r.cells[3].textContent), 0), value: number(said[1]) };
  });
  check(Math.abs(sum - value) < 0.5, `query: shares add up to p-MRR of their run but for rounding (${sum.toFixed(1)}, ${value})`);
}
