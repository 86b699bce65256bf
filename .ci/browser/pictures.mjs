// Photographs the first screen of a page, and compares it and the drawings next to it with the
// pictures of a folder, or replaces these:
//
//	node pictures.mjs check|update DRAWN KEPT
//
// DRAWN has report.html and the drawings. Equal bytes always pass. The kernels of another
// processor change the last bits of a number, and training magnifies the change. So a drawing
// passes if it has the same elements and texts, with numbers within 3 points. The first screen
// must have the same size and look the same from afar: fonts and single numbers may differ,
// the layout may not.

import { copyFile, readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [mode, drawn, kept] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(process.env.PLAYWRIGHT));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });

const points = 3; // by which a number may differ
const heaviest = 300_000; // bytes, the limit for a picture
const screen = { width: 1200, height: 900 };

const failures = [];
function check(ok, what) {
  console.log(`${ok ? 'ok  ' : 'FAIL'} pictures: ${what}`);
  if (!ok) failures.push(what);
}

async function photograph() {
  const page = await browser.newPage({ viewport: screen, colorScheme: 'light' });
  await page.goto(pathToFileURL(join(drawn, 'report.html')).href, { waitUntil: 'load' });
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(drawn, 'page.png') });
  await page.close();
}

// parts returns the counts of a drawing's elements, and its texts.
function parts(svg) {
  const counts = {};
  for (const [, name] of svg.matchAll(/<([a-z]+)/g)) counts[name] = (counts[name] ?? 0) + 1;
  return { counts: JSON.stringify(counts), texts: [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((m) => m[1]) };
}

const number = (text) => Number(text.replace('−', '-').replace('+', ''));

// alike reports whether two texts are equal, or are numbers close to each other.
const alike = (a, b) => a === b || Math.abs(number(a) - number(b)) <= points;

async function compareDrawing(name) {
  const [now, then] = await Promise.all([drawn, kept].map((folder) => readFile(join(folder, name), 'utf8')));
  if (now === then) return check(true, `${name}: the same bytes`);
  const [a, b] = [parts(now), parts(then)];
  const differ = a.texts.findIndex((text, i) => !alike(text, b.texts[i] ?? ''));
  check(a.counts === b.counts && differ < 0, `${name}: other bytes, elements ${a.counts} and ${b.counts}${differ < 0 ? '' : `, ${a.texts[differ]} was ${b.texts[differ]}`}`);
}

// compareScreens compares both from afar: a few hundred mean colours each.
async function compareScreens(name) {
  const images = await Promise.all([drawn, kept].map(async (folder) => `data:image/png;base64,${await readFile(join(folder, name), 'base64')}`));
  const page = await browser.newPage();
  const { sizes, mean, much } = await page.evaluate(async (images) => {
    const [columns, rows] = [48, 36];
    const sizes = [];
    const seen = [];
    for (const source of images) {
      const image = new Image();
      image.src = source;
      await image.decode();
      sizes.push(`${image.naturalWidth}x${image.naturalHeight}`);
      const bitmap = await createImageBitmap(image, { resizeWidth: columns, resizeHeight: rows, resizeQuality: 'high' });
      const canvas = new OffscreenCanvas(columns, rows).getContext('2d');
      canvas.drawImage(bitmap, 0, 0);
      seen.push(canvas.getImageData(0, 0, columns, rows).data);
    }
    const differences = seen[0].map((v, i) => Math.abs(v - seen[1][i]));
    const mean = differences.reduce((sum, d) => sum + d, 0) / differences.length / 255;
    return { sizes, mean, much: differences.filter((d) => d > 50).length / differences.length };
  }, images);
  await page.close();
  check(sizes[0] === sizes[1] && mean < 0.02 && much < 0.02, `${name}: ${sizes.join(' and ')}, colours differ by ${(100 * mean).toFixed(2)} % on average, by much in ${(100 * much).toFixed(1)} %`);
}

await photograph();
for (const name of (await readdir(drawn)).filter((name) => name !== 'report.html').sort()) {
  if (mode === 'update') await copyFile(join(drawn, name), join(kept, name));
  else if (name.endsWith('.svg')) await compareDrawing(name);
  else await compareScreens(name);
  const { size } = await stat(join(kept, name));
  check(size < heaviest, `${name}: ${size} bytes`);
}
await browser.close();
if (failures.length) {
  console.error(`${failures.length} checks of pictures failed; make pictures makes them anew`);
  process.exit(1);
}
