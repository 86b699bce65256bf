// Functions that options of charts name, beside those of page.js: each is made for
// a chart and its option.
const markFunctions = {
  // inside shows the number of a cell where it fits.
  'fn:inside': () => ({ rect, labelRect }) => (labelRect.width + 4 > rect.width || labelRect.height > rect.height ? { fontSize: 0.01 } : {}),
};
