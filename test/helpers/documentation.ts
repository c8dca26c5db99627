// Runs pages of the documentation. In a page,
//   ```console  contains commands after `$ ` and their output,
//   ```sh       contains commands that succeed,
//   ```js       is a program that exits with 0, in its own repository with the files of the page,
//   <!-- file: PATH -->            before a fenced block: its text is that file,
//   <!-- file: PATH … text … -->   a file that the page does not show,
//   <!-- fresh -->                 a new repository from here on.

export type Action =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'program'; readonly line: number; readonly text: string }
  | { readonly kind: 'command'; readonly line: number; readonly command: string; readonly output: string | undefined }

/** Of other programs, such as editors. */
const configuration = ['json', 'lua', 'vim']

export function actionsOf(page: string): Action[] {
  const actions: Action[] = []
  const lines = page.split('\n')
  let named: string | undefined
  /** The lines up to the one that ends the block; the index is left there. */
  const until = (end: string, from: number): string[] => lines.slice(from, lines.indexOf(end, from))
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const [, path, isShown] = /^<!-- file: (\S+)( -->)?$/.exec(line) ?? []
    const [, language] = /^```(\w*)$/.exec(line) ?? []
    if (line === '<!-- fresh -->') actions.push({ kind: 'fresh' })
    if (path !== undefined && isShown !== undefined) named = path
    if ((path === undefined || isShown !== undefined) && language === undefined) continue
    const body = until(language === undefined ? '-->' : '```', at + 1)
    if (
      language !== undefined &&
      !configuration.includes(language) &&
      !['', 'text', 'sh', 'console', 'markdown', 'yaml', 'js'].includes(language)
    )
      throw new Error(`line ${at + 1}: nobody runs a block of ${language}`)
    if (language === 'console' && !body.some((each) => each.startsWith('$ ')))
      throw new Error(`line ${at + 1}: a session without a command`)
    const file = language === undefined ? path : named
    if (file !== undefined) actions.push({ kind: 'file', path: file, text: `${body.join('\n')}\n` })
    else if (language === 'js') actions.push({ kind: 'program', line: at + 1, text: `${body.join('\n')}\n` })
    else if (language === 'console') actions.push(...session(body, at + 2))
    else if (language === 'sh')
      for (const [below, command] of body.entries())
        if (command !== '') actions.push({ kind: 'command', line: at + 2 + below, command, output: undefined })
    named = undefined
    at += body.length + 1
  }
  return actions
}

function session(body: readonly string[], first: number): Action[] {
  const commands: { kind: 'command'; line: number; command: string; output: string }[] = []
  for (const [at, line] of body.entries()) {
    const last = commands.at(-1)
    if (line.startsWith('$ ')) commands.push({ kind: 'command', line: first + at, command: line.slice(2), output: '' })
    else if (last !== undefined) last.output += `${line}\n`
  }
  return commands
}

/** What differs from run to run: ids of commits, times, where the repository is. A digest is 64 long and stays. */
export const comparable = (text: string, directory: string): string =>
  text
    .replaceAll(directory, '/home/ada/hello')
    .replace(/\b[0-9a-f]{7,40}\b/g, '<commit>')
    .replace(/\b\d+(\.\d+)?m?s\b/g, '<time>')
    .replace(/\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d\b/g, '<when>')
    .replace(/\s+$/, '')
