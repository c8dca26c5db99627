// Runs the sides of a group in turns, so that other load on the machine affects all of them alike.

import { summarise } from './statistics.mjs'
import { Interrupted, NotMeasured } from './stops.mjs'

/** The outcome of a side without a figure: the reason, and whether it is a mistake. */
const withoutFigure = (error) =>
  error instanceof NotMeasured ? { missing: error.message } : { refused: error.message }

/** Performs an action for a side; a side that fails drops out, and the others continue. */
function attempt(side, action) {
  if (side.outcome !== undefined) return
  try {
    action()
  } catch (error) {
    if (error instanceof Interrupted) throw error
    side.outcome = withoutFigure(error)
  }
}

/** Prepares a run and does it: the preparing is not measured. */
function runOnce(side) {
  side.opened.reset()
  return side.opened.run()
}

/**
 * The outcome of each subject by its key: `{ median, low, high, runs }`, `{ missing }` or `{ refused }`. The first
 * round fills the caches and is not counted; every other round goes backwards, so that nobody always comes after the
 * same one.
 */
export function measure({ subjects, rounds, place, tell }) {
  const sides = subjects.map((subject) => ({ subject, runs: [], opened: undefined, outcome: undefined }))
  for (const side of sides) attempt(side, () => (side.opened = side.subject.open(place)))
  for (let round = 0; round <= rounds; round += 1) {
    const counts = round > 0
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      attempt(side, () => {
        const value = runOnce(side)
        if (counts) side.runs.push(value)
        tell(
          `${counts ? `round ${round} of ${rounds}` : 'warming up'}: ${side.subject.label}: ${side.subject.unit.write(value)}`,
        )
      })
    }
  }
  for (const side of sides) attempt(side, () => (side.outcome = summarise(side.runs)))
  for (const { subject, outcome } of sides)
    if (outcome.median === undefined) tell(`${subject.label}: ${outcome.missing ?? outcome.refused}`)
  return new Map(sides.map(({ subject, outcome }) => [subject.key, outcome]))
}
