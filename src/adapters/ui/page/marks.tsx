// States and risks as small marks. Each has a shape and a word, and not only a color.

import type { VNode } from 'preact'

type Tone = 'good' | 'bad' | 'busy' | 'wait' | 'calm'

interface Mark {
  readonly tone: Tone
  readonly icon: keyof typeof icons
}

const icons = {
  dot: 'M8 5.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5Z',
  check: 'm3.800 8.400 2.800 2.800 5.600-6.200',
  cross: 'm4.600 4.600 6.800 6.800M11.400 4.600l-6.800 6.800',
  play: 'M5.500 3.800v8.400l6.600-4.200Z',
  pause: 'M5.800 4.200v7.600M10.200 4.200v7.600',
  ask: 'M5.800 6.200c0-3 4.500-3 4.500-.2 0 1.700-2.300 1.700-2.300 3.400M8 12.200v.1',
  skip: 'm4 4.500 4.200 3.500L4 11.500M10.800 4.500v7',
  block: 'M4.200 11.800l7.600-7.600M8 2.600a5.400 5.400 0 1 0 0 10.800A5.400 5.400 0 0 0 8 2.600Z',
  back: 'M6.500 4 3.600 6.800l2.900 2.900M3.800 6.800h5.400a3 3 0 0 1 0 6H7',
  merge: 'M5 4.600v6.800M5 6c0 3 6 1.600 6 4.600',
} as const

const marks: Readonly<Record<string, Mark>> = {
  proposed: { tone: 'wait', icon: 'ask' },
  stale: { tone: 'calm', icon: 'ask' },
  approved: { tone: 'good', icon: 'dot' },
  rejected: { tone: 'bad', icon: 'block' },
  active: { tone: 'busy', icon: 'play' },
  running: { tone: 'busy', icon: 'play' },
  stalled: { tone: 'bad', icon: 'pause' },
  paused: { tone: 'wait', icon: 'pause' },
  waiting: { tone: 'wait', icon: 'ask' },
  failed: { tone: 'bad', icon: 'cross' },
  timeout: { tone: 'bad', icon: 'cross' },
  conflict: { tone: 'bad', icon: 'cross' },
  unknown: { tone: 'bad', icon: 'ask' },
  completed: { tone: 'good', icon: 'check' },
  done: { tone: 'good', icon: 'check' },
  merged: { tone: 'good', icon: 'merge' },
  cancelled: { tone: 'calm', icon: 'block' },
  skipped: { tone: 'calm', icon: 'skip' },
  'rolled-back': { tone: 'wait', icon: 'back' },
  blocked: { tone: 'calm', icon: 'block' },
  pending: { tone: 'calm', icon: 'dot' },
  held: { tone: 'good', icon: 'check' },
  // Of a repository in a campaign.
  open: { tone: 'calm', icon: 'dot' },
  later: { tone: 'calm', icon: 'dot' },
  approval: { tone: 'wait', icon: 'ask' },
  refused: { tone: 'bad', icon: 'block' },
  parked: { tone: 'bad', icon: 'pause' },
  excluded: { tone: 'calm', icon: 'skip' },
  unreachable: { tone: 'bad', icon: 'cross' },
  closed: { tone: 'calm', icon: 'check' },
  unproven: { tone: 'wait', icon: 'ask' },
}

const markOf = (state: string): Mark => marks[state] ?? { tone: 'calm', icon: 'dot' }
export const toneOf = (state: string): Tone => markOf(state).tone

export const Icon = ({ state }: { readonly state: string }): VNode => {
  const { tone, icon } = markOf(state)
  return (
    <svg class={`icon ${tone}${state === 'running' ? ' pulsing' : ''}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={icons[icon]} />
    </svg>
  )
}

/** `words`: instead of the name of the state. */
export const State = ({ state, words }: { readonly state: string; readonly words?: string }): VNode => (
  <span class={`state ${toneOf(state)}`}>
    <Icon state={state} />
    {words ?? state.replace('-', ' ')}
  </span>
)

const bars: Readonly<Record<string, number>> = { LOW: 1, MEDIUM: 2, HIGH: 3, CRITICAL: 4 }

export const Risk = ({ risk }: { readonly risk: string }): VNode => (
  <span class={`risk risk-${risk.toLowerCase()}`}>
    <svg viewBox="0 0 16 16" aria-hidden="true">
      {[1, 2, 3, 4].map((bar) => (
        <rect
          key={bar}
          x={bar * 4 - 4}
          y={14 - bar * 3}
          width="3"
          height={bar * 3}
          class={bar <= (bars[risk] ?? 0) ? 'on' : ''}
        />
      ))}
    </svg>
    {risk.toLowerCase()}
    <span class="hidden"> risk</span>
  </span>
)

export const Progress = ({
  done,
  total,
  state,
}: {
  readonly done: number
  readonly total: number
  readonly state: string
}): VNode => (
  <span class="progress">
    <progress
      class={toneOf(state)}
      value={done}
      max={Math.max(1, total)}
      aria-label={`${done} of ${total} steps done`}
    />
    <span class="count" aria-hidden="true">
      {done}/{total}
    </span>
  </span>
)
