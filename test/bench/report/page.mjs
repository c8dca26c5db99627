// The page with the figures: the text between its two markers is replaced, the rest is written by people.

import { tableOf } from './table.mjs'

export const markers = ['<!-- figures: npm run bench -- --out docs/performance.md -->', '<!-- /figures -->']

/** Where, when and with which versions the figures were measured, in one paragraph. */
const circumstances = ({ date, version, machine: { processor, cores, memory, system, disk, node, git } }) =>
  `Measured on ${date.slice(0, 10)}: git-plan ${version}, Node ${node.replace('v', '')}, ${git.replace('version ', '')}, ${system.replace(/(\d+\.\d+)\S*/, '$1')}, ${cores} cores of ${processor}, ${memory} of memory, ${disk}.`

/** The text between the markers. */
export const figuresText = (report) =>
  [
    circumstances(report),
    tableOf(report.figures),
    ...report.plots.map(({ title, file }) => `![${title}](${file})`),
  ].join('\n\n')

export function fillPage(page, text) {
  const [from, to] = markers.map((marker) => page.indexOf(marker))
  if (from < 0 || to < from) throw new Error(`the page lacks its markers: ${markers.join(' … ')}`)
  return `${page.slice(0, from + markers[0].length)}\n\n${text}\n\n${page.slice(to)}`
}
