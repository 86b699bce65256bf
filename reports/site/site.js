'use strict';
// Sorts a table by the column whose heading is pressed: numbers from the highest, names from A.
for (const table of document.querySelectorAll('table.sortable')) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.querySelectorAll('th[data-column]')];
  const text = (row, column) => {
    const cell = row.cells[column].cloneNode(true);
    for (const under of cell.querySelectorAll('.under,.kind')) under.remove();
    return cell.textContent.trim().replace('\u2212', '-');
  };
  for (const head of heads) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const numeric = head.classList.contains('n');
      const was = head.getAttribute('aria-sort');
      const descending = was ? was === 'ascending' : numeric;
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      const key = (row) => {
        const own = text(row, Number(head.dataset.column));
        return numeric ? Number.parseFloat(own) : own;
      };
      const order = (a, b) => {
        const x = key(a);
        const y = key(b);
        if (numeric && (Number.isNaN(x) || Number.isNaN(y))) return Number.isNaN(x) - Number.isNaN(y);
        const by = numeric ? x - y : x.localeCompare(y, 'en', { numeric: true });
        return descending ? -by : by;
      };
      body.append(...[...body.rows].sort(order));
    });
  }
}
