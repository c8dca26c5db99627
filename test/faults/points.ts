// The calls that the injector counted: one line per call that changes a file or starts a process, with its phase of the
// run.

export const phases = ['intent', 'run', 'verify', 'objects', 'refs', 'index', 'restore'] as const
export type Phase = (typeof phases)[number] | 'look'

export interface Point {
  readonly at: number
  /** s: the executor itself. g: a git of its own. o: anything else, such as the commands of a step. */
  readonly who: 's' | 'g' | 'o'
  readonly call: string
  /** Path below the repository's directory, two with ` > ` between; the command line of a new process. */
  readonly what: string
  readonly phase: Phase
  /**
   * The line without what differs from run to run, and the how-manieth of these it is: the same call in another run.
   */
  readonly shape: string
  readonly nth: number
}

type Seen = Pick<Point, 'who' | 'call' | 'what'>

/** The first rule that fits names the phase. */
const rules: readonly (readonly [Phase, (point: Seen) => boolean])[] = [
  [
    'objects',
    ({ call, what }) =>
      call === 'exec'
        ? /^git (hash-object|commit-tree|pack-objects|write-tree)/.test(what)
        : /^\.git\/(objects|plan\/objects\.)/.test(what),
  ],
  [
    'restore',
    ({ call, what }) =>
      call === 'exec' ? /^git (reset|read-tree|checkout|stash)/.test(what) : what.includes('/aside'),
  ],
  [
    'index',
    ({ call, what }) =>
      call === 'exec'
        ? /^git (add|update-index|rm)/.test(what)
        : /^\.git\/(index|plan\/[^/]+\/index|worktrees\/[^/]+\/index)/.test(what),
  ],
  [
    'refs',
    ({ call, what }) =>
      call === 'exec'
        ? /^git (update-ref|notes|symbolic-ref|branch)/.test(what)
        : /^\.git\/(refs|logs|packed-refs|HEAD|ORIG_HEAD|NOTES|worktrees)/.test(what),
  ],
  ['run', ({ what }) => /^\.git\/plan\/[^/]+\/logs/.test(what)],
  ['intent', ({ what }) => what.startsWith('.git/plan/')],
  ['look', ({ call, what }) => (call === 'exec' ? what.startsWith('git ') : what.startsWith('.git/'))],
  ['index', ({ what }) => what.includes('.plans')],
  ['restore', ({ who }) => who === 'g'],
  ['run', () => true],
]

/** Commands of checks say so in their text, since nothing else tells them from those of steps: `: check`. */
const isCheck = (what: string): boolean => what.includes(': check')

export function pointsOf(lines: readonly string[], root: string): Point[] {
  let phaseOfCommands: Phase = 'run'
  const met = new Map<string, number>()
  const phaseOf = (seen: Seen): Phase => {
    if (seen.call === 'exec' && /(^|\/)sh /.test(seen.what)) {
      phaseOfCommands = isCheck(seen.what) ? 'verify' : 'run'
      return phaseOfCommands
    }
    return seen.who === 'o' ? phaseOfCommands : (rules.find(([, fits]) => fits(seen))?.[0] ?? 'run')
  }
  return lines
    .filter((line) => /^\d/.test(line))
    .map((line) => {
      const [text = '', shape = ''] = line.split('\t')
      const [at = '', who = '', call = '', ...words] = text.split(' ')
      const seen = { who: who as Point['who'], call, what: words.join(' ').replaceAll(`${root}/`, '') }
      const nth = (met.get(shape) ?? 0) + 1
      met.set(shape, nth)
      return { at: Number(at), ...seen, phase: phaseOf(seen), shape, nth }
    })
}
