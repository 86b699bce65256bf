// Checks what infbench publishes in a real browser:
//
//	node check.mjs KIND PATH FOLDER
//
// KIND: full      a report with all its parts
//       hostile   a report whose every text tries to break out
//       large     a leaderboard of many rows, held to its times
//       site      the folder of a static site
//       serve     the program, whose pages follow a sweep
//       sheet     the sheet of an annotator
//       study     the report of a study of annotators
//
// Screenshots go into FOLDER. What else it needs: browser.mjs.

import { finish } from './browser.mjs';
import { hostile } from './hostile.mjs';
import { large } from './large.mjs';
import { full } from './report.mjs';
import { serve } from './serve.mjs';
import { sheet, study } from './sheet.mjs';
import { site } from './site.mjs';

await { full, hostile, large, serve, sheet, site, study }[process.argv[2]]();
await finish();
