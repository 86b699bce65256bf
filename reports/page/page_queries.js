// One query or pair of instructions at a time, by the fragment
// #query=BENCHMARK/TASK/QUERY. All text from the data becomes text nodes.
(() => {
  'use strict';

  const place = document.getElementById('query-browser');
  if (!place) return;

  const parse = (id) => JSON.parse(document.getElementById(id).textContent);
  let pages; // reports.QueryPages, parsed on first use
  let values; // reports.Data
  const view = el('div'); // the shown query

  const name = (q) => `${q.benchmark}/${q.task}/${q.query}`;
  const fragment = (q) => `#query=${encodeURIComponent(name(q))}`;

  // el creates an element; children are nodes or texts.
  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === true) node.setAttribute(key, '');
      else if (value !== undefined && value !== false) node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  }

  const signed = (v) => {
    const s = (100 * v).toFixed(1);
    if (Number(s) === 0) return '0.0';
    return v > 0 ? `+${s}` : `−${s.slice(1)}`;
  };

  // floats decodes base64 of little-endian numbers and caches the result.
  function floats(entry) {
    if (!entry.floats) {
      const bytes = Uint8Array.from(atob(entry.v), (c) => c.charCodeAt(0));
      const view = new DataView(bytes.buffer);
      entry.floats = Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
    }
    return entry.floats;
  }

  // value returns the mean over some trials, null if one is missing.
  function value(trials, slot, query) {
    let sum = 0;
    let n = 0;
    for (const t of trials) {
      const entry = (values.trials[t].values ?? []).find((v) => v.s === slot);
      if (!entry) continue;
      const v = floats(entry)[values.queries[entry.q].indexOf(query)];
      if (v === undefined || Number.isNaN(v)) return null;
      sum += v;
      n++;
    }
    return n ? sum / n : null;
  }

  // apart marks the words that occur in only one of two texts (longest common
  // subsequence). Long texts are not marked.
  function apart(a, b) {
    const x = a.split(/\s+/);
    const y = b.split(/\s+/);
    if (x.length > 400 || y.length > 400) return [[a], [b]];
    const common = Array.from({ length: x.length + 1 }, () => new Uint16Array(y.length + 1));
    for (let i = x.length - 1; i >= 0; i--) {
      for (let j = y.length - 1; j >= 0; j--) {
        common[i][j] = x[i] === y[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    const out = [[], []];
    const put = (side, word, own) => {
      if (out[side].length) out[side].push(' ');
      out[side].push(own ? el('mark', {}, word) : word);
    };
    let i = 0;
    let j = 0;
    while (i < x.length || j < y.length) {
      if (i < x.length && j < y.length && x[i] === y[j]) {
        put(0, x[i++], false);
        put(1, y[j++], false);
      } else if (j >= y.length || (i < x.length && common[i + 1][j] >= common[i][j + 1])) put(0, x[i++], true);
      else put(1, y[j++], true);
    }
    return out;
  }

  function table(id, caption, heads, rows) {
    const th = (h) => el('th', { scope: 'col', class: h.number ? 'n' : undefined }, h.hidden ? el('span', { class: 'visually-hidden' }, h.hidden) : h.text);
    return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-labelledby': id },
      el('table', {},
        el('caption', { id }, caption),
        el('thead', {}, el('tr', {}, ...heads.map(th))),
        el('tbody', {}, ...rows.map((cells) => el('tr', {}, ...cells)))));
  }
  const head = (...children) => el('th', { scope: 'row' }, ...children);
  const cell = (...children) => el('td', {}, ...children);
  const numeric = (...children) => el('td', { class: 'n' }, ...children);

  // rank formats a rank; a document outside the ranking is right after its end.
  const rank = (r) => (r === 0 ? '–' : r.toLocaleString('en'));

  // bar draws a share of p-MRR to the left or right of the middle.
  function bar(share, most) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    const width = most ? (48 * Math.abs(share)) / most : 0;
    for (const [key, v] of Object.entries({ viewBox: '-50 0 100 10', width: 100, height: 10, class: 'share', 'aria-hidden': 'true' })) svg.setAttribute(key, v);
    for (const [key, v] of Object.entries({ x: share < 0 ? -width : 0, y: 1, width, height: 8, class: share < 0 ? 'lost' : 'won' })) rect.setAttribute(key, v);
    svg.append(rect);
    return svg;
  }

  // slotsOf lists the slots of a query's task with their indexes.
  const slotsOf = (q) => values.slots.map((s, i) => ({ ...s, i })).filter((s) => s.benchmark === q.benchmark && s.task === q.task);

  // run names the training run of the ranks, with its own p-MRR: the shares add up to
  // that value, not to the mean over runs.
  function run(q, { trials, shown }) {
    const trial = trials.find((t) => values.trials[t].id === shown);
    const slot = slotsOf(q).find((s) => s.measure === 'p-MRR');
    const v = trial === undefined || !slot ? null : value([trial], slot.i, q.id);
    const which = trials.length > 1 ? `trial ${shown.slice(0, 12)}, one of ${trials.length} runs` : `trial ${shown.slice(0, 12)}`;
    return v === null ? ` (${which}).` : `, which is ${signed(v)} in ${which}.`;
  }

  function documents(q, at) {
    const ranks = q.ranks?.[at];
    if (!q.documents) return el('p', { class: 'hint' }, 'No document changed its relevance here, or no ranks were kept.');
    if (!ranks) return el('p', { class: 'hint' }, 'The ranks of this system were not kept.');
    const shares = q.shares[at];
    const most = Math.max(...shares.map(Math.abs));
    const rows = q.documents.map((d, i) => {
      const doc = pages.documents[d];
      const text = [doc.title, doc.text].filter(Boolean).join(' — ');
      const before = ranks[2 * i];
      return [
        head(doc.id),
        numeric(rank(before)), numeric(rank(ranks[2 * i + 1])),
        numeric(before === 0 ? '–' : signed(shares[i])), cell(bar(shares[i], most)),
        el('td', { class: 'text' }, text || 'no text was kept'),
      ];
    });
    const left = q.left ? ` ${q.left} more changed documents are not shown.` : '';
    return table('query-documents', `Changed documents under ${pages.systems[at].label}: rank before and after the change, and share of the pair’s p-MRR ×100${run(q, pages.systems[at])}${left}`,
      [{ text: 'document' }, { text: 'before', number: true }, { text: 'after', number: true }, { text: 'share', number: true }, { hidden: 'share, drawn' }, { text: 'text' }], rows);
  }

  function scores(q, at) {
    const slots = slotsOf(q);
    const rows = pages.systems.map((system, i) => [
      i === at ? head(el('strong', {}, system.label)) : head(system.label),
      ...slots.map((s) => {
        const v = value(system.trials, s.i, q.id);
        if (v === null) return el('td', { class: 'n absent' }, '–');
        return numeric(s.measure === 'p-MRR' ? signed(v) : (100 * v).toFixed(1));
      }),
    ]);
    return table('query-values', 'Values ×100 of this query, means over training runs.',
      [{ text: 'system' }, ...slots.map((s) => ({ text: [s.measure, s.side].filter(Boolean).join(' '), number: true }))], rows);
  }

  function instructions(q) {
    if (!q.changed) return el('dl', { class: 'ask' }, ...(q.instruction ? [el('dt', {}, 'Instruction'), el('dd', {}, q.instruction)] : []));
    const [before, after] = apart(q.instruction ?? '', q.changed);
    return el('div', { class: 'sides' },
      el('section', {}, el('h4', {}, 'Original instruction'), el('p', {}, ...before)),
      el('section', {}, el('h4', {}, 'Changed instruction'), el('p', {}, ...after)));
  }

  const state = { query: null, system: 0, search: '', task: '', a: 0, b: 0, measure: '', sort: 'difference', shown: 20 };

  function select(label, options, chosen, change) {
    const node = el('select', {}, ...options.map(([value, text]) => el('option', { value, selected: value === chosen }, text)));
    node.addEventListener('change', () => change(node.value));
    return el('label', {}, `${label} `, node);
  }

  // main returns the default measure for comparing a query: p-MRR for pairs, else the
  // first of its task.
  function main(q) {
    const slots = slotsOf(q);
    return slots.find((s) => s.measure === 'p-MRR') ?? slots[0];
  }
  const scoring = (s) => [s.measure, s.side].filter(Boolean).join(' ');

  // found lists the queries with all words of the search, with the values of the two
  // systems, sorted; queries without a number come last. infbench query does the same.
  function found() {
    const wanted = state.search.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [];
    for (const q of pages.queries) {
      if (state.task && state.task !== `${q.benchmark}/${q.task}`) continue;
      const text = [name(q), q.text, q.instruction ?? '', q.changed ?? ''].join('\n').toLowerCase();
      if (!wanted.every((w) => text.includes(w))) continue;
      const on = state.measure ? slotsOf(q).find((s) => scoring(s) === state.measure) : main(q);
      if (!on) continue;
      const [a, b] = [state.a, state.b].map((i) => value(pages.systems[i].trials, on.i, q.id));
      rows.push({ q, on, a, b, difference: a === null || b === null ? null : a - b });
    }
    if (state.sort === 'id') return rows.sort((x, y) => (name(x.q) < name(y.q) ? -1 : 1));
    const [key, sign] = { difference: ['difference', 1], gain: ['difference', -1], a: ['a', 1], b: ['b', 1] }[state.sort];
    const better = (r) => (pages.lower?.includes(r.on.measure) ? -r[key] : r[key]);
    return rows.sort((x, y) => (x[key] === null) - (y[key] === null) || sign * (better(x) - better(y)));
  }

  const number = (s, v) => (v === null ? '–' : s.measure === 'p-MRR' ? signed(v) : (100 * v).toFixed(1));

  // finder returns the search: its fields stay while the list below them changes.
  function finder() {
    const list = el('div');
    const count = el('output', { class: 'hint' });
    const labels = pages.systems.map((s, i) => [String(i), s.label]);
    const tasks = [...new Set(pages.queries.map((q) => `${q.benchmark}/${q.task}`))];
    const measures = [...new Set(values.slots.filter((s) => tasks.includes(`${s.benchmark}/${s.task}`)).map(scoring))];
    const update = (key, as = String) => (v) => {
      state[key] = as(v);
      state.shown = 20;
      fill();
    };
    const search = el('input', { type: 'search', size: 24, autocomplete: 'off' });
    search.addEventListener('input', () => update('search')(search.value));
    const fields = el('form', { class: 'controls', 'aria-label': 'Find queries' },
      el('label', {}, 'Search ', search),
      select('in', [['', 'all tasks'], ...tasks.map((t) => [t, t])], '', update('task')),
      select('A', labels, String(state.a), update('a', Number)),
      select('B', labels, String(state.b), update('b', Number)),
      select('by', [['', 'the task’s first measure'], ...measures.map((m) => [m, m])], '', update('measure')),
      select('Sort', [['difference', 'A furthest behind B'], ['gain', 'A furthest before B'], ['a', 'worst of A'], ['b', 'worst of B'], ['id', 'ID']], state.sort, update('sort')));
    fields.addEventListener('submit', (e) => e.preventDefault());

    function fill() {
      const all = found();
      const shown = all.slice(0, state.shown);
      const [a, b] = [state.a, state.b].map((i) => pages.systems[i].label);
      count.textContent = `${all.length} of ${pages.queries.length} queries`;
      const rows = shown.map((r) => [
        head(el('a', { href: fragment(r.q) }, name(r.q))),
        cell(scoring(r.on)), numeric(number(r.on, r.a)), numeric(number(r.on, r.b)), numeric(r.difference === null ? '–' : signed(r.difference)),
        el('td', { class: 'text' }, r.q.text),
      ]);
      list.replaceChildren(table('query-list', `Queries with the values ×100 of ${a} (A) and ${b} (B), and A − B; means over training runs.`,
        [{ text: 'query' }, { text: 'measure' }, { text: a, number: true }, { text: b, number: true }, { text: 'A − B', number: true }, { text: 'text' }], rows));
      if (all.length > shown.length) {
        const more = el('button', { type: 'button', class: 'open' }, `Show ${Math.min(100, all.length - shown.length)} more`);
        more.addEventListener('click', () => {
          state.shown += 100;
          fill();
          list.querySelectorAll('tbody a')[shown.length]?.focus();
        });
        list.append(more);
      }
    }
    fill();
    return el('section', { class: 'finder', 'aria-label': 'Find queries' }, fields, count, list);
  }

  function show() {
    const q = state.query;
    const task = `${q.benchmark}/${q.task}`;
    const tasks = [...new Set(pages.queries.map((p) => `${p.benchmark}/${p.task}`))];
    const mates = pages.queries.filter((p) => `${p.benchmark}/${p.task}` === task);
    const at = mates.indexOf(q);
    const step = (text, to) => {
      const button = el('button', { type: 'button', disabled: !mates[to] }, text);
      button.addEventListener('click', () => {
        go(mates[to]);
        [...view.querySelectorAll('.steps button')].find((b) => b.textContent === text && !b.disabled)?.focus();
      });
      return button;
    };
    const controls = el('form', { class: 'controls', 'aria-label': 'Choose a query' },
      select('Task', tasks.map((t) => [t, t]), task, (t) => go(pages.queries.find((p) => `${p.benchmark}/${p.task}` === t))),
      select('Query', mates.map((m) => [m.query, m.query]), q.query, (id) => go(mates.find((m) => m.query === id))),
      select('System', pages.systems.map((s, i) => [String(i), s.label]), String(state.system), (i) => { state.system = Number(i); show(); }),
      el('span', { class: 'steps' }, step('Previous', at - 1), ' ', step('Next', at + 1)));
    controls.addEventListener('submit', (e) => e.preventDefault());
    const article = el('article', { id: 'query', tabindex: '-1', 'aria-labelledby': 'query-name' },
      el('h3', { id: 'query-name' }, name(q)),
      el('p', { class: 'asked' }, q.text),
      instructions(q),
      ...(q.changed ? [documents(q, state.system)] : []),
      scores(q, state.system));
    const focused = document.activeElement?.tagName === 'SELECT' && view.contains(document.activeElement)
      ? [...view.querySelectorAll('select')].indexOf(document.activeElement) : -1;
    view.replaceChildren(controls, article);
    if (focused >= 0) view.querySelectorAll('select')[focused].focus();
  }

  // go shows a query and puts it into the address without scrolling the page.
  function go(q) {
    state.query = q;
    history.replaceState(null, '', fragment(q));
    show();
  }

  function load() {
    if (pages) return;
    pages = parse('query-data');
    values = parse('report-data');
    const first = pages.systems.findIndex((s) => s.kind === 'trained');
    state.system = Math.max(0, first);
    [state.a, state.b] = [pages.a, pages.b];
    place.replaceChildren(finder(), view);
    place.hidden = false;
  }

  // fromAddress shows the query named by the fragment.
  function fromAddress() {
    const wanted = /^#query=(.*)$/.exec(location.hash);
    if (!wanted) return;
    load();
    let text = wanted[1];
    try { text = decodeURIComponent(text); } catch { /* use it unchanged */ }
    const q = pages.queries.find((p) => name(p) === text);
    if (!q) {
      view.replaceChildren(el('p', { class: 'notice', role: 'status' }, `No query ${text} is in this report.`));
      return;
    }
    state.query = q;
    show();
    view.scrollIntoView();
    document.getElementById('query').focus({ preventScroll: true });
  }

  for (const row of document.querySelectorAll('#queries-movers-table tbody th')) {
    const text = row.textContent;
    row.replaceChildren(el('a', { href: `#query=${encodeURIComponent(text)}` }, text));
  }
  const opener = el('button', { type: 'button', class: 'open' }, 'Look at single queries');
  opener.addEventListener('click', () => {
    load();
    go(pages.queries.find((q) => q.documents) ?? pages.queries[0]);
    document.getElementById('query').focus({ preventScroll: true });
  });
  place.append(opener);
  place.hidden = false;
  addEventListener('hashchange', fromAddress);
  fromAddress();
})();
