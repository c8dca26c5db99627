// Measures the table of figures: group by group, each with all of its sides in turns.

import { figuresOf, plotsOf } from './figures.mjs'
import { measure } from './measure.mjs'
import { judge, ratioOf } from './statistics.mjs'

/** Without duplicates: a side that two figures share is measured once. */
const distinct = (subjects) => [...new Map(subjects.map((subject) => [subject.key, subject])).values()]

/** A figure with its measurements. */
function resultOf({ name, what, against, subject, reference, limit, reached }, measured, tolerance) {
  const sides = { subject: measured.get(subject.key), reference: measured.get(reference.key) }
  const known = { name, what, against, unit: subject.unit.name, limit, ...sides }
  const broken = Object.values(sides).find((side) => side.refused !== undefined)
  const missing = Object.values(sides).find((side) => side.missing !== undefined)
  if (broken !== undefined) return { ...known, verdict: 'refused', reason: broken.refused }
  if (missing !== undefined) return { ...known, verdict: 'not measured', reason: missing.missing }
  const ratio = ratioOf(sides.subject, sides.reference)
  return { ...known, ratio, verdict: judge({ ratio, limit, reached, tolerance }) }
}

/** A plot with the values of its points; those that came to no figure are left out. */
const drawn = ({ file, title, axis, lines }, measured) => ({
  file,
  title,
  axis,
  lines: lines.map(({ label, points }) => ({
    label,
    points: points.flatMap(({ size, subject }) => {
      const { median, low, high } = measured.get(subject.key)
      return median === undefined ? [] : [{ size, median, low, high }]
    }),
  })),
})

/** Measures the figures that are asked for, all of them if none is named. */
export function runFigures({ form, only, place, tell }) {
  const isWanted = (name) => only.length === 0 || only.includes(name)
  const figures = figuresOf(form).filter(({ name }) => isWanted(name))
  const plots = plotsOf(form).filter(({ figure }) => isWanted(figure))
  const measured = new Map()
  const groups = [...new Set(figures.map(({ group }) => group))]
  for (const [at, group] of groups.entries()) {
    const rows = figures.filter((figure) => figure.group === group)
    const points = plots
      .filter(({ figure }) => rows.some(({ name }) => name === figure))
      .flatMap(({ lines }) => lines.flatMap((line) => line.points))
    const subjects = distinct([
      ...rows.flatMap(({ subject, reference }) => [subject, reference]),
      ...points.map(({ subject }) => subject),
    ])
    const prefix = `[${at + 1}/${groups.length}] ${group}`
    for (const [key, outcome] of measure({
      subjects,
      rounds: form.rounds[rows[0].rounds],
      place,
      tell: (text) => tell(`${prefix}: ${text}`),
    }))
      measured.set(`${group}: ${key}`, outcome)
  }
  const within = (group) => ({ get: (key) => measured.get(`${group}: ${key}`) })
  const groupOf = (name) => figures.find((figure) => figure.name === name).group
  return {
    figures: figures.map((figure) => resultOf(figure, within(figure.group), form.tolerance)),
    plots: plots.map((plot) => drawn(plot, within(groupOf(plot.figure)))),
  }
}
