// Functions named in chart options, in addition to those of page.js. Each is created for
// a chart and its option.
const markFunctions = {
  // inside shows the number of a cell if it fits.
  'fn:inside': () => ({ rect, labelRect }) => (labelRect.width + 4 > rect.width || labelRect.height > rect.height ? { fontSize: 0.01 } : {}),
};
