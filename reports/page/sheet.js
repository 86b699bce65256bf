'use strict';
(() => {
  const sheet = JSON.parse(document.getElementById('data').textContent);
  const questions = sheet.questions;
  const $ = (id) => document.getElementById(id);
  const none = 'none';

  // The actions in order: [question, pick]. The last entry of each question is its pick;
  // undo removes the last entry.
  let log = [];
  let here = 0;
  let saved = 0; // number of log entries in the saved file; -1 if it has others

  const picks = () => new Map(log);
  const shelf = `infbench-picks ${sheet.sheet}`;

  // say shows a message on the page and to screen readers.
  function say(text, kind = '') {
    $('said').textContent = text;
    $('said').className = kind;
  }

  // keep stores the log in the browser, which may refuse; only files count.
  function keep() {
    try {
      localStorage.setItem(shelf, JSON.stringify({ log, here, saved }));
      return true;
    } catch {
      return false;
    }
  }

  function restore() {
    let kept;
    try {
      kept = JSON.parse(localStorage.getItem(shelf));
    } catch {
      return;
    }
    if (!kept || !Array.isArray(kept.log) || !kept.log.every((e) => Array.isArray(e) && fits(e[0], e[1]))) return;
    log = kept.log;
    here = questions[kept.here] ? kept.here : 0;
    saved = kept.saved;
    if (log.length) say(`Welcome back: ${answered()} answered, kept in this browser.`);
  }

  // fits reports whether a pick is valid for that question.
  function fits(question, pick) {
    const q = questions[question];
    return q !== undefined && (pick === none || (Number.isInteger(pick) && pick >= 1 && pick <= q.passages.length));
  }

  const answered = () => `${picks().size} of ${questions.length}`;

  // isCode reports whether lines are indented or end like those of programs.
  const isCode = (text) => /\n(\t| {2,})\S/.test(text) || /[;{}]\n/.test(text);

  // passage returns one candidate with the button that picks it.
  function passage(text, number) {
    const item = document.createElement('li');
    item.className = 'passage';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'number';
    button.textContent = number;
    button.setAttribute('aria-label', `Passage ${number}`);
    button.setAttribute('aria-describedby', `text-${number}`);
    if (number <= 9) button.setAttribute('aria-keyshortcuts', number);
    const body = document.createElement('div');
    body.className = isCode(text) ? 'text code' : 'text';
    body.id = `text-${number}`;
    body.dir = 'auto';
    body.textContent = text;
    item.append(button, body);
    item.addEventListener('click', (e) => {
      if (e.target === button || getSelection().isCollapsed) pick(number); // a reader who selects text does not pick
    });
    return item;
  }

  // show displays the question; mark updates only the parts that change with a pick.
  function show() {
    const q = questions[here];
    const of = document.createElement('small');
    of.textContent = ` of ${questions.length}`;
    $('title').replaceChildren(`Question ${here + 1}`, of);
    $('instruction').textContent = q.instruction;
    $('query').textContent = q.query;
    $('passages').replaceChildren(...q.passages.map((text, i) => passage(text, i + 1)));
    $('asked').scrollTop = 0;
    scrollTo(0, 0);
    mark();
  }

  function mark() {
    const all = picks();
    const chosen = all.get(here);
    [...$('passages').children].forEach((item, i) => {
      item.classList.toggle('picked', chosen === i + 1);
      item.firstChild.setAttribute('aria-pressed', chosen === i + 1);
    });
    $('none').setAttribute('aria-pressed', chosen === none);
    [...$('map').children].forEach((dot, i) => {
      dot.classList.toggle('done', all.has(i));
      dot.classList.toggle('here', i === here);
    });
    $('count').textContent = `${answered()} answered`;
    $('progress').value = all.size;
    $('undo').disabled = log.length === 0;
    $('back').disabled = here === 0;
    $('next').disabled = here === questions.length - 1;
    $('open-next').disabled = all.size === questions.length;
    $('save').classList.toggle('due', all.size === questions.length && saved !== log.length);
    document.title = `${here + 1}/${questions.length} · sheet of ${sheet.annotator}`;
  }

  // go shows a question and puts the focus where reading begins.
  function go(to) {
    if (!questions[to]) return;
    here = to;
    show();
    $('title').focus({ preventScroll: true });
    keep();
  }

  // nextOpen returns the nearest question without an answer, first among later questions,
  // then among earlier ones; -1 if there is none.
  function nextOpen() {
    const all = picks();
    const order = questions.map((_, i) => (here + 1 + i) % questions.length);
    return order.find((i) => !all.has(i)) ?? -1;
  }

  const named = (pick) => (pick === none ? 'none of them' : `passage ${pick}`);

  function pick(choice) {
    if (!fits(here, choice)) {
      say(`Question ${here + 1} has ${questions[here].passages.length} passages.`, 'bad');
      return;
    }
    if (saved > log.length) saved = -1;
    if (picks().get(here) !== choice) log.push([here, choice]);
    const kept = keep() ? '' : ' This browser keeps nothing: save often.';
    const at = here + 1;
    const next = nextOpen();
    if (next < 0) {
      say(`Question ${at}: ${named(choice)}. All ${questions.length} are answered: press s to save the file.${kept}`, 'done');
      mark();
      return;
    }
    say(`Question ${at}: ${named(choice)}. u takes it back.${kept}`);
    if ($('go').checked) go(next);
    else mark();
  }

  function undo() {
    const last = log.pop();
    if (!last) {
      say('There is nothing to undo.');
      return;
    }
    if (saved > log.length) saved = -1;
    const before = picks().get(last[0]);
    say(`Took back ${named(last[1])} for question ${last[0] + 1}${before === undefined ? '' : `: ${named(before)} again`}.`);
    go(last[0]);
  }

  // sorted returns the picks in the order of the sheet.
  const sorted = () => [...picks()].sort((a, b) => a[0] - b[0]).map(([i, p]) => ({ item: i + 1, pick: p }));

  function download(name, type, text) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    saved = log.length;
    keep();
    mark();
    say(`Saved ${name}: ${answered()} answered.`, picks().size === questions.length ? 'done' : '');
  }

  function save() {
    const { format, sheet: code, annotator } = sheet;
    const head = JSON.stringify({ format, sheet: code, annotator }).slice(0, -1);
    const lines = sorted().map((p) => JSON.stringify(p)).join(',\n');
    download(`picks-${annotator}.json`, 'application/json', `${head},"picks":[\n${lines}\n]}\n`);
  }

  function saveCSV() {
    const all = picks();
    const rows = questions.map((_, i) => [sheet.sheet, sheet.annotator, i + 1, all.get(i) ?? ''].join(','));
    download(`picks-${sheet.annotator}.csv`, 'text/csv', `${['sheet,annotator,item,pick', ...rows].join('\r\n')}\r\n`);
  }

  // take continues from a saved file. A file that does not fit changes nothing.
  function take(text, name) {
    let file;
    try {
      file = JSON.parse(text);
    } catch {
      return say(`${name} was not saved by this page.`, 'bad');
    }
    if (file?.format !== sheet.format || !Array.isArray(file.picks)) return say(`${name} was not saved by this page.`, 'bad');
    if (file.sheet !== sheet.sheet) return say(`${name} belongs to another sheet${file.annotator ? `, that of ${file.annotator}` : ''}.`, 'bad');
    const wrong = file.picks.find((p) => !fits(p.item - 1, p.pick));
    if (wrong) return say(`${name}: ${JSON.stringify(wrong)} does not fit this sheet.`, 'bad');
    log = file.picks.map((p) => [p.item - 1, p.pick]);
    saved = log.length;
    here = questions.length - 1;
    const next = nextOpen();
    go(next < 0 ? 0 : next);
    return say(`Opened ${name}: ${answered()} answered.`);
  }

  async function opened() {
    const [file] = $('file').files;
    $('file').value = '';
    if (file) take(await file.text(), file.name);
  }

  // walk moves the focus through the passages. It first scrolls to the end of a passage
  // that is taller than the window.
  function walk(step) {
    const stops = [...document.querySelectorAll('.number'), $('none')];
    const at = stops.indexOf(document.activeElement);
    const box = (at < 0 ? $('title') : stops[at]).closest('li')?.getBoundingClientRect();
    const room = { top: document.querySelector('header').offsetHeight, bottom: innerHeight - document.querySelector('footer').offsetHeight };
    if (box && (step > 0 ? box.bottom > room.bottom + 1 : box.top < room.top - 1)) {
      scrollBy(0, (step * (room.bottom - room.top)) / 2);
      return;
    }
    const next = stops[at < 0 && step < 0 ? stops.length - 1 : at + step];
    if (!next) return;
    next.focus({ preventScroll: true });
    const card = next.closest('li') ?? next;
    card.scrollIntoView({ block: card.offsetHeight > room.bottom - room.top ? (step > 0 ? 'start' : 'end') : 'nearest' });
  }

  function help() {
    if ($('help').open) $('help').close();
    else $('help').showModal();
  }

  const stay = () => {
    $('go').checked = !$('go').checked;
    say($('go').checked ? 'A pick goes on to the next question.' : 'A pick stays on its question.');
  };

  const openNext = () => {
    const next = nextOpen();
    if (next < 0) say('All questions are answered.', 'done');
    else go(next);
  };

  const keys = {
    n: () => pick(none), u: undo, s: save, c: saveCSV, o: () => $('file').click(), a: stay, g: openNext, '?': help,
    j: () => go(here + 1), ArrowRight: () => go(here + 1), k: () => go(here - 1), ArrowLeft: () => go(here - 1),
    ArrowDown: () => walk(1), ArrowUp: () => walk(-1), Home: () => go(0), End: () => go(questions.length - 1),
  };

  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    if ($('help').open && key !== '?') return;
    const act = /^[1-9]$/.test(key) ? () => pick(Number(key)) : Object.hasOwn(keys, key) && keys[key];
    if (!act) return;
    e.preventDefault();
    act();
  });

  for (const [id, act] of Object.entries({ undo, open: keys.o, csv: saveCSV, save, keys: help, none: keys.n, back: keys.k, next: keys.j, 'open-next': openNext })) {
    $(id).addEventListener('click', act);
  }
  $('file').addEventListener('change', opened);
  $('map').append(...questions.map(() => document.createElement('i')));
  $('map').addEventListener('click', (e) => {
    if (e.target !== $('map')) go([...$('map').children].indexOf(e.target));
  });

  // What is scrolled to, or gets the focus, stays between the head and the foot.
  const [head, foot] = ['header', 'footer'].map((name) => document.querySelector(name));
  const edges = new ResizeObserver(() => {
    document.documentElement.style.scrollPadding = `${head.offsetHeight + 12}px 0 ${foot.offsetHeight + 12}px`;
  });
  edges.observe(head);
  edges.observe(foot);

  restore();
  $('question').hidden = false;
  show();
  if (!keep()) {
    say('This browser keeps nothing between visits: save often.', 'bad');
    addEventListener('beforeunload', (e) => {
      if (saved !== log.length) e.preventDefault();
    });
  }
})();
