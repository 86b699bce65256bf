// Opens one page in one window: a quick check that a report works at all.

import { accessible, charts, check, narrow, open, settled, unfold } from './browser.mjs';

export async function smoke() {
  const { page, close } = await open('page');
  await unfold(page);
  await settled(page);
  check((await page.locator('h1').count()) === 1, 'page: one main heading');
  check((await page.locator('table').first().locator('tbody tr').count()) > 0, 'page: the table is there');
  await charts(page, 'page');
  await narrow(page, 'page');
  await accessible(page, 'page');
  await close();
}
