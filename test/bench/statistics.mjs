// The arithmetic of a figure: summary of many runs, comparison of two sides, and whether the limit is met.

/** The value below which a share of the values lies, interpolated linearly. */
function quantile(sorted, share) {
  const at = (sorted.length - 1) * share
  const below = Math.floor(at)
  const above = Math.ceil(at)
  return sorted[below] + (sorted[above] - sorted[below]) * (at - below)
}

/** Summary of the runs of one side: the median and the quartiles. */
export function summarise(runs) {
  if (runs.length === 0) throw new Error('no run, no figure')
  if (!runs.every((value) => Number.isFinite(value) && value > 0))
    throw new Error(`not every run has a value: ${runs.join(', ')}`)
  const sorted = runs.toSorted((one, other) => one - other)
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75), runs }
}

/** How the subject compares with its reference: a reader who divides the two medians of the table gets the same. */
export const ratioOf = (subject, reference) => subject.median / reference.median

/**
 * Whether a ratio is good enough; with a tolerance of 2 a figure fails when it is over twice its limit. One that is
 * known to miss its limit is held to what was reached: it falls short, and must not fall back.
 */
export function judge({ ratio, limit, reached = 0, tolerance }) {
  if (limit === undefined) return 'no limit'
  if (ratio <= limit) return 'held'
  if (ratio <= reached * tolerance) return 'short'
  return ratio <= limit * tolerance ? 'tolerated' : 'over'
}
