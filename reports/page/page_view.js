// Links to places and views: each heading has a link to itself, and the address keeps the
// order, search and columns of the table that was changed last, as in
// #ID-OF-TABLE&down=p-MRR&rows=uni&without=nDCG@5. A link gives others the same view.
// tableViews gives serve.js the views of tables, as URLSearchParams.
const tableViews = (() => {
  'use strict';

  // anchors gives headings without a link to themselves one.
  function anchors() {
    for (const heading of document.querySelectorAll('main :is(h2, h3, h4)[id$="-title"]:not([data-anchor])')) {
      heading.dataset.anchor = '';
      const link = document.createElement('a');
      link.className = 'anchor';
      link.href = `#${heading.id.replace(/-title$/, '')}`;
      link.textContent = '#';
      link.setAttribute('aria-label', `Link to ${heading.textContent.trim()}`);
      // The heading of a folded section is a button; its link is at the top of the open section.
      if (heading.parentElement.matches('summary')) heading.parentElement.after(link);
      else heading.append(' ', link);
    }
  }
  anchors();
  document.addEventListener('infbench:update', anchors);

  // controls lists the controls of a table by their names in addresses.
  function controls(table) {
    const out = {};
    const search = table.closest('.scroll')?.previousElementSibling;
    if (search?.matches('.filter')) out.rows = search.querySelector('input');
    for (const control of table.closest('section')?.querySelectorAll(':scope > .filters :is(select, input)') ?? []) {
      out[control.parentElement.firstChild.textContent.trim().toLowerCase().replace(' ', '-')] = control;
    }
    return out;
  }

  let applying = false;

  // of returns the view of a table.
  function of(table) {
    const view = new URLSearchParams();
    for (const { cell, flat } of tableColumns.of(table)) {
      const sorted = cell.getAttribute('aria-sort');
      if (sorted) view.append(sorted === 'descending' ? 'down' : 'up', flat);
      if (cell.hidden) view.append('without', flat);
    }
    for (const [name, control] of Object.entries(controls(table))) {
      if (control.value !== '') view.append(name, control.value);
    }
    return view;
  }

  // write puts the view of a table into the address.
  function write(table) {
    if (applying || !table.id || !table.tHead) return;
    const view = of(table);
    history.replaceState(history.state, '', `#${[table.id, view.toString().replace(/%(?:2F|40|28|29|2C|3A)/g, decodeURIComponent)].filter(Boolean).join('&')}`);
  }

  // show shows a view of a table; the address stays.
  function show(table, view) {
    applying = true;
    for (const column of tableColumns.of(table)) {
      const { cell, flat } = column;
      const without = view.getAll('without').includes(flat);
      if (without !== cell.hidden) tableColumns.show(table, column, !without);
      for (const [key, order] of [['up', 'ascending'], ['down', 'descending']]) {
        for (let i = 0; i < 2 && view.get(key) === flat && cell.getAttribute('aria-sort') !== order; i++) cell.querySelector('.sort').click();
      }
    }
    for (const [name, control] of Object.entries(controls(table))) {
      if (control.value === (view.get(name) ?? '')) continue;
      control.value = view.get(name) ?? '';
      control.dispatchEvent(new Event('input', { bubbles: true }));
    }
    applying = false;
  }

  // read shows the view that the address names.
  function read() {
    const [id, ...rest] = location.hash.slice(1).split('&');
    const table = rest.length > 0 && document.getElementById(id);
    if (table?.tHead) show(table, new URLSearchParams(rest.join('&')));
  }

  const tableOf = (place) => place.closest?.('section, figure')?.querySelector('table');
  document.addEventListener('infbench:view', ({ target }) => write(target));
  document.addEventListener('input', ({ target }) => {
    if (target.closest?.('.filter, .filters')) write(tableOf(target));
  });
  document.addEventListener('click', ({ target }) => {
    if (target.closest?.('.filters button')) write(tableOf(target));
  });
  addEventListener('hashchange', read);
  document.addEventListener('infbench:update', read); // the table may come later than the page
  read();

  return { of, show };
})();
