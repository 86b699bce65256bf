// Filters of a board of published models with columns of size and type: by type and by
// a range of sizes, in addition to the search that every board has. Its charts follow.
(() => {
  'use strict';

  const million = 1e6;
  let options; // of the charts, parsed on first use

  // labelled returns a label with a control.
  function labelled(text, control, unit = '') {
    const label = document.createElement('label');
    label.append(text, ' ', control, unit);
    return label;
  }

  function choice(names) {
    const select = document.createElement('select');
    for (const name of ['all types', ...names]) select.add(new Option(name, name === 'all types' ? '' : name));
    return select;
  }

  function bound() {
    const input = document.createElement('input');
    input.type = 'number';
    input.min = 0;
    input.step = 'any';
    return input;
  }

  // matches reports whether a model has a type and is within a range. A model of unknown
  // size is in no range.
  function matches({ size, type }, wanted) {
    if (wanted.type && type !== wanted.type) return false;
    if (wanted.from === null && wanted.to === null) return true;
    return size !== null && size >= (wanted.from ?? 0) && size <= (wanted.to ?? Infinity);
  }

  // modelsOf returns the rows of a board with the properties that filters use. On a phone, size and
  // type are below the name, so that there is space for numbers.
  function modelsOf(table) {
    const columns = ['size', 'type'].map((name) => [...table.querySelectorAll('th[data-column]')].find((th) => th.textContent === name));
    const cellsOf = (row) => columns.map((th) => th && row.cells[th.dataset.column]);
    for (const th of columns) th?.classList.add('roomy');
    return [...table.tBodies[0].rows].map((row) => {
      const name = row.cells[0].textContent.trim();
      const cells = cellsOf(row).filter(Boolean);
      for (const cell of cells) cell.classList.add('roomy');
      const below = document.createElement('span');
      below.className = 'under sizing';
      below.textContent = cells.map((cell) => cell.textContent).filter(Boolean).join(', ');
      row.cells[0].append(' ', below);
      const [size, type] = cellsOf(row);
      return { row, name, size: size?.dataset.sort === undefined ? null : Number(size.dataset.sort) / million, type: type ? type.textContent.trim() : '' };
    });
  }

  function fill(place) {
    const section = place.parentElement;
    const boards = [...section.querySelectorAll('table[id*="-leaderboard"]')];
    const models = boards.flatMap(modelsOf);
    const type = choice([...new Set(models.map((m) => m.type).filter(Boolean))].sort());
    const [from, to] = [bound(), bound()];
    const reset = document.createElement('button');
    reset.type = 'button';
    reset.textContent = 'all models';
    const left = document.createElement('span');
    left.setAttribute('role', 'status');
    place.className = 'controls filters';
    place.append(labelled('Type', type), labelled('Size from', from), labelled('to', to, ' million parameters'), reset, left);
    place.hidden = false;

    const number = (input) => (input.value === '' || !Number.isFinite(input.valueAsNumber) ? null : input.valueAsNumber);
    function apply() {
      const wanted = { type: type.value, from: number(from), to: number(to) };
      const words = (section.querySelector('.filter input')?.value ?? '').toLowerCase().split(/\s+/); // of the first board, for all
      for (const m of models) {
        const text = m.row.cells[0].textContent.toLowerCase();
        m.row.classList.toggle('unmatched', !words.every((word) => text.includes(word)) || !matches(m, wanted));
      }
      const shown = models.filter(({ row }) => !row.hidden && !row.classList.contains('unmatched'));
      left.textContent = shown.length < models.length ? `${shown.length} of ${models.length} models` : '';
      draw(section, new Set(shown.map((m) => m.name)), shown.length === models.length);
    }
    section.addEventListener('input', apply); // also for the search, after it has hidden rows
    reset.addEventListener('click', () => {
      type.value = '';
      from.value = '';
      to.value = '';
      apply();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply); // charts are drawn again
  }

  // draw shows only the points of the given models in the charts of a section. The first
  // line of a point's tooltip is its model.
  function draw(section, shown, all) {
    if (!window.echarts) return;
    options ??= JSON.parse(document.getElementById('charts').textContent);
    for (const place of section.querySelectorAll('[id$="-size"] [data-chart]')) {
      const chart = echarts.getInstanceByDom(place);
      if (!chart) continue;
      const series = options[place.dataset.chart].option.series.map(({ data }) => ({
        data: all ? data : data.filter(({ value }) => shown.has(value.at(-1).split('\n')[0])),
      }));
      chart.setOption({ series });
    }
  }

  for (const place of document.querySelectorAll('[id^="published-"][id$="-filters"]')) fill(place);
})();
