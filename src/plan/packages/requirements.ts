// The list of requirements that pip installs from and never writes.

/** Names of Python packages are compared like this (PEP 503). */
export const pythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

/** The name that a line requires; undefined for comments, options and addresses. */
const requiredBy = (line: string): string | undefined => {
  const name = /^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:[[<>=!~;#]|$)/.exec(line)?.[1]
  return name === undefined ? undefined : pythonName(name)
}

export const namesRequired = (text: string): string[] =>
  text.split('\n').flatMap((line) => requiredBy(line.replace(/\r$/, '')) ?? [])

/** With each of these required as it is written here, once: in the line that required it before, or at the end. */
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
