// Checks a board of published models: its filters, and the charts that follow them.

import { accessible, charts, check, narrow, open, picture } from './browser.mjs';

// shown returns the models with visible rows, and the properties that filters use.
const shown = (page) => page.evaluate(() => [...document.querySelector('table').tBodies[0].rows].filter((row) => row.offsetParent !== null)
  .map(({ cells }) => ({ name: cells[0].textContent.trim(), size: Number(cells[1].dataset.sort), type: cells[2].textContent.trim() })));

// points counts the points of the first chart against model size.
const points = (page) => page.evaluate(() => {
  const place = document.querySelector('[id$="-size"] [data-chart]');
  return window.echarts ? echarts.getInstanceByDom(place).getOption().series.reduce((sum, { data }) => sum + data.length, 0) : null;
});

async function filters(page, name) {
  const controls = page.locator('.filters');
  const all = await shown(page);
  const [drawn, began] = [await points(page), Date.now()];
  check(all.length >= 191 && all.some(({ size }) => size > 0), `${name}: ${all.length} models, ${all.filter(({ size }) => size > 0).length} of known size`);

  await controls.locator('select').selectOption({ label: 'cross-encoder' });
  const crossed = await shown(page);
  check(crossed.length > 0 && crossed.length < all.length && crossed.every(({ type }) => type === 'cross-encoder'), `${name}: ${crossed.length} cross-encoders`);
  await controls.locator('select').selectOption({ index: 0 });

  await controls.locator('input').first().fill('100');
  await controls.locator('input').nth(1).fill('1000');
  const sized = await shown(page);
  check(sized.length > 0 && sized.length < all.length && sized.every(({ size }) => size >= 1e8 && size <= 1e9), `${name}: ${sized.length} models of 100 to 1,000 million parameters`);
  const left = await points(page);
  check(drawn === null || (left > 0 && left < drawn), `${name}: ${left} of ${drawn} points are left`);
  check((await controls.locator('[role=status]').textContent()) === `${sized.length} of ${all.length} models`, `${name}: the number is said`);

  await page.locator('.filter input').first().fill('e5');
  const found = await shown(page);
  check(found.length > 0 && found.length < sized.length && found.every(({ name }) => name.toLowerCase().includes('e5')), `${name}: the search narrows them to ${found.length}`);
  await page.locator('.filter input').first().fill('');
  await controls.locator('button').click();
  check((await shown(page)).length === all.length && (await points(page)) === drawn, `${name}: all are back`);
  console.log(`     ${name}: six filters in ${Date.now() - began} ms`);
}

export async function published() {
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await open(colorScheme, { colorScheme, viewport: { width: 1400, height: 900 } });
    await charts(page, colorScheme);
    await filters(page, colorScheme);
    await accessible(page, colorScheme);
    await page.locator('[id$="-size"]').first().screenshot({ path: picture(`size-${colorScheme}.png`) });
    await close(false);
  }
  const { page, close } = await open('phone', { viewport: { width: 400, height: 800 } });
  await narrow(page, 'phone');
  await filters(page, 'phone');
  await page.screenshot({ path: picture('phone.png') });
  await close(false);
}
