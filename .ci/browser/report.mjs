// Checks a report with all its parts.

import { answer } from './answer.mjs';
import { accessible, charts, check, narrow, open, picture, settled, unfold } from './browser.mjs';
import { everywhere } from './kinds.mjs';
import { marks } from './marks.mjs';
import { print } from './print.mjs';
import { finds, queries } from './queries.mjs';
import { filtering, sorting } from './tables.mjs';

// keyboard walks through the complete page with Tab: there is no trap, and every stop is
// visible and has a name.
async function keyboard(page) {
  await page.keyboard.press('Tab');
  check(await page.evaluate(() => document.activeElement.className === 'skip'), 'keyboard: the first stop skips to the results');
  await page.keyboard.press('Enter');
  const bad = [];
  let stops = 0;
  for (; stops < 3000; stops++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      if (!e || e === document.body) return null;
      const box = e.getBoundingClientRect();
      const seen = box.width > 0 && box.height > 0;
      const outlined = getComputedStyle(e).outlineStyle !== 'none';
      const named = e.textContent.trim() !== '' || e.getAttribute('aria-label') || e.labels?.length;
      return { what: `${e.tagName} ${e.id || e.className}`, good: seen && outlined && Boolean(named) };
    });
    if (!at) break;
    if (!at.good) bad.push(at.what);
  }
  check(stops > 20 && stops < 3000, `keyboard: ${stops} stops, and out of the page again`);
  check(bad.length === 0, `keyboard: every stop is visible, outlined and named ${bad.slice(0, 3).join('; ')}`);
}

export async function full() {
  await answer();
  await everywhere('report');
  await marks();
  {
    const { page, close } = await open('light');
    await unfold(page);
    await settled(page);
    await charts(page, 'light');
    check((await page.title()).length > 0, 'light: the page has a title');
    check((await page.locator('h1').count()) === 1, 'light: one main heading');
    await narrow(page, 'light');
    await sorting(page);
    await filtering(page);
    await page.reload();
    await settled(page);
    await close();
  }
  {
    const { page, close } = await open('query');
    await unfold(page);
    await queries(page);
    await accessible(page, 'query');
    await page.locator('#query').screenshot({ path: picture('query-page.png') });
    await close(false);
  }
  {
    const { page, close } = await open('query-list');
    await finds(page);
    await accessible(page, 'query list');
    await page.locator('#query-browser .finder').screenshot({ path: picture('query-list.png') });
    await close(false);
  }
  {
    const { page, close } = await open('no-such-query', { hash: '#query=%E0%A4%A/x' });
    check((await page.locator('#query-browser [role=status]').count()) === 1, 'query: one that is not there is said not to be');
    await close(false);
  }
  {
    const { page, close } = await open('keyboard');
    await keyboard(page);
    await close(false);
  }
  {
    const { page, close } = await open('dark', { colorScheme: 'dark' });
    await charts(page, 'dark');
    const shade = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    check(Math.max(...shade.match(/\d+/g).slice(0, 3).map(Number)) < 80, `dark: the page is dark (${shade})`);
    await close();
  }
  {
    const { page, close } = await open('phone', { viewport: { width: 400, height: 800 } });
    await charts(page, 'phone');
    await narrow(page, 'phone');
    await page.locator('#query-browser .open').click();
    await narrow(page, 'phone, query');
    await page.locator('#query').screenshot({ path: picture('phone-query.png') });
    await close();
  }
  {
    const { page, close } = await open('no-script', { javaScriptEnabled: false });
    check((await page.locator('table').first().locator('tbody tr').count()) > 0, 'no-script: the table is there');
    await page.locator('#queries-movers > summary').click();
    check(await page.locator('#queries-movers-table').isVisible(), 'no-script: the largest movers are there');
    const pictures = page.locator('img.static');
    for (let i = 0; i < (await pictures.count()); i++) {
      const folded = await pictures.nth(i).evaluate((e) => e.closest('details:not([open])') !== null);
      if (!folded && !(await pictures.nth(i).isVisible())) check(false, `no-script: static chart ${i} is hidden`);
    }
    await close();
  }
  await print();
}
