// Checks the sheet of an annotator, offline and by the keyboard alone.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { accessible, charts, check, folder, foreign, narrow, open, picture, settled } from './browser.mjs';
import { everywhere } from './kinds.mjs';

const said = (page) => page.locator('#said').textContent();
const question = async (page) => Number((await page.locator('h1').textContent()).match(/\d+/)[0]);
const picked = (page) => page.locator('[aria-pressed=true]').evaluateAll((all) => all.map((b) => b.id || b.textContent).join());
const answered = async (page) => Number((await page.locator('#count').textContent()).match(/\d+/)[0]);

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

// opened opens the sheet without a network.
async function opened(name, options) {
  const it = await open(name, options);
  await it.page.context().setOffline(true);
  return it;
}

// stops walks through the page with Tab: every stop is visible and outlined and has a name, and
// there is no trap.
async function stops(page, name) {
  const bad = [];
  let count = 0;
  for (; count < 200; count++) {
    await press(page, 'Tab');
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      if (!e || e === document.body) return null;
      const box = e.getBoundingClientRect();
      const named = e.textContent.trim() !== '' || e.getAttribute('aria-label') || e.labels?.length;
      return { what: `${e.tagName} ${e.id || e.className}`, good: box.width > 0 && getComputedStyle(e).outlineStyle !== 'none' && Boolean(named) };
    });
    if (!at) break;
    if (!at.good) bad.push(at.what);
  }
  check(count > 10 && count < 200 && bad.length === 0, `${name}: ${count} stops of Tab, each seen, outlined and named, and out again ${bad.slice(0, 3).join('; ')}`);
}

// moves picks an answer, goes forward and back, and undoes the answer.
async function moves(page) {
  await press(page, '2');
  check((await question(page)) === 2 && (await answered(page)) === 1, 'a digit picks and leads on');
  check((await said(page)).includes('Question 1: passage 2'), 'what was picked is said');
  await press(page, 'u');
  check((await question(page)) === 1 && (await answered(page)) === 0 && (await picked(page)) === '', 'u takes it back, where it was');
  await press(page, 'n', 'k');
  check((await question(page)) === 1 && (await picked(page)) === 'none', 'n says that none answers');
  await press(page, '3', 'ArrowLeft');
  check((await picked(page)) === '3', 'another pick takes its place');
  await press(page, 'u');
  check((await picked(page)) === 'none', 'u brings the one before again');
  await press(page, 'j', 'ArrowRight');
  check((await question(page)) === 3, 'j and the right arrow lead on');
  await press(page, 'a', 'ArrowDown', 'ArrowDown', 'Enter');
  check((await question(page)) === 3 && (await picked(page)) === '2', 'arrows and Enter pick; a stays on the question');
  await press(page, '9');
  check((await said(page)).includes('has 5 passages') && (await picked(page)) === '2', 'a digit beyond the passages picks nothing');
  await press(page, 'a', 'Home', 'g');
  check((await question(page)) === 2, 'g leads to the next without an answer');
  await press(page, 'End', 'j');
  check((await question(page)) === (await page.locator('#map i').count()), 'beyond the last question is none');
}

// help opens and closes the help; the page behind it ignores keys.
async function help(page) {
  await press(page, '?');
  check(await page.locator('#help').isVisible(), '? opens the help');
  await accessible(page, 'help');
  await page.screenshot({ path: picture('help.png') });
  const before = await answered(page);
  await press(page, '1', 'n');
  check((await answered(page)) === before, 'no pick behind the help');
  await press(page, 'Escape');
  check(!(await page.locator('#help').isVisible()), 'Escape closes it');
  await press(page, '?', '?');
  check(!(await page.locator('#help').isVisible()), 'and so does ?');
}

// saved presses a key that saves, and returns the file.
async function saved(page, key) {
  const [file] = await Promise.all([page.waitForEvent('download'), press(page, key)]);
  const path = join(folder, file.suggestedFilename());
  await file.saveAs(path);
  return { path, text: await readFile(path, 'utf8') };
}

// all answers every question and reads both saved files.
async function all(page, count) {
  const want = [];
  await press(page, 'a', 'Home');
  for (let at = 1; at <= count; at++) {
    const pick = at % 4 === 0 ? 'none' : (at % 5) + 1;
    want.push(pick);
    await press(page, pick === 'none' ? 'n' : String(pick), 'j');
  }
  await press(page, 'a', want.at(-1) === 'none' ? 'n' : String(want.at(-1)));
  check((await answered(page)) === count, `all ${count} questions were answered`);
  check((await said(page)).includes('press s to save'), 'the end is said');
  const file = await saved(page, 's');
  const read = JSON.parse(file.text);
  check(read.picks.length === count && read.picks.every((p, i) => p.item === i + 1 && p.pick === want[i]), 's saves what was picked');
  const csv = (await saved(page, 'c')).text.trim().split('\r\n').slice(1).map((line) => line.split(',')[3]);
  check(csv.join() === want.join(), 'c saves the same as CSV');
  return file;
}

// chosen opens a file with the key for that.
async function chosen(page, path) {
  const asked = page.waitForEvent('filechooser');
  await settled(page); // until Playwright has replaced the file dialog
  await press(page, 'o');
  await (await asked).setFiles(path);
  await settled(page);
}

// within checks on every question, from its top to its end, that the buttons that lead to other
// questions are seen, and that what gets the focus is between the head and the foot.
async function within(name, viewport) {
  const { page, close } = await opened(name, { viewport });
  const count = await page.locator('#map i').count();
  const hidden = [];
  for (let at = 1; at <= count; at++, await press(page, 'j')) {
    hidden.push(...await page.evaluate((at) => {
      const out = [];
      const covered = (e) => {
        const box = e.getBoundingClientRect();
        return box.top < 0 || box.bottom > innerHeight || !e.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
      };
      for (const y of [0, document.body.scrollHeight / 2, document.body.scrollHeight]) {
        scrollTo(0, y);
        for (const id of ['back', 'open-next', 'next']) if (covered(document.getElementById(id))) out.push(`${id} of question ${at} at ${Math.round(y)} px`);
      }
      for (const e of document.querySelectorAll('main button')) {
        e.focus();
        if (covered(e)) out.push(`${e.id || e.textContent} of question ${at}, with the focus`);
      }
      scrollTo(0, 0);
      return out;
    }, at));
  }
  check(hidden.length === 0, `${name}: nothing to press is under the head or the foot ${hidden.slice(0, 3).join('; ')}`);
  await close();
}

export async function sheet() {
  await everywhere('sheet', { shadows: false });
  await within('small', { width: 400, height: 640 });
  await within('low', { width: 1400, height: 560 });
  const { page, close } = await opened('light');
  const count = await page.locator('#map i').count();
  await stops(page, 'light');
  await accessible(page, 'light');
  await moves(page);
  await help(page);
  const file = await all(page, count);
  await accessible(page, 'answered');
  await foreign(page, 'light', '^#');
  await press(page, 'Home');
  for (let at = 1; at <= count; at++, await press(page, 'j')) await narrow(page, `question ${at}`);
  await page.context().setOffline(false);
  await page.reload();
  await page.context().setOffline(true);
  check((await answered(page)) === count && (await said(page)).includes('Welcome back'), 'what was picked outlives a reload');
  await press(page, 'u');
  check((await answered(page)) <= count && (await said(page)).includes('Took back'), 'and can be taken back');
  await close();

  const other = await opened('dark', { colorScheme: 'dark' });
  check((await answered(other.page)) === 0, 'another browser knows nothing');
  await chosen(other.page, file.path);
  check((await answered(other.page)) === count, 'o goes on with a saved file');
  await accessible(other.page, 'dark');
  for (const [name, text] of [['other.json', file.text.replace(/"sheet":"./, '"sheet":"x')], ['beyond.json', file.text.replace(/"pick":\d/, '"pick":99')], ['text.json', 'x']]) {
    await writeFile(join(folder, name), text);
    await chosen(other.page, join(folder, name));
    check((await other.page.locator('#said.bad').count()) === 1 && (await answered(other.page)) === count, `a file that does not fit changes nothing: ${await said(other.page)}`);
  }
  await other.close();

  const phone = await opened('phone', { viewport: { width: 400, height: 800 } });
  await narrow(phone.page, 'phone');
  await accessible(phone.page, 'phone');
  await phone.close();
}

// study checks the report of the answers: its figure, and the link from a disagreement to its
// texts.
export async function study() {
  await everywhere('study');
  const { page, close } = await open('light');
  await charts(page, 'light');
  await narrow(page, 'light');
  await accessible(page, 'light');
  const link = page.locator('[id^=view-differ] tbody th a').first();
  const texts = page.locator(await link.getAttribute('href'));
  check(!(await texts.isVisible()), 'texts of disagreements are folded away');
  await link.press('Enter');
  await settled(page);
  check(await texts.isVisible(), 'and a link leads to them');
  check((await texts.textContent()).includes('picked by'), 'who picked what stands beside them');
  await accessible(page, 'texts');
  await foreign(page, 'light', '^(#|data:image/svg)');
  await close();
}
