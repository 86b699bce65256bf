// Checks what infbench publishes in a real browser:
//
//	node check.mjs KIND PATH FOLDER
//
// KIND: full      a report with all its parts
//       hostile   a report whose every text tries to break out
//       large     a leaderboard of many rows, held to its times
//       site      the folder of a static site
//       sheet     the sheet of an annotator
//       study     the report of a study of annotators
//       view      any other report: a view of the paper's, or of data
//
// Screenshots go into FOLDER. What else it needs: browser.mjs.

import { finish } from './browser.mjs';
import { hostile } from './hostile.mjs';
import { everywhere } from './kinds.mjs';
import { large } from './large.mjs';
import { full } from './report.mjs';
import { sheet, study } from './sheet.mjs';
import { site } from './site.mjs';

const view = () => everywhere('view');

await { full, hostile, large, sheet, site, study, view }[process.argv[2]]();
await finish();
