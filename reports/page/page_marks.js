// Functions named in chart options, in addition to those of page.js. Each is created for
// a chart and its option.
const markFunctions = {
  // inside shows the number of a cell if it fits.
  'fn:inside': () => ({ rect, labelRect }) => (labelRect.width + 4 > rect.width || labelRect.height > rect.height ? { fontSize: 0.01 } : {}),
  // cross draws the intervals of a point along both axes.
  'fn:cross': () => (params, api) => {
    const [x, y, low, high, below, above] = [0, 1, 2, 3, 4, 5].map((i) => api.value(i));
    const style = { stroke: api.visual('color'), lineWidth: 1 };
    const lines = [[[low, y], [high, y]], [[x, below], [x, above]]].map((ends) => ends.map((end) => api.coord(end)));
    return { type: 'group', children: lines.map(([[x1, y1], [x2, y2]]) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style })) };
  },
};
