// The keys, in the order in which they are shown.

import type { RequestName } from './requests.ts'

export type Place = 'plans' | 'plan'
export type Move = 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last'

export type Deed =
  | { readonly kind: 'move'; readonly move: Move }
  | { readonly kind: 'open' | 'back' | 'quit' | 'help' | 'filter' | 'all' | 'refresh' | 'suspend' | 'interrupt' }
  | { readonly kind: 'request'; readonly name: RequestName }

export interface KeyRow {
  /** As node:readline names them; the first is shown unless `shown` says something else. */
  readonly names: readonly string[]
  readonly shown?: string
  /** At the bottom of the screen; undefined: only in the help. */
  readonly label?: string
  readonly about: string
  readonly places: readonly Place[]
  readonly deed: Deed
}

const anywhere: readonly Place[] = ['plans', 'plan']
const request = (name: RequestName): Deed => ({ kind: 'request', name })
const move = (name: Move): Deed => ({ kind: 'move', move: name })

export const keyRows: readonly KeyRow[] = [
  {
    names: ['return', 'enter', 'right'],
    shown: 'Enter',
    label: 'open',
    about: 'steps of the plan',
    places: ['plans'],
    deed: { kind: 'open' },
  },
  {
    names: ['return', 'enter', 'o'],
    shown: 'Enter',
    label: 'output',
    about: 'output of the step',
    places: ['plan'],
    deed: request('output'),
  },
  { names: ['d'], label: 'diff', about: 'changes of the step', places: ['plan'], deed: request('diff') },
  { names: ['d'], label: 'diff', about: 'changes of the plan', places: ['plans'], deed: request('diff') },
  { names: ['w'], about: 'changes of the plan', places: ['plan'], deed: request('whole-diff') },
  {
    names: ['t'],
    label: 'attempts',
    about: 'changes of its attempts',
    places: ['plan'],
    deed: request('attempts'),
  },
  { names: ['v'], label: 'text', about: 'text of the plan', places: anywhere, deed: request('text') },
  { names: ['l'], label: 'log', about: 'history of the plan', places: anywhere, deed: request('log') },
  { names: ['p'], about: 'report of the plan', places: anywhere, deed: request('report') },
  { names: ['a'], label: 'approve', about: 'approve the plan', places: anywhere, deed: request('approve') },
  { names: ['x'], label: 'reject', about: 'reject the plan', places: anywhere, deed: request('reject') },
  {
    names: ['s'],
    label: 'start',
    about: 'start or resume the plan',
    places: anywhere,
    deed: request('run'),
  },
  { names: ['r'], label: 'retry', about: 'run the step again', places: ['plan'], deed: request('retry') },
  { names: ['n'], about: 'skip the step', places: ['plan'], deed: request('skip') },
  { names: ['c'], label: 'clone', about: 'propose it again', places: anywhere, deed: request('clone') },
  {
    names: ['b'],
    label: 'roll back',
    about: 'roll back the last step',
    places: ['plans'],
    deed: request('rollback'),
  },
  {
    names: ['b'],
    label: 'roll back',
    about: 'roll back to the step',
    places: ['plan'],
    deed: request('rollback'),
  },
  { names: ['B'], about: 'roll back all steps', places: anywhere, deed: request('rollback-all') },
  {
    names: ['u'],
    about: 'undo the last rollback',
    places: anywhere,
    deed: request('undo'),
  },
  { names: ['e'], about: 'edit the plan', places: anywhere, deed: request('edit') },
  { names: ['f'], about: 'merge a completed plan', places: anywhere, deed: request('finish') },
  { names: ['X'], about: 'cancel the plan', places: anywhere, deed: request('cancel') },
  {
    names: ['D', 'delete'],
    shown: 'D',
    label: 'delete',
    about: 'delete the plan',
    places: anywhere,
    deed: request('delete'),
  },
  { names: ['/'], label: 'find', about: 'list plans with a text', places: ['plans'], deed: { kind: 'filter' } },
  {
    names: ['A'],
    about: 'all plans, or recent ones',
    places: ['plans'],
    deed: { kind: 'all' },
  },
  {
    names: ['up', 'k'],
    shown: 'Up, k',
    about: 'line above',
    places: anywhere,
    deed: move('up'),
  },
  { names: ['down', 'j'], shown: 'Down, j', about: 'line below', places: anywhere, deed: move('down') },
  { names: ['pageup'], shown: 'PgUp', about: 'page above', places: anywhere, deed: move('page-up') },
  {
    names: ['pagedown', 'space'],
    shown: 'PgDn, Space',
    about: 'page below',
    places: anywhere,
    deed: move('page-down'),
  },
  { names: ['home', 'g'], shown: 'Home, g', about: 'first line', places: anywhere, deed: move('first') },
  { names: ['end', 'G'], shown: 'End, G', about: 'last line', places: anywhere, deed: move('last') },
  {
    names: ['ctrl-l'],
    shown: 'Ctrl-L',
    about: 'read and draw again',
    places: anywhere,
    deed: { kind: 'refresh' },
  },
  { names: ['ctrl-z'], shown: 'Ctrl-Z', about: 'suspend', places: anywhere, deed: { kind: 'suspend' } },
  { names: ['?'], label: 'all keys', about: 'this list', places: anywhere, deed: { kind: 'help' } },
  {
    names: ['q', 'escape', 'left', 'backspace'],
    shown: 'q',
    label: 'back',
    about: 'back to the plans',
    places: ['plan'],
    deed: { kind: 'back' },
  },
  { names: ['q'], label: 'quit', about: 'quit', places: ['plans'], deed: { kind: 'quit' } },
  { names: ['escape'], shown: 'Escape', about: 'drop the text of /', places: ['plans'], deed: { kind: 'back' } },
  { names: ['Q'], about: 'quit', places: ['plan'], deed: { kind: 'quit' } },
  { names: ['ctrl-c'], shown: 'Ctrl-C', about: 'quit; exit code 130', places: anywhere, deed: { kind: 'interrupt' } },
]

export const rowFor = (name: string, place: Place): KeyRow | undefined =>
  keyRows.find(({ names, places }) => places.includes(place) && names.includes(name))

export const shownKey = ({ names: [first = ''], shown = first }: KeyRow): string => shown

export const rowsOf = (place: Place): readonly KeyRow[] => keyRows.filter(({ places }) => places.includes(place))
