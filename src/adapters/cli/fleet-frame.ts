// The live table of a fleet: how far it is, the repositories by state, the rate, and the failures in groups.

import type { RunEvent } from '../../engine/run/events.ts'
import { escapeForTerminal } from '../../plan/text/display.ts'
import { elapsed } from '../../view/duration.ts'
import { clip } from '../terminal/width.ts'
import type { Style } from './style.ts'

type FleetEvent = Extract<RunEvent, { kind: 'fleet' }>

const mostGroups = 5

/** `before`: how many repositories had ended when this command began. */
export function fleetFrame(event: FleetEvent, before: number, style: Style): string[] {
  const { title, counts, ended, total, elapsedMs, failures } = event
  const room = style.columns === undefined ? 80 : style.columns - 1
  const perMinute = elapsedMs < 1000 ? 0 : ((ended - before) * 60_000) / elapsedMs
  const facts = [
    `${ended}/${total}`,
    elapsed(elapsedMs),
    ...(perMinute === 0
      ? []
      : [
          `${perMinute.toFixed(perMinute < 10 ? 1 : 0)}/min`,
          `${elapsed(((total - ended) * 60_000) / perMinute)} left`,
        ]),
  ].join('  ')
  const states = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  const groups = failures
    .slice(0, mostGroups)
    .map(({ state, step, line, count }) =>
      clip(
        `${count} ${state}${step === null ? '' : ` at ${escapeForTerminal(step)}`}${line === null ? '' : `: ${escapeForTerminal(line)}`}`,
        room - 2,
        style.signs.more,
      ),
    )
  return [
    clip(escapeForTerminal(title), room, style.signs.more),
    `${bar(ended / Math.max(1, total), Math.max(4, Math.min(30, room - facts.length - 2)), style)}  ${style.dim(facts)}`,
    style.dim(clip(`  ${states.join(', ')}`, room, style.signs.more)),
    ...groups.map((group) => `  ${style.red(group)}`),
    ...(failures.length > mostGroups ? [style.dim(`  and ${failures.length - mostGroups} more groups`)] : []),
  ]
}

function bar(part: number, width: number, style: Style): string {
  const [full, empty] = style.signs.done === '✓' ? ['█', '░'] : ['#', '.']
  const done = Math.round(Math.min(1, part) * width)
  return `${style.green(full.repeat(done))}${style.dim(empty.repeat(width - done))}`
}
