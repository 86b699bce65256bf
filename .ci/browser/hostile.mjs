// A report whose every text tries to break out.

import { accessible, charts, check, foreign, narrow, open, unfold } from './browser.mjs';
import { everywhere } from './kinds.mjs';
import { chooser } from './queries.mjs';

// hostile clicks and opens everything: only the page's own code may run, and no character may
// reverse the direction of text.
export async function hostile() {
  await everywhere('hostile');
  const { page, close } = await open('light');
  await charts(page, 'light');
  const count = await page.locator('#query-browser').count();
  check(count === 1, 'the page of queries is there');
  await page.locator('#query-browser .open').click();
  const options = await chooser(page, 'Query').locator('option').count();
  for (let i = 0; i < options; i++) await chooser(page, 'Query').selectOption({ index: i });
  check(options > 5, `${options} queries of hostile names were looked at`);
  await unfold(page);
  for (const link of await page.locator('#queries-movers-table a').all()) await link.click();
  await page.evaluate(() => document.querySelectorAll('table.sortable .sort').forEach((b) => b.click()));
  await foreign(page, 'light', '^(#|data:image/svg)');
  await accessible(page, 'light');
  await close();
  const phone = await open('phone', { viewport: { width: 400, height: 800 } });
  await narrow(phone.page, 'phone');
  await phone.close();
}
