// Every measurement as a table: one row per figure, with its subject, its reference and its limit.

import { emptyNode, planCheck, planGuard, planGuardOff, planHelp, planStatus } from './subjects/commands.mjs'
import { dbosOf, langgraphOf } from './subjects/engines.mjs'
import { planList } from './subjects/list.mjs'
import { nodeMemory, planMemory } from './subjects/memory.mjs'
import { logOfPlans, planMetrics } from './subjects/metrics.mjs'
import { makeOf, rebaseOf } from './subjects/others.mjs'
import { checksOf, independentOf, makeJobsOf, xargsOf } from './subjects/parallel.mjs'
import { planProject, scriptOfProject } from './subjects/project.mjs'
import { gitGrep, planRefactor } from './subjects/refactor.mjs'
import { planResume, statusAndNode } from './subjects/resume.mjs'
import { loopOf, planOf } from './subjects/steps.mjs'
import { isomorphicWriters, ownWriters, plumbingWriters } from './subjects/writers.mjs'
import { milliseconds } from './units.mjs'
import { works } from './work.mjs'

const { nothing, files, change, second, own } = works

/**
 * How much is measured. The short form is for every change: less of it, and a figure fails only when it is over twice
 * its limit, since with few steps the start weighs more, and machines that are shared are uneven.
 */
export const forms = {
  full: {
    name: 'full',
    tolerance: 1,
    rounds: { steps: 7, slow: 5, quick: 25, project: 3 },
    steps: 200,
    few: 100,
    many: 1000,
    small: 100,
    large: 50_000,
    changes: 20,
    plans: { open: 200, finished: 5000 },
    printing: 1000,
    plotted: { steps: [100, 300, 1000], files: [100, 5000, 50_000] },
    hasComparisons: true,
  },
  short: {
    name: 'short',
    tolerance: 2,
    rounds: { steps: 3, slow: 2, quick: 7, project: 1 },
    steps: 200,
    few: 100,
    many: 400,
    small: 100,
    large: 5000,
    changes: 20,
    plans: { open: 200, finished: 5000 },
    printing: 100,
    plotted: { steps: [], files: [] },
    hasComparisons: false,
  },
}

const number = (value) => value.toLocaleString('en')

/**
 * The figures of a form. Those of one group are measured together, in turns, and share the sides that they have in
 * common. `reached`: where a figure that misses its limit stands, with a little room; docs/performance.md says what was
 * tried.
 */
export function figuresOf(form) {
  const { steps, few, many, small, large, changes, plans, printing } = form
  const noops = { work: nothing, steps, files: small }
  const fileSteps = { work: files, steps, files: small }
  const writing = { work: change, steps, files: small }
  const changing = { work: change, steps: changes, files: large }
  const rows = [
    {
      name: 'commands',
      group: 'commands',
      rounds: 'steps',
      what: `${steps} steps \`run: "true"\`, small repository`,
      against: 'shell loop with add and commit',
      subject: planOf(noops),
      reference: loopOf(noops),
      limit: 1,
      reached: 2.8,
    },
    {
      name: 'writes',
      group: 'writes',
      rounds: 'steps',
      what: `${steps} steps \`run\` that change a file, small repository`,
      against: 'durable shell loop with add and commit',
      subject: planOf(writing),
      reference: loopOf({ ...writing, isDurable: true }),
      limit: 1.7,
    },
    {
      name: 'files',
      group: 'files',
      rounds: 'slow',
      what: `${steps} steps that create and edit files, small repository`,
      against: 'durable shell loop with the same writes, add and commit',
      subject: planOf(fileSteps),
      reference: loopOf({ ...fileSteps, isDurable: true }),
      limit: 1,
      reached: 1.4,
    },
    {
      name: 'files-large',
      group: 'files',
      rounds: 'slow',
      what: `the same, ${number(large)} files`,
      against: 'the same, small repository',
      subject: planOf({ ...fileSteps, files: large }),
      reference: planOf(fileSteps),
      limit: 1.5,
      reached: 2.6,
    },
    {
      name: 'commands-large',
      group: 'commands-large',
      rounds: 'slow',
      what: `${changes} steps \`run\` that change a file, ${number(large)} files`,
      against: 'durable shell loop with add and commit there',
      subject: planOf(changing),
      reference: loopOf({ ...changing, isDurable: true }),
      limit: 1.1,
    },
    {
      name: 'many-steps',
      group: 'many-steps',
      rounds: 'slow',
      what: `${number(many)} steps \`run: "true"\``,
      against: `${few} steps`,
      subject: planOf({ ...noops, steps: many }),
      reference: planOf({ ...noops, steps: few }),
      limit: 1.2,
    },
    {
      name: 'seconds',
      group: 'seconds',
      rounds: 'slow',
      what: '8 independent steps of one second, -j 8',
      against: 'the same without waiting, and 1.5 s',
      subject: independentOf({ work: second, steps: 8, files: small, jobs: 8, unit: milliseconds }),
      reference: independentOf({ work: own, steps: 8, files: small, jobs: 8, unit: milliseconds, grace: 1500 }),
      limit: 1,
    },
    {
      name: 'jobs',
      group: 'jobs',
      rounds: 'slow',
      what: `${steps} independent steps \`run: "true"\`, -j 2`,
      against: 'the same, -j 1',
      subject: independentOf({ ...noops, jobs: 2 }),
      reference: independentOf({ ...noops, jobs: 1 }),
      limit: 1.3,
      reached: 1.7,
    },
    {
      name: 'project',
      group: 'project',
      rounds: 'project',
      what: 'a plan that installs packages, edits, checks types and runs tests',
      against: 'the same commands without a plan and without commits',
      subject: planProject,
      reference: scriptOfProject,
      limit: 1.02,
    },
    {
      name: 'status',
      group: 'look',
      rounds: 'quick',
      what: '`git plan status`',
      against: '`node -e 0`',
      subject: planStatus,
      reference: emptyNode,
      limit: 3.5,
      reached: 5.8,
    },
    {
      name: 'help',
      group: 'look',
      rounds: 'quick',
      what: '`git plan -h`',
      against: '`node -e 0`',
      subject: planHelp,
      reference: emptyNode,
      limit: 1.6,
      reached: 2.1,
    },
    {
      name: 'guard',
      group: 'look',
      rounds: 'quick',
      what: '`git plan guard`, a command that reads, in plan mode',
      against: '`git plan -h`',
      subject: planGuard,
      reference: planHelp,
      limit: 2.5,
    },
    {
      name: 'guard-off',
      group: 'look',
      rounds: 'quick',
      what: '`git plan guard`, a written file, without plan mode',
      against: '`git plan -h`',
      subject: planGuardOff,
      reference: planHelp,
      limit: 2.5,
    },
    {
      name: 'check',
      group: 'look',
      rounds: 'quick',
      what: '`git plan check`, 100 steps',
      against: '`git plan -h`',
      subject: planCheck,
      reference: planHelp,
      limit: 10,
    },
    {
      name: 'refactor',
      group: 'refactor',
      rounds: 'slow',
      what: '`git plan check` of a refactoring, 5,000 files of which 50 match',
      against: '`git grep` of its literal',
      subject: planRefactor(5000),
      reference: gitGrep(5000),
      limit: 100,
    },
    {
      name: 'list',
      group: 'list',
      rounds: 'quick',
      what: `\`git plan list\`, ${number(plans.open)} open plans among ${number(plans.finished)} finished`,
      against: '`node -e 0`',
      subject: planList(plans),
      reference: emptyNode,
      limit: 10,
      reached: 17.5,
    },
    {
      name: 'metrics',
      group: 'metrics',
      rounds: 'quick',
      what: '`git plan metrics`, 1,000 plans of 8 commits',
      against: '`git log` of the same commits',
      subject: planMetrics(1000),
      reference: logOfPlans(1000),
      limit: 3,
      reached: 6,
    },
    {
      name: 'resume',
      group: 'resume',
      rounds: 'quick',
      what: '`git plan resume` until the first step runs',
      against: '`git status` and `node -e 0`',
      subject: planResume,
      reference: statusAndNode,
      limit: 2,
      reached: 8.8,
    },
    {
      name: 'memory',
      group: 'memory',
      rounds: 'slow',
      what: `memory at peak, ${number(printing)} steps that print ${number(printing / 10)} MB in all`,
      against: '`node -e 0`',
      subject: planMemory(printing),
      reference: nodeMemory,
      limit: 4,
      reached: 4.8,
    },
  ]
  return form.hasComparisons ? [...rows, ...comparisonsOf(noops, large)] : rows
}

/** Other ways to do the same steps, without a limit: what they do for their time differs. */
function comparisonsOf(noops, large) {
  const { steps } = noops
  const others = [
    { name: 'rebase', against: '`git rebase --exec true`', reference: rebaseOf({ steps }) },
    {
      name: 'rebase-no-ff',
      against: '`git rebase --no-ff --exec true`',
      reference: rebaseOf({ steps, options: ['--no-ff'] }),
    },
    { name: 'make', against: 'GNU make, a stamp each', reference: makeOf({ steps }) },
    { name: 'langgraph', against: 'LangGraph, SQLite', reference: langgraphOf({ steps }) },
    { name: 'dbos', against: 'DBOS, Postgres', reference: dbosOf({ steps }) },
  ]
  const common = {
    group: 'commands',
    rounds: 'steps',
    what: `${steps} steps \`run: "true"\`, small repository`,
    subject: planOf(noops),
    limit: undefined,
  }
  const size = { steps, files: noops.files }
  const parallel = { steps: 8, files: noops.files }
  const waiting = {
    group: 'seconds',
    rounds: 'slow',
    what: '8 independent steps of one second, -j 8',
    subject: independentOf({ ...parallel, work: second, jobs: 8, unit: milliseconds }),
    limit: undefined,
  }
  const written = {
    group: 'writers',
    rounds: 'slow',
    what: `the objects of ${steps} checkpoints`,
    subject: ownWriters(size),
    limit: undefined,
  }
  return [
    ...others.map((other) => ({ ...common, ...other })),
    {
      name: 'jobs-large',
      group: 'jobs-large',
      rounds: 'slow',
      what: `40 independent steps that make a file, ${number(large)} files, -j 4`,
      against: 'the same, -j 1',
      subject: independentOf({ work: own, steps: 40, files: large, jobs: 4, countsTrees: true }),
      reference: independentOf({ work: own, steps: 40, files: large, jobs: 1 }),
      limit: undefined,
    },
    {
      name: 'project-jobs',
      group: 'project-jobs',
      rounds: 'project',
      what: 'a plan that checks types, lints, tests and makes the docs of this project, -j 4',
      against: 'the same, -j 1',
      subject: checksOf(4),
      reference: checksOf(1),
      limit: undefined,
    },
    { ...waiting, name: 'make-jobs', against: '`make -j 8`, a commit each', reference: makeJobsOf(parallel) },
    { ...waiting, name: 'xargs', against: '`xargs -P 8`, a commit each', reference: xargsOf(parallel) },
    {
      ...written,
      name: 'isomorphic-git',
      against: 'isomorphic-git over a durable file system',
      reference: isomorphicWriters(size),
    },
    {
      ...written,
      name: 'plumbing',
      against: '`git hash-object`, `write-tree`, `commit-tree`, synced',
      reference: plumbingWriters(size),
    },
  ]
}

/**
 * The plots of a form: what a step costs, against a size. Each belongs to a figure, and is drawn when that one is
 * measured.
 */
export function plotsOf({ small, steps, plotted }) {
  const line = (label, sizes, subjectOf) => ({
    label,
    points: sizes.map((size) => ({ size, subject: subjectOf(size) })),
  })
  const growing = (size) => ({ work: nothing, steps: size, files: small })
  const spreading = (size) => ({ work: files, steps, files: size })
  return [
    {
      file: 'performance-steps.svg',
      figure: 'many-steps',
      title: 'Cost of a step `run: "true"` against the number of steps',
      axis: 'steps of the plan',
      lines: [
        line('git plan', plotted.steps, (size) => planOf(growing(size))),
        line('shell loop, add and commit', plotted.steps, (size) => loopOf(growing(size))),
      ],
    },
    {
      file: 'performance-files.svg',
      figure: 'files-large',
      title: 'Cost of a step that writes a file against the size of the repository',
      axis: 'files of the repository',
      lines: [
        line('git plan', plotted.files, (size) => planOf(spreading(size))),
        line('shell loop, add and commit', plotted.files, (size) => loopOf(spreading(size))),
      ],
    },
  ].filter(({ lines }) => lines.every(({ points }) => points.length > 0))
}
