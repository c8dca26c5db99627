// The arguments of a program, taken apart without knowing all of its options: those that have a value are named, all others count as having none.

export interface Given {
  /** With dashes, letters one by one: `-r`, `-f`, `--force`. Of a value that is there, the last. */
  readonly options: ReadonlyMap<string, string>
  readonly operands: readonly string[]
  readonly has: (...names: readonly string[]) => boolean
  /** All values of an option, by any of its names. */
  readonly values: (...names: readonly string[]) => string[]
}

/** A long option may be cut short, as long as nobody takes it for another one. */
const isShort = (name: string, full: string): boolean =>
  name.length >= 5 && name.length < full.length && name.startsWith('--') && full.startsWith(name)

/** `valued`: names of options with a value, such as `-o --output`. */
export function given(args: readonly string[], valued = ''): Given {
  const withValue = new Set(valued.split(' '))
  const found: { name: string; value: string }[] = []
  const operands: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (arg === '--') {
      operands.push(...args.slice(at + 1))
      break
    }
    if (!arg.startsWith('-') || arg === '-') operands.push(arg)
    else if (arg.startsWith('--')) {
      const equals = arg.indexOf('=')
      const name = equals < 0 ? arg : arg.slice(0, equals)
      const takesNext = equals < 0 && (withValue.has(name) || [...withValue].some((each) => isShort(name, each)))
      found.push({ name, value: takesNext ? (args[at + 1] ?? '') : equals < 0 ? '' : arg.slice(equals + 1) })
      if (takesNext) at += 1
    } else if (readLetters(arg, withValue, args[at + 1] ?? '', found)) at += 1
  }
  const options = new Map(found.map(({ name, value }) => [name, value]))
  return {
    options,
    operands,
    has: (...names) =>
      names.some(
        (name) => options.has(name) || (name.startsWith('--') && found.some((each) => isShort(each.name, name))),
      ),
    values: (...names) =>
      found
        .filter(({ name }) => names.includes(name) || names.some((each) => isShort(name, each)))
        .map(({ value }) => value),
  }
}

/** True where the next argument is the value of the last letter. */
function readLetters(
  arg: string,
  withValue: ReadonlySet<string>,
  next: string,
  found: { name: string; value: string }[],
): boolean {
  const letters = arg.slice(1).split('')
  // `-exec`, `-out`: a word with one dash, which is also known as it is.
  if (letters.length > 1) {
    found.push({ name: arg, value: withValue.has(arg) ? next : '' })
    if (withValue.has(arg)) return true
  }
  for (const [at, letter] of letters.entries()) {
    const name = `-${letter}`
    const rest = letters.slice(at + 1).join('')
    if (!withValue.has(name)) {
      found.push({ name, value: '' })
      continue
    }
    found.push({ name, value: rest === '' ? next : rest.replace(/^=/, '') })
    return rest === ''
  }
  return false
}
