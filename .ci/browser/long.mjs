// A report of systems with names of a hundred characters.

import { check, open, picture, settled, unfold } from './browser.mjs';
import { everywhere, widths } from './kinds.mjs';

// The tables that are read first, which must fit into a window of a laptop.
const first = ['-leaderboard', '-forest-table', '-costs-table', '-ranks', '-still'];

// drawn lists the texts of every chart that lie outside it or on each other. A label without a
// place has the size 0.01.
const drawn = (page) =>
  page.evaluate(() => {
    const out = [];
    const meet = (a, b) => Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 2 && Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 2;
    for (const place of document.querySelectorAll('.live')) {
      const chart = window.echarts.getInstanceByDom(place);
      if (!chart) continue;
      const name = place.closest('figure').id;
      const texts = chart.getZr().storage.getDisplayList().filter((e) => e.type === 'tspan' && !e.ignore && !e.invisible && e.style.text && (e.style.opacity ?? 1) > 0 && !/\b0\.01px/.test(e.style.font));
      const boxes = texts.map((e) => {
        const box = e.getBoundingRect().clone();
        if (e.transform) box.applyTransform(e.transform);
        return { text: e.style.text, x: box.x, y: box.y, width: box.width, height: Math.max(box.height, 11) };
      });
      for (const [i, b] of boxes.entries()) {
        if (b.x < -1 || b.x + b.width > chart.getWidth() + 1 || b.y < -1 || b.y + b.height > chart.getHeight() + 1) out.push(`${name}: ${b.text} is cut`);
        for (const other of boxes.slice(0, i)) if (meet(b, other)) out.push(`${name}: ${b.text} is on ${other.text}`);
      }
    }
    return out;
  });

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
