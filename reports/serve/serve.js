// Keeps a page of infbench serve up to date. The server sends the versions of its parts;
// outdated parts are requested and replaced, and everything that a reader opened, sorted
// or typed is kept. Pages are readable without this script.
(() => {
  'use strict';

  const connection = document.getElementById('connection');
  const charts = document.getElementById('charts');

  // collect gives page.js the options of all charts that are on the page.
  function collect() {
    if (!charts) return;
    const all = {};
    for (const part of document.querySelectorAll('script.options')) Object.assign(all, JSON.parse(part.textContent));
    charts.textContent = JSON.stringify(all);
  }
  collect(); // before page.js draws

  // --- putting parts in place ---------------------------------------------

  // keep carries the reader's changes over from an old element: charts keep their canvas,
  // unfolded details stay unfolded.
  function keep(old, fresh) {
    for (const figure of fresh.querySelectorAll('figure[id]')) {
      const was = old.querySelector(`#${CSS.escape(figure.id)}`);
      const canvas = was?.querySelector('.drawn > .live');
      const place = figure.querySelector('.live');
      if (canvas && place) {
        place.parentElement.classList.add('drawn');
        place.replaceWith(canvas);
      }
      if (was?.querySelector('details')?.open && figure.querySelector('details')) figure.querySelector('details').open = true;
    }
    for (const folded of old.querySelectorAll('details[id][open]')) {
      const now = fresh.querySelector(`#${CSS.escape(folded.id)}`);
      if (now) now.open = true;
    }
  }

  // rows replaces the changed rows of a table, and leaves the others alone.
  function rows(old, fresh) {
    const body = old.tBodies[0];
    const wanted = [...fresh.tBodies[0].rows];
    wanted.forEach((row, i) => {
      const now = body.rows[i];
      if (!now) body.append(row);
      else if (now.outerHTML !== row.outerHTML) now.replaceWith(row);
    });
    while (body.rows.length > wanted.length) body.rows[body.rows.length - 1].remove();
  }

  const raw = new WeakMap(); // part -> its source text

  // put replaces a part by the server's current version.
  function put(part, fresh) {
    const text = fresh.innerHTML;
    const version = fresh.dataset.version;
    if (raw.get(part) !== text) {
      const before = part.querySelector('#cells-table');
      const after = fresh.querySelector('#cells-table');
      const focused = part.contains(document.activeElement) ? document.activeElement.id : '';
      if (before && after) {
        rows(before, after);
        for (const other of ['#found', '.pager']) {
          const [was, now] = [part.querySelector(other), fresh.querySelector(other)];
          if (was && now) was.replaceWith(now);
          else if (was) was.remove();
          else if (now) part.append(now);
        }
      } else {
        const views = [...part.querySelectorAll('table.sortable[id]')].map((table) => [table.id, tableViews.of(table)]); // page_view.js
        keep(part, fresh);
        part.replaceChildren(...fresh.childNodes);
        collect();
        document.dispatchEvent(new Event('infbench:update'));
        for (const [id, view] of views) {
          const table = document.getElementById(id);
          if (table?.tHead) tableViews.show(table, view);
        }
      }
      if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
      raw.set(part, text);
    }
    part.dataset.version = version;
  }

  // --- asking for them ----------------------------------------------------

  // Follower follows the events of one run for the parts below its elements.
  class Follower {
    constructor(stream, elements) {
      this.stream = stream;
      this.elements = elements;
      this.parts = {};
      this.again = 0;
      this.asking = false;
      this.listen();
    }

    listen() {
      this.events?.close();
      this.events = new EventSource(this.stream);
      this.events.addEventListener('look', (e) => {
        const said = JSON.parse(e.data);
        this.boot = this.boot || said.boot;
        if (this.boot !== said.boot) this.all = true; // another server, with other versions
        this.boot = said.boot;
        this.parts = said.parts;
        tell(said.fault ? `${said.at}: ${said.fault}` : `Live: as of ${said.at}.`, said.fault);
        this.ask();
      });
      this.events.onerror = () => {
        tell('The connection is lost; trying again. The page shows the last known state.', true);
        if (this.events.readyState === EventSource.CLOSED) this.retry = this.retry || setTimeout(() => { this.retry = 0; this.listen(); }, 3000);
      };
    }

    close() {
      this.events.close();
    }

    // stale returns the parts that are older than the server's.
    stale() {
      return this.elements.flatMap((e) => [...e.querySelectorAll('[data-part]')])
        .filter((part) => part.dataset.part in this.parts && (this.all || Number(part.dataset.version) !== this.parts[part.dataset.part]));
    }

    // ask requests the stale parts, one request at a time, with pauses for other work.
    async ask(now = false) {
      if (this.asking || document.hidden) return;
      if (this.later) {
        if (!now) return;
        clearTimeout(this.later);
        this.later = 0;
      }
      const parts = this.stale();
      if (!parts.length) return;
      this.asking = true;
      const began = performance.now();
      const names = [...new Set(parts.map((p) => p.dataset.part))];
      try {
        const from = new URL(this.elements[0].dataset.from || location.href, location.href);
        from.hash = '';
        from.searchParams.set('part', names.join(','));
        if (window.echarts) from.searchParams.set('live', '1');
        const answer = await fetch(from, { headers: { Accept: 'text/html' } });
        if (!answer.ok) throw new Error(`the server says ${answer.status}`);
        const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
        this.all = false;
        for (const part of parts) {
          const found = fresh.querySelector(`[data-part="${part.dataset.part}"]`);
          if (found) put(part, document.adoptNode(found));
        }
      } catch (e) {
        tell(`This could not be updated: ${e.message}`, true);
      } finally {
        this.asking = false;
        const rest = Math.max(1000, 10 * (performance.now() - began));
        this.later = setTimeout(() => { this.later = 0; this.ask(); }, Math.min(rest, 15000));
      }
    }
  }

  function tell(text, bad) {
    if (!connection) return;
    if (connection.textContent !== text) connection.textContent = text;
    connection.classList.toggle('fault', Boolean(bad));
  }

  const streams = new Map();
  for (const e of document.querySelectorAll('[data-stream]')) {
    if (!streams.has(e.dataset.stream + (e.dataset.from || ''))) streams.set(e.dataset.stream + (e.dataset.from || ''), []);
    streams.get(e.dataset.stream + (e.dataset.from || '')).push(e);
  }
  const followers = [...streams.values()].map((elements) => new Follower(elements[0].dataset.stream, elements));

  // A browser has six connections to a server, so hidden tabs close theirs.
  document.addEventListener('visibilitychange', () => followers.forEach((f) => (document.hidden ? f.close() : f.listen())));
  addEventListener('pagehide', () => followers.forEach((f) => f.close()));
  addEventListener('pageshow', (e) => { if (e.persisted) followers.forEach((f) => f.listen()); });

  // --- the page of all runs -----------------------------------------------

  // It shows many runs and has no stream: it is requested again while it is visible.
  const again = [...document.querySelectorAll('[data-again]')];
  for (const part of again) raw.set(part, part.innerHTML);
  async function look() {
    if (document.hidden) return;
    try {
      const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
      if (answer.redirected) location.replace(answer.url); // there is one run, which has its own page
      if (!answer.ok) throw new Error(`the server says ${answer.status}`);
      const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
      for (const part of again) {
        const now = fresh.getElementById(part.id);
        if (!now || now.innerHTML === raw.get(part)) continue;
        raw.set(part, now.innerHTML);
        part.replaceChildren(...document.adoptNode(now).childNodes);
        document.dispatchEvent(new Event('infbench:update'));
      }
      tell(`Live: ${fresh.getElementById('connection').textContent}`.replace('As', 'as'), false);
    } catch {
      tell('The connection is lost; trying again. The page shows the last known state.', true);
    }
  }
  if (again.length) setInterval(look, 5000);

  // --- the cells that are shown -------------------------------------------

  const form = document.getElementById('filter');
  let typing = 0;
  function filter() {
    const asked = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    history.replaceState(null, '', asked.size ? `?${asked}` : location.pathname);
    followers.forEach((f) => { f.all = true; f.ask(true); });
  }
  form?.addEventListener('submit', (e) => { e.preventDefault(); filter(); });
  form?.addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(filter, 250); });
})();
