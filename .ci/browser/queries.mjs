// The page of single queries.

import { check, settled } from './browser.mjs';

// chooser is one of the fields above a query.
export const chooser = (page, name) => page.locator('#query-browser label', { hasText: name }).locator('select');

// queries opens single queries by the button, the list, the fragment and the
// table of movers.
export async function queries(page) {
  const opener = page.locator('#query-browser .open');
  await opener.click();
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

// shares adds up the shares of p-MRR and holds them to the value of the same run,
// which the caption says.
async function shares(page) {
  const { sum, value } = await page.evaluate(() => {
    const number = (text) => Number(text.replace('−', '-'));
    const table = document.querySelector('[aria-labelledby=query-documents]');
    const said = /which is ([+−]?[\d.]+) in trial/.exec(table.querySelector('caption').textContent);
    return { sum: [...table.querySelectorAll('tbody tr')].reduce((s, r) => s + number(r.cells[3].textContent), 0), value: number(said[1]) };
  });
  check(Math.abs(sum - value) < 0.5, `query: shares add up to p-MRR of their run but for rounding (${sum.toFixed(1)}, ${value})`);
}
