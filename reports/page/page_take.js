// What readers take away: tables as CSV, LaTeX and Markdown in the form of infbench report,
// charts as SVG and PNG, cells as numbers. A menu next to each table and chart has them, and
// the choice of columns. What is hidden is not copied. tableColumns.of lists the columns of a
// table, tableColumns.show hides or shows one.
const tableColumns = (() => {
  'use strict';

  const marks = { partial: '*', top: '†', aggregate: '‡' }; // set in words/marks.go
  const better = '▲';
  const worse = '▽';

  // element creates an element with properties and children.
  function element(name, properties = {}, ...children) {
    const e = Object.assign(document.createElement(name), properties);
    e.append(...children);
    return e;
  }

  // --- reading a table ----------------------------------------------------

  // textOf returns the text of an element without the parts that only the page has, with
  // hyphens for the minus signs of numbers.
  function textOf(e) {
    const copy = e.cloneNode(true);
    copy.querySelectorAll('.under, .kind, .take').forEach((part) => part.remove());
    return copy.textContent.trim().replace(/(^|[[ ])−(?=\d)/g, '$1-');
  }

  // columnsOf lists the columns of a table with their shared headings; flat is the name of a column
  // as files have it, with the shared heading before it.
  function columnsOf(table) {
    const columns = [];
    const [top, bottom] = table.tHead.rows;
    const below = bottom ? [...bottom.cells] : [];
    const own = (cell, group) => columns.push({ cell, group, name: textOf(cell), number: cell.classList.contains('n'), index: Number(cell.dataset.column) });
    let at = 0;
    for (const cell of top.cells) {
      if (!cell.classList.contains('group')) {
        own(cell, '');
        continue;
      }
      const spans = Number(cell.dataset.columns ?? cell.colSpan);
      for (const end = at + spans; at < end; at++) own(below[at], textOf(cell));
    }
    for (const column of columns) column.flat = `${column.group} ${column.name}`.trim();
    return columns;
  }

  // read returns what a table shows: its visible columns and rows, and its texts.
  function read(table) {
    const columns = columnsOf(table).filter(({ cell }) => !cell.hidden);
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden && !row.classList.contains('unmatched')).map((row) => ({
      kind: row.classList[0] ?? '',
      cells: columns.map(({ index }) => {
        const cell = row.cells[index];
        return { text: textOf(cell), value: cell.dataset.sort, best: cell.querySelector(':scope > strong') !== null, tones: [...cell.classList] };
      }),
    }));
    const figure = table.closest('figure');
    const hidden = table.caption.querySelector('.visually-hidden');
    const title = hidden.textContent.replace(/\. $/, '');
    let said = textOf(table.caption).slice(hidden.textContent.trim().length).trim();
    const [, colours = ''] = /(?:^| )(Coloured entries .*?)(?= Green: |$)/.exec(said) ?? [];
    const [, against = ''] = /(?:^| )Green: significantly better than (.*); orange: significantly worse\.$/.exec(said) ?? [];
    said = said.replace(/(^| )Green: significantly better than .*$/, '').replace(/(^| )Coloured entries .*$/, '');
    if (figure) said = `${figure.querySelector('figcaption p').textContent} ${said}`.trim();
    const after = table.closest('.scroll').nextElementSibling;
    const notes = after?.matches('ul.notes') ? [...after.children].map((note) => note.textContent) : [];
    return { id: table.id, title: figure ? figure.querySelector('h4').firstChild.textContent : title, said, colours, against, columns, rows, notes };
  }

  // split splits a cell of a column of numbers into its number and marks.
  function split({ text, value }) {
    if (value === undefined) return [text, ''];
    const number = text.replace(/[*†‡]+$/, '');
    return [number, text.slice(number.length)];
  }

  // --- CSV ----------------------------------------------------------------

  // exact returns the full value of a cell if its text shows that value, as it is or ×100, and
  // whether the text says more. Sort keys may be other numbers, such as the best of several ranks.
  function exact(cell) {
    const found = /^(<?)([+-]?[\d,]*\.?\d+)%?(.*)$/.exec(split(cell)[0]);
    if (cell.value === undefined || !found) return null;
    const [, less, digits, rest] = found;
    const shown = Number(digits.replaceAll(',', ''));
    const value = Number(cell.value);
    const half = 0.5000001 * 10 ** -(digits.split('.')[1] ?? '').length;
    const near = (v) => (less ? v < shown : Math.abs(v - shown) <= half);
    return near(value) || near(100 * value) ? { value: cell.value, more: rest !== '' } : null;
  }

  // guarded returns a text that spreadsheets do not run as a formula (words.Guarded).
  const guarded = (text) => (/^\s*[=+\-@|%]/.test(text) ? `'${text}` : text);

  const quoted = (text) => (/[",\r\n]|^\s|^\\\.$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  // csv has the full values of numbers, and the texts of cells that show more than a number.
  function csv({ columns, rows }) {
    const lines = [[], ...rows.map(() => [])];
    columns.forEach(({ flat, number }, j) => {
      const cells = rows.map((row) => row.cells[j]);
      const values = cells.map((cell) => (number ? exact(cell) : null));
      const plain = (cell) => guarded(cell.text);
      lines[0].push(guarded(flat));
      const some = values.some(Boolean);
      cells.forEach((cell, i) => lines[i + 1].push(values[i] ? values[i].value : some ? '' : plain(cell)));
      if (some && cells.some((cell, i) => values[i]?.more || !values[i] && !/^[–-]?$/.test(cell.text))) {
        lines[0].push(guarded(`${flat}, as shown`));
        cells.forEach((cell, i) => lines[i + 1].push(plain(cell)));
      }
    });
    return lines.map((line) => `${line.map(quoted).join(',')}\n`).join('');
  }

  // --- LaTeX --------------------------------------------------------------

  // commands are the replacements of table.LatexText.
  const commands = {
    '\\': '\\textbackslash{}', '{': '\\{', '}': '\\}', $: '\\$', '&': '\\&', '#': '\\#', '%': '\\%', _: '\\_',
    '~': '\\textasciitilde{}', '^': '\\textasciicircum{}', '<': '\\textless{}', '>': '\\textgreater{}', '--': '-{}-',
    '−': '$-$', '×': '$\\times$', '±': '$\\pm$', '≤': '$\\le$', '≥': '$\\ge$', '–': '--',
    [marks.top]: '$^{\\dagger}$', [marks.aggregate]: '$^{\\ddagger}$', [better]: '$^{\\blacktriangle}$', [worse]: '$^{\\triangledown}$',
  };
  const inLatex = (text) => text.replace(/--|[\\{}$&#%_~^<>−×±≤≥–†‡▲▽]/g, (sign) => commands[sign]);

  function latex(t) {
    const significance = ({ tones, value }) => {
      if (!(t.colours || t.against) || value === undefined || tones.includes('once')) return '';
      return tones.includes('better') ? better : tones.includes('worse') ? worse : '';
    };
    const entry = (cell, { number }) => {
      const bold = (text) => (cell.best ? `\\textbf{${text}}` : text);
      if (!number) return bold(inLatex(cell.text));
      const [value, after] = split(cell);
      return bold(inLatex(value.replace(/(^|[[ ])-(?=\d)/g, '$1−'))) + inLatex(after).replace(/^\*/, '$^{*}$$') + inLatex(significance(cell));
    };
    const numbers = t.rows.flatMap(({ cells }) => cells.filter((cell, j) => t.columns[j].number && cell.value !== undefined));
    const notes = [...t.notes];
    if (numbers.some((cell) => split(cell)[1].includes(marks.partial))) notes.unshift(`${marks.partial} A mean over fewer values than planned.`);
    if (numbers.some(significance)) {
      notes.unshift(t.against ? `${better}: significantly better than ${t.against}, ${worse}: significantly worse.`
        : `${better}: better, ${worse}: worse. ${t.colours.replace('Coloured', 'Marked')}`);
    }
    const row = (cells) => `${cells.join(' & ')} \\\\`;
    const lines = [
      '\\begin{table}', '\\centering', `\\caption{${inLatex(`${t.title}. ${t.said}`.trim())}}`, `\\label{tab:${t.id}}`,
      `\\begin{tabular}{@{}${t.columns.map(({ number }) => (number ? 'r' : 'l')).join('')}@{}}`, '\\toprule', ...groups(t.columns),
      row(t.columns.map(({ name }) => inLatex(name))), '\\midrule',
    ];
    const starts = t.rows.filter(({ kind }, i) => i === 0 || kind !== t.rows[i - 1].kind);
    const grouped = starts.length === new Set(starts.map(({ kind }) => kind)).size;
    t.rows.forEach(({ kind, cells }, i) => {
      if (i > 0 && grouped && kind !== t.rows[i - 1].kind) lines.push('\\addlinespace');
      lines.push(row(cells.map((cell, j) => entry(cell, t.columns[j]))));
    });
    lines.push('\\bottomrule', '\\end{tabular}', ...notes.map((note) => `\\par\\footnotesize ${inLatex(note).replace(/^\* /, '$^{*}$$ ')}`), '\\end{table}');
    return `${lines.join('\n')}\n`;
  }

  // groups returns the lines of shared headings and of the rules below them.
  function groups(columns) {
    if (!columns.some(({ group }) => group)) return [];
    const [cells, rules] = [[], []];
    for (let j = 0, end; j < columns.length; j = end) {
      for (end = j + 1; end < columns.length && columns[end].group === columns[j].group; end++);
      cells.push(`\\multicolumn{${end - j}}{c}{${inLatex(columns[j].group)}}`);
      if (columns[j].group) rules.push(`\\cmidrule(lr){${j + 1}-${end}}`);
    }
    return [`${cells.join(' & ')} \\\\`, rules.join(' ')];
  }

  // --- Markdown -----------------------------------------------------------

  const entities = { '<': '&lt;', '>': '&gt;', '&': '&amp;', $: '&#36;' };
  const inMarkdown = (text) => text.replace(/[<>&$]/g, (sign) => entities[sign]).replace(/[|*_`[\]\\~!]|#(?!36;)/g, '\\$&');

  function markdown({ columns, rows }) {
    const lines = [
      columns.map(({ group, name }) => `${inMarkdown(group)} ${inMarkdown(name)}`.trim()),
      ...rows.map(({ cells }) => cells.map(({ text, best }) => (best ? `**${inMarkdown(text)}**` : inMarkdown(text)))),
    ];
    const widths = columns.map((_, j) => Math.max(...lines.map((line) => [...line[j]].length)));
    const pad = (text, j) => {
      const space = ' '.repeat(widths[j] - [...text].length);
      return columns[j].number ? ` ${space}${text} ` : ` ${text}${space} `;
    };
    const [head, ...body] = lines.map((line) => `|${line.map(pad).join('|')}|\n`);
    const rule = columns.map(({ number }, j) => (number ? `${'-'.repeat(widths[j] + 1)}:` : `:${'-'.repeat(widths[j] + 1)}`));
    return `${head}|${rule.join('|')}|\n${body.join('')}`;
  }

  // --- charts -------------------------------------------------------------

  // light removes the dark colours of a drawing.
  const light = (svg) => svg.replace(/@media \(prefers-color-scheme:dark\)\{(?:[^{}]*\{[^{}]*\})*\}/g, '');

  // drawingOf returns the static drawing of a figure in light colours, below its title.
  function drawingOf(figure) {
    const image = figure.querySelector('img.static');
    const source = new TextDecoder().decode(Uint8Array.from(atob(image.src.split(',')[1]), (c) => c.charCodeAt(0)));
    const room = 30; // headingRoom of chart/picture.go
    const width = Number(image.getAttribute('width'));
    const height = Number(image.getAttribute('height')) + room;
    const title = new Option(figure.querySelector('h4').firstChild.textContent).innerHTML;
    return {
      width,
      height,
      svg: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><title>${title}</title>` +
        `<text x="4" y="18" style="font:600 13px Helvetica,Arial,sans-serif;fill:#1B2430">${title}</text>${light(source).replace('<svg ', `<svg y="${room}" `)}</svg>\n`,
    };
  }

  // png paints a drawing on white, at twice its size.
  async function png({ svg, width, height }) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = element('canvas', { width: 2 * width, height: 2 * height });
    const brush = canvas.getContext('2d');
    brush.fillStyle = '#fff';
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => { canvas.toBlob(done, 'image/png'); });
  }

  function save(name, blob) {
    const link = element('a', { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  // --- menus --------------------------------------------------------------

  const status = element('div', { className: 'visually-hidden' });
  status.setAttribute('role', 'status');
  document.body.append(status);

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // a browser without the interface, or a page from an address without TLS
      const field = element('textarea', { value: text, className: 'visually-hidden' });
      (document.querySelector('.take[popover]:popover-open') ?? document.body).append(field);
      field.select();
      const done = document.execCommand('copy');
      field.remove();
      if (!done) throw new Error('the browser does not allow it');
    }
  }

  // show hides or shows a column.
  function show(table, column, shown) {
    for (const row of table.tBodies[0].rows) row.cells[column.index].hidden = !shown;
    column.cell.hidden = !shown;
    let at = 0;
    const below = table.tHead.rows[1]?.cells ?? [];
    for (const head of table.tHead.rows[0].querySelectorAll('.group')) {
      head.dataset.columns ??= head.colSpan;
      const own = [...below].slice(at, at += Number(head.dataset.columns)).filter((cell) => !cell.hidden);
      head.hidden = own.length === 0;
      if (own.length > 0) head.colSpan = own.length;
    }
    table.dispatchEvent(new CustomEvent('infbench:view', { bubbles: true }));
  }

  // picker offers the columns of a table, except the names of its rows.
  function picker(table) {
    const columns = columnsOf(table).filter(({ index }) => index > 0);
    const boxes = columns.map((column) => {
      const box = element('input', { type: 'checkbox', checked: !column.cell.hidden });
      box.addEventListener('change', () => show(table, column, box.checked));
      return element('label', {}, box, ` ${column.flat || 'without a name'}`);
    });
    return columns.length > 1 ? [element('fieldset', {}, element('legend', { textContent: 'Columns' }), ...boxes)] : [];
  }

  // menu fills the menu of a table, of a figure, or of both.
  function menu(list, button, table, figure) {
    const item = (text, take, said) => {
      const b = element('button', { type: 'button', textContent: text });
      b.addEventListener('click', async () => {
        try {
          await take();
          status.textContent = said;
        } catch (problem) {
          status.textContent = `Failed: ${problem.message}`;
        }
        button.textContent = status.textContent;
        setTimeout(() => { button.textContent = button.dataset.text; }, 2000);
        list.hidePopover();
      });
      return b;
    };
    const text = (format, write) => item(`Copy as ${format}`, () => copy(write(read(table))), `Copied ${format}`);
    const drawn = figure?.querySelector('img.static')?.naturalWidth > 1; // infbench serve leaves out drawings that a script replaces
    list.replaceChildren(
      ...(drawn ? [
        item('Save as SVG', () => save(`${figure.id}.svg`, new Blob([drawingOf(figure).svg], { type: 'image/svg+xml' })), 'Saved SVG'),
        item('Save as PNG', async () => save(`${figure.id}.png`, await png(drawingOf(figure))), 'Saved PNG'),
      ] : []),
      ...(table ? [text('CSV', csv), text('LaTeX', latex), text('Markdown', markdown), ...picker(table)] : []),
    );
  }

  // addMenu puts the button of a menu at the end of a place.
  function addMenu(place, text, name, table, figure) {
    const button = element('button', { type: 'button', className: 'take', textContent: text });
    button.dataset.text = text;
    button.setAttribute('aria-label', `${text}: ${name}`);
    const list = element('div', { className: 'take', popover: 'auto' });
    list.setAttribute('role', 'group');
    list.setAttribute('aria-label', `${text}: ${name}`);
    button.popoverTargetElement = list;
    list.addEventListener('beforetoggle', ({ newState }) => {
      if (newState === 'open') menu(list, button, table, figure);
    });
    list.addEventListener('toggle', ({ newState }) => {
      if (newState !== 'open') return;
      const at = button.getBoundingClientRect();
      list.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - list.offsetWidth - 8)) + scrollX}px`;
      list.style.top = `${(at.bottom + list.offsetHeight + 4 > innerHeight && at.top > list.offsetHeight + 4 ? at.top - list.offsetHeight - 4 : at.bottom + 4) + scrollY}px`;
    });
    place.append(' ', button, list);
  }

  function addMenus() {
    for (const table of document.querySelectorAll('table.sortable:not([data-take])')) {
      table.dataset.take = '';
      const figure = table.closest('figure');
      if (figure) {
        addMenu(figure.querySelector('figcaption h4'), 'Save', figure.querySelector('h4').textContent, table, figure);
        continue;
      }
      if (!table.caption) continue;
      const name = table.caption.querySelector('.visually-hidden').textContent.replace(/\. $/, '');
      // The menu is next to the text that names the table, not a part of it.
      const said = element('span', { id: table.caption.id });
      said.append(...table.caption.childNodes);
      table.caption.removeAttribute('id');
      table.caption.append(said);
      addMenu(table.caption, 'Copy', name, table);
    }
  }
  if (HTMLElement.prototype.showPopover) {
    addMenus();
    document.addEventListener('infbench:update', addMenus);
  }

  // --- cells --------------------------------------------------------------

  // A selection of cells is copied as numbers, without marks and second lines.
  document.addEventListener('copy', (event) => {
    const selection = getSelection();
    if (selection.isCollapsed || selection.rangeCount === 0 || event.target.closest?.('input, textarea')) return;
    const range = selection.getRangeAt(0);
    const inside = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement).closest('table');
    const table = inside(range.startContainer);
    if (!table || table !== inside(range.endContainer)) return;
    const cells = [...table.querySelectorAll('th, td')].filter((cell) => range.intersectsNode(cell) && cell.checkVisibility());
    if (cells.length < 2) {
      event.clipboardData.setData('text/plain', selection.toString().replaceAll('−', '-'));
      event.preventDefault();
      return;
    }
    const rows = new Map();
    for (const cell of cells) {
      const text = cell.classList.contains('n') && cell.tagName === 'TD' ? split({ text: textOf(cell), value: cell.dataset.sort })[0].replace(/^\+(?=[\d.]+$)|,(?=\d{3})/g, '') : textOf(cell);
      rows.set(cell.parentElement, [...rows.get(cell.parentElement) ?? [], text]);
    }
    const copied = element('table');
    for (const row of rows.values()) copied.insertRow().append(...row.map((text) => element('td', { textContent: text })));
    event.clipboardData.setData('text/plain', [...rows.values()].map((row) => row.join('\t')).join('\n'));
    event.clipboardData.setData('text/html', copied.outerHTML);
    event.preventDefault();
  });

  return { of: columnsOf, show };
})();
