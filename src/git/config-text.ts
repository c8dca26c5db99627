// The text of a configuration file, where it is written as git and most people write it. Undefined for all else, and for what includes other files.

export interface TextEntry {
  /** In lower case, but for its middle part. */
  readonly key: string
  readonly value: string
}

const blank = /^[ \t]*(?:[#;].*)?$/
const section = /^[ \t]*\[([A-Za-z0-9-]+)(?:[ \t]+"([^"\\\0]*)")?\][ \t]*(?:[#;].*)?$/
const setting = /^[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=(.*))?$/

export function parseConfigText(text: string): TextEntry[] | undefined {
  // Ends of lines and marks that git reads by rules of their own.
  if (/[\r\0\ufeff]/.test(text)) return undefined
  const entries: TextEntry[] = []
  let prefix: string | undefined
  for (const line of text.split('\n')) {
    if (blank.test(line)) continue
    const [isSection, name = '', part] = section.exec(line) ?? []
    if (isSection !== undefined) {
      if (/^include(?:if)?$/i.test(name)) return undefined
      prefix = `${name.toLowerCase()}.${part === undefined ? '' : `${part}.`}`
      continue
    }
    const [isSetting, key = '', given] = setting.exec(line) ?? []
    // A key without `=` is true.
    const value = given === undefined ? 'true' : valueOf(given)
    if (isSetting === undefined || prefix === undefined || value === undefined) return undefined
    entries.push({ key: prefix + key.toLowerCase(), value })
  }
  return entries
}

const escaped: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\' }

/** Without the blanks around it, quotes and what a comment says. Blanks within it other than spaces are read in another way by every other git. */
function valueOf(given: string): string | undefined {
  let value = ''
  let spaces = ''
  let isQuoted = false
  for (let at = 0; at < given.length; at += 1) {
    const char = given[at] ?? ''
    if (!isQuoted && (char === ' ' || char === '\t')) {
      if (value !== '' || spaces !== '') spaces += char
      continue
    }
    if (!isQuoted && (char === '#' || char === ';')) break
    if (spaces.includes('\t')) return undefined
    value += spaces
    spaces = ''
    if (char === '"') isQuoted = !isQuoted
    else if (char !== '\\') value += char
    else {
      const meant = escaped[given[(at += 1)] ?? '']
      if (meant === undefined) return undefined
      value += meant
    }
  }
  return isQuoted ? undefined : value
}
