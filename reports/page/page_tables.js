// Sorting of tables: the headings of their columns become buttons.
(() => {
  'use strict';

  // key returns the sort key of a cell: its number, or its text; null if it has no
  // number in a column of numbers.
  function key(row, column, numeric) {
    const cell = row.cells[column];
    if (!numeric) return cell.textContent.trim();
    return cell.dataset.sort === undefined ? null : Number(cell.dataset.sort);
  }

  function sortBy(table, heading) {
    const column = Number(heading.dataset.column);
    const numeric = heading.classList.contains('n');
    const was = heading.getAttribute('aria-sort');
    const down = was ? was === 'ascending' : numeric; // numbers start with the highest
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: key(row, column, numeric) }));
    rows.sort((a, b) => {
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
      const order = numeric ? a.key - b.key : a.key.localeCompare(b.key, 'en', { numeric: true });
      return down ? -order : order;
    });
    body.append(...rows.map((r) => r.row));
    table.querySelectorAll('[aria-sort]').forEach((h) => h.removeAttribute('aria-sort'));
    heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    table.dispatchEvent(new CustomEvent('infbench:view', { bubbles: true })); // see page_view.js
  }

  // whole keeps short words with a hyphen, such as p-MRR, on one line.
  const whole = (heading) => heading.split(/( )/).map((word) => {
    if (!word.includes('-') || word.length > 12) return word;
    const span = document.createElement('span');
    span.className = 'whole';
    span.textContent = word;
    return span;
  });

  // sortable adds the sort buttons to tables without them.
  function sortable() {
    for (const table of document.querySelectorAll('table.sortable:not([data-buttons])')) {
      table.dataset.buttons = '';
      for (const heading of table.querySelectorAll('th[data-column]')) {
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'sort';
        for (const node of [...heading.childNodes]) button.append(...(node.nodeType === Node.TEXT_NODE ? whole(node.data) : [node]));
        heading.replaceChildren(button);
        button.addEventListener('click', () => sortBy(table, heading));
      }
    }
  }
  sortable();
  document.addEventListener('infbench:update', sortable); // for pages that a server updates
})();
