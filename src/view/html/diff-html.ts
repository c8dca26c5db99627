// A patch as HTML: a part per file, that can be opened and closed without a script.

import { escapeHtml, Html, markup } from './markup.ts'

/** A larger file is closed at first. */
const mostOpen = 400

export function diffHtml(patch: string): Html {
  const files = patch.split(/^(?=diff --git )/m).filter((part) => part !== '')
  return markup`${files.map(fileHtml)}`
}

function fileHtml(part: string): Html {
  const lines = part.replace(/\n$/, '').split('\n')
  const start = lines.findIndex((line) => line.startsWith('@@') || line.startsWith('GIT binary'))
  const body = start < 0 ? [] : lines.slice(start)
  const added = body.filter((line) => line.startsWith('+')).length
  const removed = body.filter((line) => line.startsWith('-')).length
  const head = start < 0 ? lines : lines.slice(0, start)
  const counts = markup`<span class="added">+${added}</span> <span class="removed">−${removed}</span>`
  return markup`<details class="file" ${new Html(body.length > mostOpen ? '' : ' open')}>
    <summary><code>${nameOf(head)}</code> ${counts}${kindOf(head)}</summary>
    <pre class="diff">${new Html(body.map(lineHtml).join('\n'))}</pre>
  </details> `
}

/** As Git prints it, which quotes unusual names. */
function nameOf(head: readonly string[]): string {
  const find = (start: string): string | undefined => head.find((line) => line.startsWith(start))?.slice(start.length)
  const renamed = find('rename to ')
  if (renamed !== undefined) return `${find('rename from ') ?? ''} → ${renamed}`
  const side = [find('+++ '), find('--- ')].find((name) => name !== undefined && name !== '/dev/null')
  return side?.replace(/^("?)[ab]\//, '$1').replace(/\t$/, '') ?? (head[0] ?? '').replace(/^diff --git /, '')
}

const kindOf = (head: readonly string[]): string => {
  const kind = ['new file', 'deleted file', 'Binary files'].find((start) => head.some((line) => line.startsWith(start)))
  return kind === undefined ? '' : ` (${kind === 'Binary files' ? 'binary' : kind.replace(' file', '')})`
}

function lineHtml(line: string): string {
  const kind = line.startsWith('@@') ? 'hunk' : line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''
  return kind === '' ? escapeHtml(line) : `<span class="${kind}">${escapeHtml(line)}</span>`
}
