// A plot as SVG: size on a logarithmic x axis, cost per step on a y axis from zero. It has its own background, light or
// dark as the reader prefers.

import { rounded } from '../units.mjs'

const width = 720
const height = 410
const box = { left: 70, right: 690, top: 84, bottom: 340 }

/** Colours as rules instead of variables, which some SVG viewers do not support. */
const coloursOf = ({ ground, ink, soft, grid, one, two }) =>
  `.ground { fill: ${ground} } text { fill: ${ink} } .soft { fill: ${soft} } .grid { stroke: ${grid} } ` +
  `.one { stroke: ${one} } .two { stroke: ${two} } .one-mark { fill: ${one} } .two-mark { fill: ${two} }`

const light = coloursOf({
  ground: '#ffffff',
  ink: '#1f2328',
  soft: '#59636e',
  grid: '#d1d9e0',
  one: '#0550ae',
  two: '#bc4c00',
})
const dark = coloursOf({
  ground: '#0d1117',
  ink: '#f0f6fc',
  soft: '#9198a1',
  grid: '#3d444d',
  one: '#79c0ff',
  two: '#ffa657',
})

const style = `
  text { font: 13px system-ui, sans-serif }
  .title { font-size: 15px; font-weight: 600 }
  .line { fill: none; stroke-width: 2.5 }
  ${light}
  @media (prefers-color-scheme: dark) { ${dark} }`

/** Lines differ in colour, in dashes and in marks, so that one who sees no colours can tell them apart. */
const looks = [
  { name: 'one', dashes: '', mark: (x, y) => `<circle class="one-mark" cx="${x}" cy="${y}" r="4.5"/>` },
  {
    name: 'two',
    dashes: ' stroke-dasharray="7 4"',
    mark: (x, y) => `<rect class="two-mark" x="${x - 4}" y="${y - 4}" width="8" height="8"/>`,
  },
]

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const place = (value) => Number(value.toFixed(1))

/** The next of 1, 2, 5, 10, … that is not smaller. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= value * 0.999999)
}

/** Round numbers from nothing to what is at the top, four or five steps of them. */
function ticksUpTo(most) {
  const step = roundUp(most / 5)
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step)
}

/** Where a size and a cost are on the paper. */
function scalesOf(sizes, top) {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)].map(Math.log)
  const span = most - least || 1
  return {
    x: (size) => place(box.left + 20 + ((Math.log(size) - least) / span) * (box.right - box.left - 60)),
    y: (cost) => place(box.bottom - (cost / top) * (box.bottom - box.top)),
  }
}

/**
 * Costs stand above the highest line and below the others, or they would cover each other where two lines are close.
 */
function lineOf({ points }, look, { x, y }, isHighest) {
  const path = points.map(({ size, median }) => `${x(size)},${y(median)}`).join(' ')
  const spreads = points.map(
    ({ size, low, high }) =>
      `<line x1="${x(size)}" x2="${x(size)}" y1="${y(low)}" y2="${y(high)}" class="${look.name}" stroke-width="1.5"/>`,
  )
  const marks = points.map((point) => {
    const [across, down] = [x(point.size), y(point.median)]
    return `${look.mark(across, down)}<text x="${across}" y="${place(down + (isHighest(point) ? -11 : 20))}" text-anchor="middle">${rounded(point.median)}</text>`
  })
  return [`<polyline class="line ${look.name}"${look.dashes} points="${path}"/>`, ...spreads, ...marks]
}

/** The name of each line beside a piece of it. */
const legendOf = (lines) =>
  lines.map(({ label }, at) => {
    const look = looks[at % looks.length]
    const x = box.left + at * 150
    return `<line x1="${x}" x2="${x + 30}" y1="56" y2="56" class="line ${look.name}"${look.dashes}/>${look.mark(x + 15, 56)}<text x="${x + 38}" y="60">${escaped(label)}</text>`
  })

export function plotOf({ title, axis, lines }) {
  const points = lines.flatMap((line) => line.points)
  if (points.length === 0) throw new Error(`nothing to draw: ${title}`)
  const ticks = ticksUpTo(Math.max(...points.map(({ high }) => high)))
  const sizes = [...new Set(points.map(({ size }) => size))].toSorted((one, other) => one - other)
  const scales = scalesOf(sizes, ticks.at(-1))
  const isHighest = ({ size, median }) => points.every((other) => other.size !== size || other.median <= median)
  const rules = ticks.map(
    (cost) =>
      `<line class="grid" x1="${box.left}" x2="${box.right}" y1="${scales.y(cost)}" y2="${scales.y(cost)}"/><text class="soft" x="${box.left - 8}" y="${place(scales.y(cost) + 4)}" text-anchor="end">${Number(cost.toPrecision(6))}</text>`,
  )
  const names = sizes.map(
    (size) =>
      `<text class="soft" x="${scales.x(size)}" y="${box.bottom + 38}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
  )
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title).replaceAll('"', '&quot;')}">`,
    `<style>${style}\n</style>`,
    `<rect width="${width}" height="${height}" class="ground"/>`,
    `<text class="title" x="20" y="30">${escaped(title)}</text>`,
    ...legendOf(lines),
    `<text class="soft" x="${width - 30}" y="60" text-anchor="end">ms a step; bars are quartiles</text>`,
    ...rules,
    ...names,
    `<text class="soft" x="${(box.left + box.right) / 2}" y="${box.bottom + 58}" text-anchor="middle">${escaped(axis)}</text>`,
    ...lines.flatMap((line, at) => lineOf(line, looks[at % looks.length], scales, isHighest)),
    '</svg>',
  ].join('\n')}\n`
}
