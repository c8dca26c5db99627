// A word of a command as its program gets it, as far as that can be said before it runs.

export interface Argument {
  /** As it is written, for reasons. */
  readonly text: string
  /** What the program is given; undefined where only the shell that runs it will know. */
  readonly literal: string | undefined
  /** How each field begins, as far as that is known. */
  readonly prefix: string
  /** `one`: exactly one field. `like`: any number, each with the prefix, as of a pattern. `any`: any number of anything. */
  readonly fields: 'one' | 'like' | 'any'
}

export const literalArgument = (literal: string): Argument => ({
  text: literal,
  literal,
  prefix: literal,
  fields: 'one',
})

/** What nothing is known of: what xargs adds, what find puts in. */
export const unknownArgument = (text: string): Argument => ({ text, literal: undefined, prefix: '', fields: 'any' })

/** Cannot be taken for an option, whatever it becomes. A file may be called `-o`, so a pattern that begins with a star can. */
export const isOperand = ({ literal, prefix, fields }: Argument): boolean =>
  literal === undefined
    ? fields !== 'any' && prefix !== '' && !prefix.startsWith('-')
    : literal === '-' || !literal.startsWith('-')

/** The literals of all of them; undefined where one is not known. */
export function literalsOf(args: readonly Argument[]): string[] | undefined {
  const literals = args.map(({ literal }) => literal)
  return literals.every((each) => each !== undefined) ? literals : undefined
}
