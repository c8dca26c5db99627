// The work of the steps, as a plan and as shell commands, so that both sides do the same.

/** The path of a tracked file: a hundred per directory, as in a typical repository. */
export const filePath = (at) =>
  `src/${String(Math.floor(at / 100)).padStart(3, '0')}/file-${String(at).padStart(5, '0')}.txt`

/** The text of a tracked file before and after an edit. */
export const oldText = (at) => `This is file ${at}.\nIt is old.\n`
const newText = (at) => oldText(at).replace('old', 'new')

const newPath = (at) => `made/file-${at}.txt`
const quoted = (text) => `'${text.replaceAll('\n', '\\n')}'`

/**
 * Every other step makes a file, the others edit one each. The shell writes whole files without a process of its own:
 * nothing is cheaper.
 */
const fileSteps = [
  {
    yaml: (at) => `create: ${newPath(at)}\n    content: |\n      This is file ${at}.`,
    shell: (at) => `printf ${quoted(`This is file ${at}.\n`)} > ${newPath(at)}`,
  },
  {
    yaml: (at) => `edit: ${filePath((at - 1) / 2)}\n    replace: old\n    with: new`,
    shell: (at) => `printf ${quoted(newText((at - 1) / 2))} > ${filePath((at - 1) / 2)}`,
  },
]

/** `changes` is how many files are another after so many steps. */
export const works = {
  nothing: {
    name: 'true',
    yaml: () => 'run: "true"',
    shell: () => 'sh -c true',
    changes: () => 0,
    commit: 'git commit --quiet --allow-empty',
  },
  files: {
    name: 'files',
    yaml: (at) => fileSteps[at % 2].yaml(at),
    shell: (at) => fileSteps[at % 2].shell(at),
    changes: (steps) => steps,
    commit: 'git commit --quiet',
    before: 'mkdir -p made',
  },
  change: {
    name: 'change',
    yaml: (at) => `run: echo ${at} >> log.txt`,
    shell: (at) => `sh -c 'echo ${at} >> log.txt'`,
    changes: () => 1,
    commit: 'git commit --quiet',
  },
  second: {
    name: 'second',
    yaml: (at) => `run: sleep 1; mkdir -p made; echo ${at} > made/${at}`,
    changes: (steps) => steps,
  },
  /** A file of its own for each step. */
  own: { name: 'own', yaml: (at) => `run: mkdir -p made; echo ${at} > made/${at}`, changes: (steps) => steps },
  /** 100 kB of lines a step. */
  output: { name: 'output', yaml: () => `run: yes ${'0123456789'.repeat(8)} | head -c 100000`, changes: () => 0 },
}

const count = (steps) => Array.from({ length: steps }, (_, at) => at)

/** The plan file for so many steps of a work. */
export const planText = (work, steps) =>
  `---\nsteps:\n${count(steps)
    .map((at) => `  - id: s${at}\n    ${work.yaml(at)}\n`)
    .join('')}---\n`

/** Its steps need nothing, so that they may run at the same time. */
export const independentPlan = (work, steps) =>
  planText(work, steps).replaceAll(/^ {2}- id: .*$/gm, '$&\n    needs: []')

/** The same as a shell script. */
export const shellText = (work, steps) =>
  `set -e\n${work.before ?? ':'}\n${count(steps)
    .map((at) => `${work.shell(at)}\ngit add -A\n${work.commit} -m 'Step ${at}'\n`)
    .join('')}`
