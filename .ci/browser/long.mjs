// A report of systems with names of a hundred characters.

import { check, labels, open, overlaps, picture, settled, unfold } from './browser.mjs';
import { everywhere, widths } from './kinds.mjs';

// The tables that are read first, which must fit into a window of a laptop.
const first = ['-leaderboard', '-forest-table', '-costs-table', '-ranks', '-still'];

// drawn lists the texts of every chart that lie outside it or on each other.
async function drawn(page) {
  const out = [];
  const texts = await labels(page.locator('.live'));
  for (const b of texts) {
    if (b.left < -1 || b.right > b.width + 1 || b.top < -1 || b.bottom > b.height + 1) out.push(`${b.chart}: ${b.text} is cut`);
  }
  return [...out, ...overlaps(texts, 2).map(([a, b]) => `${a.chart}: ${a.text} is on ${b.text}`)];
}

export async function long() {
  await everywhere('long');
  for (const width of widths) {
    const at = `long-${width}`;
    const { page, close } = await open(at, { viewport: { width, height: 900 } });
    await unfold(page);
    await settled(page);
    const faults = await drawn(page);
    check(faults.length === 0, `${at}: ${faults.length} texts of charts are cut or on each other ${faults.slice(0, 4).join('; ')}`);
    const wide = await page.evaluate((first) => first.flatMap((end) => [...document.querySelectorAll(`[id$="${end}"]`)].map((t) => t.closest('.scroll')).filter((e) => e && e.scrollWidth > e.clientWidth + 1).map((e) => `${e.querySelector('table').id} ${e.scrollWidth} of ${e.clientWidth} px`)), first);
    check(width < 1400 || wide.length === 0, `${at}: the first tables end within the window ${wide.join('; ')}`);
    const names = await page.evaluate(() => [...document.querySelectorAll('[id$=-leaderboard] tbody th')].map((e) => [e.firstChild.nodeName === 'A' ? e.firstChild.textContent : e.textContent, e.title]));
    check(new Set(names.map(([name]) => name)).size === names.length, `${at}: ${names.length} names of a board differ`);
    check(names.filter(([, title]) => title.length >= 100).length >= 6, `${at}: short names tell the complete ones`);
    await page.locator('[id$=-leaderboard]').first().scrollIntoViewIfNeeded();
    await page.screenshot({ path: picture(`${at}-board.png`) });
    await close(false);
  }
}
