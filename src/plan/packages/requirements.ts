// The requirements file, which pip installs from and never writes.

/** Normalized name for comparison (PEP 503). */
export const pythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

/** The name that a line requires; undefined for comments, options and URLs. */
const requiredBy = (line: string): string | undefined => {
  const name = /^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:[[<>=!~;#]|$)/.exec(line)?.[1]
  return name === undefined ? undefined : pythonName(name)
}

export const namesRequired = (text: string): string[] =>
  text.split('\n').flatMap((line) => requiredBy(line.replace(/\r$/, '')) ?? [])

/** The file with each of these required once, as written here: on the line that required it before, or at the end. */
export function withRequirements(
  text: string,
  wanted: readonly { readonly name: string; readonly text: string }[],
): string {
  const ending = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
  for (const each of wanted) {
    const at = lines.findIndex((line) => requiredBy(line) === pythonName(each.name))
    if (at < 0) lines.push(each.text)
    else lines[at] = each.text
  }
  return lines.map((line) => `${line}${ending}`).join('')
}
