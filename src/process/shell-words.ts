// Quotes words for a shell.

/** Always a single word, whatever it contains. */
export const quoteWord = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** For a person to type: quoted only if necessary. */
export const quoteIfNeeded = (word: string): string => (/^[\w./-]+$/.test(word) ? word : quoteWord(word))

/** A command line that starts one program. Every word is quoted, so the shell interprets none of them. */
export function commandLine(
  words: readonly string[],
  { directory }: { readonly directory?: string | undefined } = {},
): string {
  // With `./` the name is never an option to `cd`, nor looked up in CDPATH.
  const changeDirectory = directory === undefined ? '' : `cd ${quoteWord(`./${directory}`)} && `
  return `${changeDirectory}exec ${words.map(quoteWord).join(' ')}`
}
