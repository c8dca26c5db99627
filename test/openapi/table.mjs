// What was asked of each description, how often, and how often it fitted; then what did not, and answers that were not
// read as they should be.

export function printed(runs) {
  const lines = runs.flatMap(linesOf)
  const seen = runs.flatMap((run) => run.seen)
  const misread = runs.flatMap((run) => run.misread)
  const unfit = seen.filter(({ problems }) => problems.length > 0)
  const cases = runs.reduce((sum, run) => sum + run.cases, 0)
  lines.push('', `${cases} calls, ${misread.length} misread; ${seen.length} requests, ${unfit.length} unfit`)
  return {
    text: lines.join('\n'),
    isOk: misread.length === 0 && unfit.length === 0 && cases > 0 && seen.length >= cases,
  }
}

function linesOf({ name, seen, misread }) {
  const operations = [...new Set(seen.map(({ operation }) => operation ?? 'not in the description'))].toSorted()
  const rows = operations.map((operation) => {
    const requests = seen.filter((each) => (each.operation ?? 'not in the description') === operation)
    return [operation, requests.length, requests.filter(({ problems }) => problems.length === 0).length]
  })
  const table = [[name, 'requests', 'fit'], ...rows]
  const width = Math.max(...table.map(([first]) => first.length))
  const odd = new Set(seen.flatMap(({ operation, oddities }) => oddities.map((oddity) => `${operation}: ${oddity}`)))
  return [
    '',
    ...table.map(
      ([first, asked, fit]) => `${first.padEnd(width)}  ${String(asked).padStart(8)}  ${String(fit).padStart(3)}`,
    ),
    ...(odd.size === 0
      ? []
      : [`(in ${odd.size} places the published examples are not as their own description has them)`]),
    ...seen.flatMap(({ request, problems }) => problems.map((problem) => `UNFIT ${request}: ${problem}`)),
    ...misread.map((each) => `MISREAD ${each}`),
  ]
}
