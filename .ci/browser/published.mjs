// Checks a board of published models: its filters, and the charts that follow them.

import { accessible, charts, check, labels, narrow, open, overlaps, picture } from './browser.mjs';
import { ordered } from './tables.mjs';

// shown returns the models with visible rows on all boards, and the properties that filters use.
const shown = (page) => page.evaluate(() => [...document.querySelectorAll('table[id*="-leaderboard"]')].flatMap((table) => {
  const at = (name) => [...table.querySelectorAll('th[data-column]')].find((th) => th.textContent === name).dataset.column;
  return [...table.tBodies[0].rows].filter((row) => row.offsetParent !== null)
    .map(({ cells }) => ({ name: cells[0].querySelector('a')?.textContent ?? cells[0].firstChild.textContent, size: Number(cells[at('size')].dataset.sort), type: cells[at('type')].textContent.trim() }));
}));

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

// boards checks the answer and the orders: each kind of data has a board of its own, ordered by one
// column, with ranks that follow it, and links to models.
async function boards(page, name) {
  const told = await page.locator('.told').allTextContents();
  check(told.length >= 2 && told[0].includes('p-MRR') && told.at(-1).includes('not comparable'), `${name}: the answer is on top: ${told[0]}`);
  const results = await page.locator('.intro').first().textContent();
  check(/commit [0-9a-f]{40}/.test(results) && results.includes('licence'), `${name}: commit and licence of the results: ${results}`);
  const found = await page.evaluate(() => [...document.querySelectorAll('table[id*="-leaderboard"]')].map((table) => {
    const heads = [...table.querySelectorAll('th[data-column]')];
    const rank = heads.find((th) => th.textContent === 'rank').dataset.column;
    const first = Math.min(...heads.filter((th) => th.textContent.startsWith('p-MRR')).map((th) => th.dataset.column));
    const rows = [...table.tBodies[0].rows];
    const ranks = rows.map(({ cells }) => Number(cells[rank].textContent));
    const values = rows.map(({ cells }) => Number(cells[first].dataset.sort));
    return {
      id: table.id, said: table.caption.textContent.includes('Data '), links: rows.filter(({ cells }) => cells[0].querySelector('a[href^="https://huggingface.co/"]')).length, rows: rows.length,
      values, ranked: ranks.every((r, i) => r === i + 1 || (values[i] === values[i - 1] && r === ranks[i - 1])),
    };
  }));
  check(found.length === 3 && found.every((b) => b.said && ordered(b.values, -1) && b.ranked && b.links > b.rows / 2), `${name}: an order with ranks and links for each kind of data: ${found.map((b) => `${b.rows} rows, ${b.links} links`).join('; ')}`);
}

// whole checks that no name of a model is broken inside a word.
async function whole(page, name) {
  const broken = await page.evaluate(() => {
    const out = [];
    for (const th of document.querySelectorAll('table[id*="-leaderboard"] tbody th')) {
      const text = document.createTreeWalker(th.querySelector('a') ?? th, NodeFilter.SHOW_TEXT);
      for (let n = text.nextNode(); n; n = text.nextNode()) {
        if (n.parentElement.closest('.under')) continue;
        for (const word of n.data.matchAll(/[A-Za-z]+/g)) {
          const range = document.createRange();
          range.setStart(n, word.index);
          range.setEnd(n, word.index + word[0].length);
          if (range.getClientRects().length > 1) out.push(word[0]);
        }
      }
    }
    return out;
  });
  check(broken.length === 0, `${name}: no name is broken inside a word ${broken.slice(0, 5).join(' ')}`);
}

// first checks that a phone shows p-MRR next to the names.
async function first(page, name) {
  const head = await page.evaluate(() => [...document.querySelectorAll('table[id*="-leaderboard"]')].map((table) => {
    const seen = [...table.querySelectorAll('th[data-column]')].filter((th) => th.offsetParent && th.getBoundingClientRect().right <= innerWidth);
    return seen.sort((a, b) => a.dataset.column - b.dataset.column).map((th) => th.textContent).slice(0, 3).join(' | ');
  }));
  check(head.every((h) => /^model \| rank \| p-MRR/.test(h)), `${name}: rank and p-MRR are seen first: ${head.join('; ')}`);
}

// linked opens the address of a filtered board: it shows the same models.
async function linked() {
  const { page, close } = await open('filtered');
  const controls = page.locator('.filters');
  await controls.locator('select').selectOption({ label: 'cross-encoder' });
  await controls.locator('input').first().fill('100');
  const [models, hash] = [await shown(page), await page.evaluate(() => location.hash)];
  await close(false);
  const again = await open('linked', { hash });
  check(/&type=cross-encoder&size-from=100$/.test(hash) && models.length > 0 && JSON.stringify(await shown(again.page)) === JSON.stringify(models), `linked: ${hash} shows the same ${models.length} models`);
  await again.close(false);
}

// labelled checks that scatters have the name or the number of each model, one of them of more than
// a hundred models, and that no label covers another.
async function labelled(page, name) {
  let most = 0;
  for (const chart of await page.locator('[id*="-tradeoff-"] [data-chart]').all()) {
    const wanted = await chart.evaluate((place) => echarts.getInstanceByDom(place).getOption().series.flatMap(({ type, data }) => (type === 'scatter' ? data : [])).map((d) => ({ name: d.name, row: String(d.value[2]) })));
    const found = await labels(chart);
    const texts = new Set(found.map(({ text }) => text));
    const names = wanted.filter((d) => texts.has(d.name)).length;
    const numbers = wanted.filter((d) => !texts.has(d.name) && texts.has(d.row)).length;
    check(names > 20 && names + numbers === wanted.length, `${name}: a scatter of ${wanted.length} models has ${names} names and ${numbers} numbers`);
    const own = found.filter(({ text }) => wanted.some((d) => d.name === text || d.row === text));
    const over = overlaps(own, 2).map(([a, b]) => `${a.text} and ${b.text}`);
    check(over.length === 0, `${name}: no label covers another ${over.slice(0, 3).join('; ')}`);
    most = Math.max(most, wanted.length);
  }
  check(most > 100, `${name}: a scatter of ${most} models`);
  await page.locator('[id$="-tradeoff"]').first().screenshot({ path: picture(`tradeoff-${name}.png`) });
}

export async function published() {
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await open(colorScheme, { colorScheme, viewport: { width: 1400, height: 900 } });
    await charts(page, colorScheme);
    await labelled(page, colorScheme);
    await boards(page, colorScheme);
    await whole(page, colorScheme);
    await filters(page, colorScheme);
    await accessible(page, colorScheme);
    await page.locator('[id$="-size"]').first().screenshot({ path: picture(`size-${colorScheme}.png`) });
    await close(false);
  }
  await linked();
  const { page, close } = await open('phone', { viewport: { width: 400, height: 800 } });
  await narrow(page, 'phone');
  await first(page, 'phone');
  await whole(page, 'phone');
  await filters(page, 'phone');
  await page.screenshot({ path: picture('phone.png') });
  await close(false);
}
