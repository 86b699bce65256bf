// Checks sorting and filtering of tables.

import { check } from './browser.mjs';

// column reads the sort keys of the first column of numbers of a table.
const column = (table) =>
  table.evaluate((t) => {
    const at = Number(t.querySelector('th.n[data-column]').dataset.column);
    return [...t.tBodies[0].rows].map((r) => r.cells[at].dataset.sort).map((v) => (v === undefined ? null : Number(v)));
  });

// ordered reports whether numbers rise (sign 1) or fall (sign -1); missing ones are last.
export const ordered = (list, sign) => list.every((v, i) => i === 0 || v === null || (list[i - 1] !== null && sign * (v - list[i - 1]) >= 0));

// sorting sorts a column of numbers by a click, then by the keyboard.
export async function sorting(page) {
  const table = page.locator('[id$=-leaderboard]').first();
  const button = table.locator('th.n[data-column] .sort').first();
  await button.click();
  check(ordered(await column(table), -1), 'sorting: descending, cells without a number last');
  await button.focus();
  await page.keyboard.press('Enter');
  check(ordered(await column(table), 1), 'sorting: ascending by the keyboard, cells without a number last');
  check((await table.locator('[aria-sort=ascending]').count()) === 1, 'sorting: announced to screen readers');
}

export async function filtering(page) {
  const input = page.locator('.filter input').first();
  const rows = page.locator('[id$=-leaderboard]').first().locator('tbody tr:visible');
  const before = await rows.count();
  await input.fill('no such system');
  check((await rows.count()) === 0, 'filter: hides what does not match');
  const said = await page.locator('.filter [role=status]').first().textContent();
  check(said.startsWith('0 of'), `filter: says how many rows are left (${said})`);
  await input.fill('');
  check((await rows.count()) === before, 'filter: shows all again');
}
