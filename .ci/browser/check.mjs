// Checks the pages of infbench in a real browser:
//
//	node check.mjs KIND PATH FOLDER
//
// KIND: full      a report with all its parts
//       hostile   a report whose every text tries to break out
//       long      a report of systems with long names
//       large     a leaderboard of many rows, with limits on its times
//       published  others' models: filters and charts
//       site      the folder of a static site
//       serve     the program; its pages follow a sweep
//       sheet     the sheet of an annotator
//       smoke     a report, in one window only
//       study     the report of a study of annotators
//       submissions  a board with systems that others submitted
//       take      what readers take away from a report
//       view      any other report: a view of the paper, or of data
//
// Screenshots go into FOLDER. browser.mjs names the environment variables that it needs.

import { finish } from './browser.mjs';
import { hostile } from './hostile.mjs';
import { everywhere } from './kinds.mjs';
import { large } from './large.mjs';
import { long } from './long.mjs';
import { published } from './published.mjs';
import { full } from './report.mjs';
import { serve } from './serve.mjs';
import { sheet, study } from './sheet.mjs';
import { site } from './site.mjs';
import { smoke } from './smoke.mjs';
import { submissions } from './submissions.mjs';
import { take } from './take.mjs';

const view = () => everywhere('view');

await { full, hostile, large, long, published, serve, sheet, site, smoke, study, submissions, take, view }[process.argv[2]]();
await finish();
