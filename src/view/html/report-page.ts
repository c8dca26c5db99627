// A report as one page that needs nothing else: no script, no font, no picture, no network.

import { countsText } from '../../plan/model/test-counts.ts'
import { displayStatusText } from '../display-status-text.ts'
import { duration, moment, pluralize, short } from '../duration.ts'
import type { ReportData } from '../report-data.ts'
import { sourceText } from '../source-text.ts'
import { claimHead, usageText } from '../step-results.ts'
import { diffHtml } from './diff-html.ts'
import { graphSvg, signOf } from './graph-svg.ts'
import { Html, markup } from './markup.ts'
import { reportStyle } from './report-style.ts'

export interface ReportPage extends ReportData {
  /** The text below the front matter. */
  readonly prose: string
  /** The patch of each step that is done. */
  readonly diffs: ReadonlyMap<string, string>
}

type Step = ReportData['plan']['steps'][number]

export function reportPage(page: ReportPage): string {
  const { plan } = page
  const critical = page.criticalPath.steps.length > 1 ? page.criticalPath.steps : []
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>${plan.title}</title>
        <style>
          ${new Html(reportStyle)}
        </style>
      </head>
      <body>
        <header>
          <h1>${plan.title}</h1>
          <p class="lead">
            <code>${plan.id}</code> <span class="tag ${plan.seen}">${displayStatusText(plan)}</span>
            <span class="tag ${plan.risk}">risk ${plan.risk}</span>
          </p>
          ${facts(page)}
        </header>
        <main>
          ${section(
            'Graph',
            markup`<div class="scroll">
              ${graphSvg(
                plan.steps.map((step) => ({ ...step, note: noteOf(step) })),
                critical,
              )}
            </div>`,
          )}
          ${section('Steps', markup`${plan.steps.map((step) => stepHtml(step, page))}`)} ${checks(page)} ${files(page)}
          ${lists(page)}
          ${page.prose.trim() === '' ? '' : section('Description', markup`<pre class="prose">${page.prose.trim()}</pre>`)}
        </main>
        <footer>Written by git plan from commit <code>${plan.tip}</code>.</footer>
      </body>
    </html> `.text
}

const section = (title: string, body: Html): Html =>
  markup`<section>
    <h2>${title}</h2>
    ${body}
  </section>`

function facts({ plan, workedMs, elapsedMs, savedMs, criticalPath, totals }: ReportPage): Html {
  const { approval } = plan
  const rows: (readonly [string, string | null])[] = [
    [
      'Progress',
      `${plan.progress.done} of ${plan.progress.total} steps done${plan.next === null ? '' : `, next: ${plan.next}`}`,
    ],
    ['Outcome', plan.outcome],
    ['Reason', plan.reason],
    ['Base', plan.base],
    [
      'Approval',
      `${approval.state}${approval.by === null ? '' : ` by ${approval.by}`}${approval.source === null ? '' : ` (${sourceText(approval.source)})`}`,
    ],
    ['Goal', plan.goal],
    ['Request', plan.request],
    ['Owner', plan.owner],
    ['Created', moment(plan.createdAt)],
    ['Started', moment(plan.startedAt)],
    ['Ended', moment(plan.endedAt)],
    [
      'Run time',
      `${duration(workedMs)}${elapsedMs === null ? '' : `, elapsed ${duration(elapsedMs)}`}${savedMs === 0 ? '' : `, saved by parallel steps ${duration(savedMs)}`}`,
    ],
    [
      'Critical path',
      criticalPath.durationMs === null || criticalPath.steps.length < 2
        ? null
        : `${duration(criticalPath.durationMs)}: ${criticalPath.steps.join(' → ')}`,
    ],
    [
      'Files',
      `${totals.created} created, ${totals.modified} modified, ${totals.deleted} deleted; ${pluralize(totals.added, 'line')} added, ${totals.removed} removed`,
    ],
    ['Digest', plan.digest],
  ]
  return markup`<dl>
    ${rows.flatMap(([name, value]) =>
      value === null || value === ''
        ? []
        : [
            markup`<dt>${name}</dt>
              <dd>${value.trim()}</dd>`,
          ],
    )}
  </dl>`
}

const noteOf = ({ durationMs, verb }: Step): string => (durationMs === null ? verb : `${verb}, ${duration(durationMs)}`)

function stepHtml(step: Step, page: ReportPage): Html {
  const failures = page.steps.find(({ id }) => id === step.id)?.failures ?? 0
  const diff = page.diffs.get(step.id) ?? ''
  const said = [
    step.agent === null ? step.verb : `${step.verb} ${step.agent}`,
    ...(step.needs.length === 0 ? [] : [`needs ${step.needs.join(', ')}`]),
    ...(step.durationMs === null ? [] : [duration(step.durationMs)]),
    usageText(step),
    ...(step.commit === null ? [] : [`commit ${short(step.commit)}`]),
    ...(failures === 0 ? [] : [pluralize(failures, 'failure')]),
    ...(step.replayed === null ? [] : [`replayed from ${short(step.replayed)}`]),
    ...(step.tests?.after === undefined ? [] : [`tests ${countsText(step.tests.after)}`]),
  ].filter((each) => each !== undefined)
  return markup`<article class="step" id="step-${step.id}">
    <header>
      <h3><span class="${step.seen}">${signOf(step.seen)}</span> <code>${step.id}</code> ${step.title}</h3>
      <span class="tag ${step.seen}">${step.seen}</span>
    </header>
    <p class="facts">${said.join(' · ')}</p>
    ${step.error === null ? '' : markup`<p class="error">${step.error}</p>`}${
      step.claim === null || step.claim.summary === ''
        ? ''
        : markup`<p>${claimHead(step.claim)} says: ${step.claim.summary}</p>`
    }${diff === '' ? '' : diffHtml(diff)}
  </article> `
}

const table = (heads: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html =>
  markup`<table>
    <thead>
      <tr>
        ${heads.map((head) => markup`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          markup`<tr>
            ${row.map((cell) => markup`<td>${cell}</td>`)}
          </tr> `,
      )}
    </tbody>
  </table>`

const checks = ({ checks: all }: ReportPage): Html | string =>
  all.length === 0
    ? ''
    : section(
        'Checks',
        table(
          ['Step', 'Kind', 'Check', 'Result', 'Evidence'],
          all.map(({ step, kind, check, result, commit, detail }) => [
            step === null ? 'the plan' : markup`<a href="#step-${step}">${step}</a>`,
            kind,
            markup`<code>${check}</code>`,
            markup`<span class="${result}"
              >${result === 'unproven' && kind === 'criteria' ? 'waits for a person' : result.replace('-', ' ')}</span
            >`,
            markup`${commit === null ? '' : markup`<code>${short(commit)}</code> `}${detail}`,
          ]),
        ),
      )

const files = ({ files: all }: ReportPage): Html | string =>
  all.length === 0
    ? ''
    : section(
        'Files',
        table(
          ['File', 'Change', 'Added', 'Removed'],
          all.map(({ path, change, added, removed }) => [
            markup`<code>${path}</code>`,
            change,
            String(added ?? 'binary'),
            String(removed ?? 'binary'),
          ]),
        ),
      )

function lists({ byHand, decisions, plan }: ReportPage): Html {
  const parts: (readonly [string, readonly Html[]])[] = [
    [
      'By hand',
      byHand.map(
        ({ kind, step, commit, at, by, subject, reason }) =>
          markup`${kind}${step === null ? '' : ` of ${step}`}, <code>${short(commit)}</code>, ${moment(at)}, by ${by}:
            ${reason ?? subject}`,
      ),
    ],
    [
      'Decisions',
      decisions.map(
        ({ decision, of, at, by, reason }) =>
          markup`${of} ${decision}, ${moment(at)}, by ${by}${reason === null ? '' : `: ${reason}`}`,
      ),
    ],
    [
      'Attempts',
      plan.attempts.map(
        ({ step, number, at, reason }) =>
          markup`<a href="#step-${step}">${step}</a>, attempt ${number}, ${moment(at)}: ${reason ?? 'no reason recorded'}`,
      ),
    ],
    [
      'Rollbacks',
      plan.rollbacks.map(
        ({ event, at, by, from, to, reason }) =>
          markup`${event}, ${moment(at)}, by ${by}: from <code>${short(from)}</code> to
            <code>${short(to)}</code>${reason === null ? '' : `: ${reason}`}`,
      ),
    ],
    [
      'External effects',
      plan.effects.map(({ step, number, state, at }) => markup`${step}, ${number}: ${state} (${moment(at)})`),
    ],
  ]
  return markup`${parts.flatMap(([title, rows]) =>
    rows.length === 0
      ? []
      : [
          section(
            title,
            markup`<ul>
              ${rows.map((row) => markup`<li>${row}</li> `)}
            </ul>`,
          ),
        ],
  )}`
}
