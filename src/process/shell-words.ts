// Words of a shell.

/** One word, whatever is in it. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** The same for a person to type: quoted only where it has to be. */
export const wordOf = (word: string): string => (/^[\w./-]+$/.test(word) ? word : quoted(word))

/** A program with its arguments, for a shell that does nothing but start it: every word is quoted, and means itself. */
export function commandLine(
  words: readonly string[],
  { directory }: { readonly directory?: string | undefined } = {},
): string {
  // With `./` no name is an option to `cd`, and none is looked for in CDPATH.
  const there = directory === undefined ? '' : `cd ${quoted(`./${directory}`)} && `
  return `${there}exec ${words.map(quoted).join(' ')}`
}
