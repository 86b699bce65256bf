// Checks for pages of every kind, at three widths, light and dark: axe-core finds nothing
// serious, nothing is wider than the window unless it scrolls by itself, no text is too small
// to read, and a table that continues beyond an edge shows it.

import { accessible, check, narrow, open, picture, settled, unfold } from './browser.mjs';

// Widths of windows: a phone, a laptop, a wide screen.
export const widths = [400, 1400, 1920];

// smallest is the smallest readable size of text, in pixels.
const smallest = 12;

// contained checks that nothing extends beyond the window, except inside scrolling parts.
async function contained(page, name) {
  const wide = await page.evaluate(() => {
    const scrolls = (e) => {
      for (let p = e.parentElement; p; p = p.parentElement) {
        if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(p).overflowX)) return true;
      }
      return false;
    };
    const out = [];
    for (const e of document.querySelectorAll('body *')) {
      const box = e.getBoundingClientRect();
      if (box.width > 0 && box.height > 1 && box.right > innerWidth + 1 && box.left >= 0 && !scrolls(e)) out.push(`${e.tagName} ${e.id || e.className} ${Math.round(box.right)} px`);
    }
    return out;
  });
  check(wide.length === 0, `${name}: nothing reaches beyond the window ${wide.slice(0, 3).join('; ')}`);
}

// readable checks the size of all texts of the page itself.
async function readable(page, name) {
  const small = await page.evaluate((smallest) => {
    const out = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let n = walker.nextNode(); n; n = walker.nextNode()) {
      const e = n.parentElement;
      if (!n.data.trim() || e.closest('script, svg, .visually-hidden')) continue;
      const size = parseFloat(getComputedStyle(e).fontSize);
      if (size < smallest) out.push(`${e.tagName} ${e.className} ${size} px`);
    }
    return [...new Set(out)];
  }, smallest);
  check(small.length === 0, `${name}: no text is smaller than ${smallest} px ${small.slice(0, 3).join('; ')}`);
}

// hinted checks that a table that continues beyond its edge has a shadow there and can be
// scrolled by the keyboard.
async function hinted(page, name) {
  const { count, bare } = await page.evaluate(() => {
    const bare = [];
    let count = 0;
    for (const e of document.querySelectorAll('.scroll')) {
      if (e.scrollWidth <= e.clientWidth + 1) continue;
      count++;
      if (!getComputedStyle(e).backgroundAttachment.includes('local') || e.tabIndex < 0) bare.push(e.querySelector('table')?.id);
    }
    return { count, bare };
  });
  check(bare.length === 0, `${name}: ${count} tables go on beyond their edge, and show it ${bare.slice(0, 3).join(' ')}`);
}

// everywhere checks a page at each width, light and dark, with all folded parts open, and
// photographs the first screen of each. prepare brings the page into the state to check.
export async function everywhere(name, { path = '', prepare = async () => {}, shadows = true } = {}) {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of widths) {
      const at = `${name}-${width}-${colorScheme}`;
      const { page, close } = await open(at, { path, colorScheme, viewport: { width, height: 900 } });
      await prepare(page);
      await settled(page);
      await page.screenshot({ path: picture(`${at}.png`) });
      await unfold(page);
      await settled(page);
      await narrow(page, at);
      await contained(page, at);
      await accessible(page, at);
      if (colorScheme === 'light') {
        await readable(page, at);
        if (shadows) await hinted(page, at);
      }
      await close(false);
    }
  }
}
