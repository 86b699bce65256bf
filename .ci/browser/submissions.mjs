// Checks a board with submitted systems: next to their names, at any width, it shows how far
// their numbers were checked, and texts of submitters stay text.

import { accessible, check, foreign, narrow, open, settled, unfold } from './browser.mjs';

// marks returns the labels (measured, recomputed, as claimed) in the leaderboard that are inside
// the window.
const marks = (page) => page.evaluate(() => [...document.querySelectorAll('[id$=-leaderboard] tbody td')].filter((td) => {
  const box = td.getBoundingClientRect();
  return box.width > 0 && box.left >= 0 && box.right <= window.innerWidth;
}).map((td) => td.textContent.trim()).filter((text) => ['measured', 'recomputed', 'as claimed'].includes(text)));

export async function submissions() {
  for (const [name, width] of [['phone', 400], ['window', 1400], ['wide', 1920]]) {
    for (const colorScheme of ['light', 'dark']) {
      const it = `${name}, ${colorScheme}`;
      const { page, close } = await open(`${name}-${colorScheme}`, { viewport: { width, height: 900 }, colorScheme });
      const seen = await marks(page);
      check(['measured', 'recomputed', 'as claimed'].every((mark) => seen.includes(mark)), `${it}: every standing is seen on the board (${seen.length})`);
      const best = await page.locator('[id$=-leaderboard] tbody tr', { hasText: 'as claimed' }).locator('strong, b, .best').count();
      check(best === 0, `${it}: no claim is marked as the best`);
      await unfold(page);
      await settled(page);
      const said = await page.locator('#submissions').innerText();
      check(said.includes('<script>alert(1)</script>') && said.includes('trained on'), `${it}: what the submissions declare is there, as text`);
      await foreign(page, it, '^(#|data:image/svg)');
      await narrow(page, it);
      await accessible(page, it);
      await close();
    }
  }
}
