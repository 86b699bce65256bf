// Checks the first screen of a report, its table of contents and its folded parts.

import { check, open, picture, settled, unfold } from './browser.mjs';
import { ordered } from './tables.mjs';

// tallest bounds a folded report in windows of 1,400 pixels.
const tallest = 10_000;

// firstScreen checks that question, answer and plot are visible without scrolling.
async function firstScreen(page) {
  const seen = await page.evaluate(() => {
    const bottom = (selector) => document.querySelector(selector)?.getBoundingClientRect().bottom ?? Infinity;
    return { question: bottom('#answer > h2'), told: bottom('#answer > .told'), basis: bottom('#answer-basis'), plot: document.querySelector('#answer figure .drawing')?.getBoundingClientRect().top ?? Infinity, height: document.documentElement.scrollHeight };
  });
  check(seen.question < 400 && seen.told < 600, `answer: the question ends at ${Math.round(seen.question)} px, the answer at ${Math.round(seen.told)} px`);
  check(seen.basis < 900 && seen.plot < 760, `answer: what it rests on ends at ${Math.round(seen.basis)} px, the plot begins at ${Math.round(seen.plot)} px`);
  check(seen.height < tallest, `answer: the folded page is ${seen.height} px tall`);
  const first = await page.locator('#answer > .told').first().textContent();
  check(first.split('. ').length <= 2 && !/\[/.test(first), `answer: its first paragraph has two sentences, without intervals (${first})`);
  const told = (await page.locator('#answer > .told').allTextContents()).join(' ');
  check(/n = \d/.test(told) && /\[[-−+\d.]+, [-−+\d.]+\]/.test(told) && /seed|training run/.test(told), `answer: it says number, interval, n and seeds (${told.slice(0, 60)}...)`);
  check(await page.locator('#answer-basis code').first().textContent() === 'infbench verify report.html', 'answer: it says how to recompute the page');
  const failed = page.locator('#answer-basis dd.worse');
  const bad = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--bad').trim());
  for (const text of await failed.allTextContents()) check(text.length > 0, `answer: in red, ${bad}: ${text}`);
  const values = await page.locator('#answer figure table').first().locator('tbody td:nth-child(2)').evaluateAll((all) => all.map((td) => Number(td.dataset.sort)));
  check(values.length > 1 && ordered(values, -1), `answer: ${values.length} systems stand in their order`);
}

// explained checks what the page says about itself: warnings before the answer, days and program
// below the title, the board in its order and colours, measures explained where they head a column
// and in the glossary, and the digest to cite.
async function explained(page) {
  const before = await page.evaluate(() => {
    const warnings = document.getElementById('warnings');
    return !warnings || Boolean(warnings.compareDocumentPosition(document.getElementById('answer')) & Node.DOCUMENT_POSITION_FOLLOWING);
  });
  check(before, 'explained: warnings come before the answer');
  const facts = await page.locator('header .facts').textContent();
  check(/measured \d{4}-\d\d-\d\d/.test(facts) && /infbench \S/.test(facts), `explained: days and program (${facts})`);
  const board = page.locator('[id$=-leaderboard]').first();
  const values = await board.locator('tbody td:nth-child(2)').evaluateAll((all) => all.filter((td) => td.dataset.sort).map((td) => Number(td.dataset.sort)));
  check(values.length > 1 && ordered(values, -1), 'explained: the board is sorted by its first number');
  check((await board.locator('td.better').count()) > 0 && /Green: significantly better/.test(await board.locator('caption').textContent()), 'explained: the board has colours, and their meaning');
  const mute = await board.locator('th.n:not([title])').count();
  check(mute === 0 && (await board.locator('th.n[title]').count()) > 0, `explained: each number is explained where it heads a column (${mute} are not)`);
  const terms = await page.locator('#glossary-measures dt').allTextContents();
  check(terms.length > 0 && (await page.locator('#glossary-words dt').count()) > 10, `explained: the glossary has ${terms.join(', ')}`);
  const links = await page.locator('a[href^="http"]').evaluateAll((all) => all.map((a) => `${a.rel} ${a.protocol}`));
  check(links.length > 0 && links.every((l) => l === 'noreferrer https:'), `explained: ${links.length} links to papers and data tell nothing about the page`);
  check(/measured \d{4}.*SHA-256 of all values: [0-9a-f]{64}\.$/i.test(await page.locator('#citation').textContent()), 'explained: the citation has days, program and digest');
  await page.locator('#glossary').screenshot({ path: picture('glossary.png') });
}

// contents scrolls down the page: one line of the contents is marked as current, and it changes.
async function contents(page) {
  const current = () => page.locator('.contents [aria-current]').allTextContents();
  const first = await current();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await settled(page);
  const last = await current();
  check(first.length === 1 && last.length === 1 && first[0] !== last[0], `contents: from ${first} to ${last}`);
  check(await page.locator('.contents a[aria-current]').evaluate((a) => a.getBoundingClientRect().top >= 0 && a.getBoundingClientRect().bottom <= innerHeight), 'contents: they follow');
  const link = page.locator('.contents .part a', { hasText: 'Differences' });
  const to = page.locator(await link.getAttribute('href'));
  check(!(await to.evaluate((e) => e.open)), 'contents: what a link leads to is folded');
  await link.click();
  await settled(page);
  check(await to.evaluate((e) => e.open && e.getBoundingClientRect().top < innerHeight), 'contents: a link opens it');
  check(await to.locator('canvas').first().evaluate((c) => c.width > 0), 'contents: and its charts are drawn then');
}

// trained checks the first facts that a reader needs about the training.
async function trained(page) {
  const text = await page.locator('#recipe').innerText();
  for (const word of ['epochs', 'learning rate', 'tiny-bert', 'matrix:', 'infbench sweep demo.yaml', 'infbench verify report.html --runs runs/demo']) check(text.includes(word), `how it was trained: ${word}`);
  const sums = await page.locator('#recipe-weights code, #recipe-inputs code').evaluateAll((all) => all.filter((e) => /[0-9a-f]{64}/.test(e.textContent)).length);
  check(sums > 4, `how it was trained: ${sums} hashes of data and weights`);
}

export async function answer() {
  const { page, close } = await open('answer', { viewport: { width: 1400, height: 900 } });
  await firstScreen(page);
  await trained(page);
  await contents(page);
  await explained(page);
  await close(false);

  const board = await open('answer-board', { viewport: { width: 1400, height: 900 } });
  const hidden = await board.page.locator('[id$=-leaderboard]').first().evaluate((table) => table.closest('.scroll').scrollWidth - table.closest('.scroll').clientWidth);
  check(hidden <= 0, `board: all of its columns are seen in a window of 1,400 px (${hidden} px are not)`);
  await unfold(board.page);
  await settled(board.page);
  const narrow = await board.page.locator('.small .scroll').evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth).length);
  check(narrow === 0, `board: the numbers of small multiples are seen without scrolling (of ${narrow} they are not)`);
  await board.close(false);

  const linked = await open('linked', { hash: '#recipe-weights' });
  check(await linked.page.locator('#recipe-weights').evaluate((e) => e.open), 'contents: an address opens what it names');
  await linked.close(false);

  const phone = await open('answer-phone', { viewport: { width: 400, height: 800 } });
  check(!(await phone.page.locator('.contents details').evaluate((d) => d.open)), 'contents: they are folded on a phone');
  const columns = await phone.page.locator('[id$=-leaderboard]').first().evaluate((table) => {
    const room = table.closest('.scroll').getBoundingClientRect();
    return [...table.tBodies[0].rows[0].cells].slice(1).filter((c) => c.getBoundingClientRect().right <= room.right).length;
  });
  check(columns >= 2, `phone: ${columns} columns of numbers stand beside the names`);
  const broken = await phone.page.locator('.kind, .whole').evaluateAll((all) => all.filter((e) => e.getClientRects().length > 1).map((e) => e.textContent));
  check(broken.length === 0, `phone: no kind of a system and no measure is broken over lines ${broken.slice(0, 3).join(' ')}`);
  await phone.close(false);
}
