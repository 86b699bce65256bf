// Checks what is drawn on the canvas of the charts of a report: the names of the points of a
// scatter, and the colours of heatmaps.

import { check, labels, open, overlaps, picture, settled, unfold } from './browser.mjs';
import { widths } from './kinds.mjs';

// names checks that a scatter names each of its points inside the chart, and that no name covers
// another.
async function names(page, at) {
  const place = '[id$="-tradeoff"] [data-chart]';
  const wanted = await page.locator('[id$="-tradeoff"] figure').first().locator('tbody th').evaluateAll((all) => all.map((th) => {
    const name = th.cloneNode(true);
    name.querySelector('.kind')?.remove();
    return name.textContent.trim();
  }));
  const named = (await labels(page.locator(place).first())).filter(({ text }) => wanted.includes(text));
  check(named.length === wanted.length, `${at}: the scatter names ${named.length} of ${wanted.length} points`);
  const over = overlaps(named).map(([a, b]) => `${a.text} and ${b.text}`);
  check(over.length === 0, `${at}: no name covers another ${over.slice(0, 3).join('; ')}`);
  const out = named.filter(({ left, right, top, bottom, width, height }) => left < 0 || right > width || top < 0 || bottom > height);
  check(out.length === 0, `${at}: names are inside the chart ${out.slice(0, 3).map(({ text }) => text).join('; ')}`);
  const lines = await page.evaluate((place) => {
    const all = echarts.getInstanceByDom(document.querySelector(place)).getOption().series;
    return all.filter(({ type }) => type === 'custom').reduce((n, { data }) => n + data.length, 0);
  }, place);
  check(lines > 0 && lines <= wanted.length, `${at}: ${lines} of ${wanted.length} points have intervals`);
}

// colours checks that a heatmap colours the fields that a test shows to differ, and no others.
async function colours(page, at) {
  const fields = await page.evaluate(() => {
    const all = JSON.parse(document.getElementById('charts').textContent);
    return Object.entries(all).filter(([id]) => id.includes('-ablation-')).flatMap(([, { option }]) => option.series)
      .filter(({ type }) => type === 'heatmap').flatMap(({ data }) => data.map(({ value }) => ({ step: value[2], tip: value.at(-1) })));
  });
  const shown = fields.filter(({ tip }) => /: (better|worse|differs)$/.test(tip));
  check(fields.length > 0 && shown.length < fields.length, `${at}: heatmaps of ${fields.length} fields, of which tests show ${shown.length}`);
  const wrong = fields.filter(({ step, tip }) => (step > 0) !== tip.endsWith(': better') || (step < 0) !== tip.endsWith(': worse'));
  check(wrong.length === 0, `${at}: a field has a colour if and only if a test shows its difference ${wrong.slice(0, 2).map(({ tip }) => tip).join('; ')}`);
  const ends = (await labels(page.locator('[id*="-ablation-"] [data-chart]').first())).map(({ text }) => text.trim());
  check(ends.includes('worse') && ends.includes('better'), `${at}: the scale has its ends`);
}

export async function marks() {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of widths) {
      const at = `marks-${width}-${colorScheme}`;
      const { page, close } = await open(at, { colorScheme, viewport: { width, height: 900 } });
      await unfold(page);
      await settled(page);
      await names(page, at);
      await colours(page, at);
      await page.evaluate(() => document.querySelectorAll('.contents details').forEach((d) => { d.open = false; })); // it would cover a phone
      for (const part of ['ablation', 'tradeoff', 'costs']) await page.locator(`[id$="-${part}"]`).first().screenshot({ path: picture(`${part}-${width}-${colorScheme}.png`) });
      const heads = await page.locator('[id$="-costs-table"] thead th[data-column]').allTextContents();
      const quality = heads.findIndex((head) => /p-MRR|nDCG|AP@/.test(head));
      check(quality > 2 && heads.slice(1, quality).every((head) => /CPU|wall|MiB|machine/.test(head)), `${at}: costs come first: ${heads.join(', ')}`);
      await close(false);
    }
  }
}
