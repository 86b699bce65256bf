// The page's own script: filters of leaderboards, and the interactive charts. The page can
// be read without it.
(() => {
  'use strict';

  // --- leaderboards -------------------------------------------------------

  function addFilter(table) {
    const label = document.createElement('label');
    label.className = 'filter';
    label.append('Show rows with');
    const input = document.createElement('input');
    input.type = 'search';
    const left = document.createElement('span');
    left.setAttribute('role', 'status');
    label.append(input, ' ', left);
    input.addEventListener('input', () => {
      const words = input.value.toLowerCase().split(/\s+/);
      const rows = [...table.tBodies[0].rows];
      for (const row of rows) {
        const text = row.cells[0].textContent.toLowerCase();
        row.hidden = !words.every((w) => text.includes(w));
      }
      left.textContent = input.value ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : '';
    });
    table.closest('.scroll').before(label);
  }

  const longBoard = 60; // number of rows from which a board scrolls below its headings

  // boards adds filters to leaderboards without them.
  function boards() {
    for (const table of document.querySelectorAll('table.sortable[id$="-leaderboard"]:not([data-filter])')) {
      table.dataset.filter = '';
      table.closest('.scroll').classList.toggle('long', table.tBodies[0].rows.length > longBoard);
      addFilter(table);
    }
  }
  boards();
  document.addEventListener('infbench:update', boards); // for pages that a server updates

  // --- charts -------------------------------------------------------------

  const data = document.getElementById('charts');
  if (!data || !window.echarts) return;
  let charts = JSON.parse(data.textContent);
  const styles = getComputedStyle(document.documentElement);

  const labels = new WeakMap(); // chart that is being drawn -> its size and the labels of its points

  // labelsOf returns the label of each point of a chart, by series and number: its name, if the
  // names of all points have room. Otherwise each point first gets its row in the table, and then
  // those have their names that still find room. A label covers neither a point nor another label.
  // draw.go does the same.
  function labelsOf(chart, option) {
    const size = `${chart.getWidth()} ${chart.getHeight()}`;
    if (labels.get(chart)?.size !== size) labels.set(chart, { size, all: arranged(chart, option) });
    return labels.get(chart).all;
  }

  function arranged(chart, option) {
    const now = chart.getOption().series; // filters leave points out
    const points = option.series.flatMap(({ labelLayout }, i) => (labelLayout === 'fn:apart' ? now[i].data : []).map(({ name, value }, j) => {
      const [x, y] = chart.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, value.slice(0, 2));
      return { key: `${i}/${j}`, name, row: value[2], x, y };
    }));
    const named = points.filter(({ name }) => name);
    const farthest = 16; // lines from a point to its label
    const reach = named.length > 30 ? 4 : farthest; // for names; many lines would cross each other
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const height = 14; // ECharts measures with a Chinese letter, which fonts may lack
    const all = new Map();
    const apart = (a, b) => a.left + a.width < b.left || b.left + b.width < a.left || a.top + a.height < b.top || b.top + b.height < a.top;
    const boxes = points.map(({ x, y }) => ({ left: x - 5, top: y - 5, width: 10, height: 10 }));

    // place gives each point the text at the first free place around it, at most that many lines
    // away. A point without such a place keeps its label. It reports whether all found one.
    function place(lines, textOf) {
      let found = true;
      for (const point of named) {
        const { key, x, y } = point;
        const text = String(textOf(point));
        const width = pen.measureText(text).width + 3; // letters stand apart
        const [right, left, middle] = [x + 9, x - 9 - width, y - height / 2];
        const spots = [[right, middle], [left, middle], [x - width / 2, y - 8 - height], [x - width / 2, y + 8]];
        for (let far = height + 2; far <= lines * (height + 2); far += height + 2) {
          spots.push([right + 5, middle - far], [right + 5, middle + far], [left - 5, middle - far], [left - 5, middle + far]);
        }
        const others = [...boxes, ...[...all].filter(([other]) => other !== key).map(([, { box }]) => box)];
        const k = spots.findIndex(([left, top]) =>
          left > 56 && left + width < chart.getWidth() && top > 0 && top + height < chart.getHeight() - 48 &&
          others.every((other) => apart({ left, top, width, height }, other)));
        if (k < 0) {
          found = false;
          continue;
        }
        const [at, top] = spots[k];
        const layout = { x: at, y: top + height / 2, align: 'left', verticalAlign: 'middle' };
        const near = [Math.min(Math.max(x, at), at + width), top + height / 2];
        if (k >= 4) layout.labelLinePoints = [[x, y], near, near];
        all.set(key, { text, layout, box: { left: at, top, width, height } });
      }
      return found;
    }
    if (!place(reach, ({ name }) => name) && named.every(({ row }) => row)) {
      all.clear();
      place(farthest, ({ row }) => row);
      place(reach, ({ name }) => name);
    }
    return all;
  }

  // The functions named in options, because JSON cannot hold functions. A value starts
  // with x and y and ends with its tooltip.
  const functions = {
    ...markFunctions,
    'fn:tip': () => ({ value }) => value.at(-1),
    'fn:name': (chart, option) => ({ seriesIndex, dataIndex, name }) => labelsOf(chart, option).get(`${seriesIndex}/${dataIndex}`)?.text ?? name,
    'fn:apart': (chart, option) => ({ seriesIndex, dataIndex, rect }) => labelsOf(chart, option).get(`${seriesIndex}/${dataIndex}`)?.layout ?? { x: rect.x, y: rect.y, fontSize: 0.01 },
    // ends puts the names of lines at their ends without overlaps.
    'fn:ends': (chart, option) => ({ seriesIndex }) => {
      const gap = 14;
      const ends = option.series
        .map((line, index) => ({ index, line, at: chart.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, line.data.at(-1).value.slice(0, 2)) }))
        .filter(({ line }) => line.labelLayout === 'fn:ends')
        .sort((a, b) => a.at[1] - b.at[1]);
      let y = Math.min(ends[0].at[1], chart.getHeight() - gap * ends.length);
      for (const end of ends) {
        y = Math.max(y, end.at[1]);
        end.y = y;
        y += gap;
      }
      let below = chart.getHeight() - 44 - gap / 2; // above the axis
      for (const end of ends.toReversed()) {
        end.y = Math.min(end.y, below);
        below = end.y - gap;
      }
      const mine = ends.find((end) => end.index === seriesIndex);
      return { x: mine.at[0] + 7, y: mine.y, align: 'left', verticalAlign: 'middle' };
    },
    // interval draws a point with its interval along x, filled or hollow.
    'fn:interval': () => (params, api) => {
      const [point, low, high] = [0, 2, 3].map((i) => api.coord([api.value(i), api.value(1)]));
      const color = api.visual('color');
      const line = { stroke: color, lineWidth: 2 };
      return {
        type: 'group',
        children: [
          { type: 'line', shape: { x1: low[0], y1: low[1], x2: high[0], y2: high[1] }, style: line },
          {
            type: 'circle',
            shape: { cx: point[0], cy: point[1], r: 5 },
            style: { ...line, fill: api.value(4) ? color : styles.getPropertyValue('--page').trim() },
          },
        ],
      };
    },
  };

  // resolve replaces names of functions and CSS variables by their current values. It
  // does not change data and names, which may contain any text.
  function resolve(node, chart, name) {
    if (name === 'data' || name === 'name') return node;
    if (typeof node === 'string') {
      const variable = /^var\((--[a-z0-9]+)\)$/.exec(node);
      if (variable) return styles.getPropertyValue(variable[1]).trim();
      return functions[node] ? functions[node](chart, charts[chart.getDom().dataset.chart].option) : node;
    }
    if (Array.isArray(node)) return node.map((item) => resolve(item, chart));
    if (node && typeof node === 'object') {
      return Object.fromEntries(Object.entries(node).map(([k, v]) => [k, resolve(v, chart, k)]));
    }
    return node;
  }

  function draw(place) {
    const { height, option } = charts[place.dataset.chart];
    place.style.height = `${height}px`;
    place.hidden = false;
    place.setAttribute('role', 'img');
    place.parentElement.classList.add('drawn');
    const chart = echarts.init(place, null, { renderer: 'canvas' });
    chart.on('rendered', () => labels.delete(chart));
    fill(chart, option);
    return chart;
  }

  function fill(chart, option) {
    const resolved = resolve(option, chart);
    resolved.textStyle = { fontFamily: getComputedStyle(document.body).fontFamily, color: resolve('var(--ink)') };
    resolved.tooltip = {
      ...resolved.tooltip,
      backgroundColor: resolve('var(--panel)'),
      borderColor: resolve('var(--rule)'),
      textStyle: { color: resolve('var(--ink)'), fontSize: 13 },
    };
    for (const axis of [...(resolved.xAxis || []), ...(resolved.yAxis || [])]) {
      axis.axisLine = { ...axis.axisLine, lineStyle: { color: resolve('var(--muted)') } };
      axis.splitLine = { show: axis.type === 'value', lineStyle: { color: resolve('var(--rule)') } };
      axis.axisTick = { show: false };
      axis.nameTextStyle = { ...axis.nameTextStyle, color: resolve('var(--muted)') };
    }
    chart.setOption(resolved, true);
  }

  let drawn = new Map();
  const observer = new ResizeObserver((entries) => {
    for (const entry of entries) drawn.get(entry.target)?.resize();
  });
  function drawAll() {
    for (const [place, chart] of drawn) {
      observer.unobserve(place);
      chart.dispose();
    }
    drawn = new Map();
    drawSeen();
  }

  // drawSeen draws the visible charts that are not drawn yet.
  function drawSeen() {
    for (const place of document.querySelectorAll('[data-chart]')) {
      if (!charts[place.dataset.chart] || drawn.has(place) || place.parentElement.clientWidth === 0) continue;
      drawn.set(place, draw(place));
      observer.observe(place);
    }
  }
  drawAll();
  document.addEventListener('toggle', drawSeen, true);

  // update draws new or changed charts, and keeps the state of the others.
  function update() {
    const before = charts;
    charts = JSON.parse(data.textContent);
    for (const [place, chart] of drawn) {
      const name = place.dataset.chart;
      if (place.isConnected && charts[name]) {
        if (JSON.stringify(before[name]) !== JSON.stringify(charts[name])) fill(chart, charts[name].option);
        continue;
      }
      observer.unobserve(place);
      chart.dispose();
      drawn.delete(place);
    }
    drawSeen();
  }
  document.addEventListener('infbench:update', update);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
})();
