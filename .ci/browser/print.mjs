// Checks a report on paper: the first page has the answer, no page is nearly blank, and no
// heading is parted from what follows it. Needs pdftotext.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { check, open, picture } from './browser.mjs';

const run = promisify(execFile);

// pagesOf returns the lines of each page of a PDF.
async function pagesOf(path) {
  const { stdout } = await run('pdftotext', ['-layout', path, '-'], { maxBuffer: 1 << 28 });
  return stdout.split('\f').slice(0, -1).map((page) => page.split('\n').map((line) => line.trim()).filter(Boolean));
}

export async function print() {
  for (const colorScheme of ['light', 'dark']) {
    const name = `print-${colorScheme}`;
    const { page, close } = await open(name, { colorScheme });
    await page.emulateMedia({ media: 'print', colorScheme });
    const pdf = await page.pdf({ path: picture(`${name}.pdf`), format: 'A4', preferCSSPageSize: true });
    check(pdf.length > 50_000, `${name}: a PDF of ${Math.round(pdf.length / 1024)} KiB`);
    const ink = await page.evaluate(() => getComputedStyle(document.body).color);
    check(Math.max(...ink.match(/\d+/g).slice(0, 3).map(Number)) < 80, `${name}: the ink is dark (${ink})`);
    const left = await page.evaluate(() => ['button.take', '.anchor', '.filter', '.controls', 'nav', '.live'].filter((s) => [...document.querySelectorAll(s)].some((e) => e.offsetParent !== null)));
    check(left.length === 0, `${name}: no control is printed ${left.join(' ')}`);
    check((await page.locator('.printed table').evaluateAll((all) => all.filter((t) => !t.closest('details:not(.printed)') && t.getBoundingClientRect().height === 0).length)) === 0, `${name}: ranks, runs, coverage and commands are spread out`);
    const wide = await page.evaluate(() => [...document.querySelectorAll('main .wide')].filter((e) => e.offsetParent && getComputedStyle(e).page !== getComputedStyle(e.closest('section, details')).page && getComputedStyle(e.closest('section, details')).page !== 'wide').map((e) => e.querySelector('table').id));
    check(wide.length === 0, `${name}: wide tables take their headings to pages in landscape ${wide.join(' ')}`);

    const headings = new Set(await page.evaluate(() => [...document.querySelectorAll('main :is(h2, h3, h4)')].map((h) => (h.firstChild?.textContent ?? '').trim()).filter(Boolean)));
    const pages = await pagesOf(picture(`${name}.pdf`));
    const basis = await page.evaluate(() => document.querySelector('#answer-basis-title')?.firstChild.textContent);
    check(!basis || pages[0].includes(basis), `${name}: the first page has the answer and what it rests on (${pages[0].length} lines)`);
    const parted = pages.flatMap((lines, i) => (headings.has(lines.at(-1)) ? [`page ${i + 1}: ${lines.at(-1)}`] : []));
    check(parted.length === 0, `${name}: ${headings.size} headings on ${pages.length} pages stay with what follows ${parted.slice(0, 3).join('; ')}`);
    const bare = pages.flatMap((lines, i) => (lines.join(' ').length < 120 ? [`${i + 1}`] : []));
    check(bare.length === 0, `${name}: no page is nearly blank ${bare.join(' ')}`);
    await close(false);
  }
}
