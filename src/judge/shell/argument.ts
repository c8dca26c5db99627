// A word of a command as its program gets it, as far as that is known before it runs.

export interface Argument {
  /** As written, for messages. */
  readonly text: string
  /** The value that the program gets; undefined if it is only known at run time. */
  readonly literal: string | undefined
  /** The known beginning of each field. */
  readonly prefix: string
  /**
   * `one`: exactly one field. `like`: any number, each with the prefix, as from a glob. `any`: any number of anything.
   */
  readonly fields: 'one' | 'like' | 'any'
}

export const literalArgument = (literal: string): Argument => ({
  text: literal,
  literal,
  prefix: literal,
  fields: 'one',
})

/** An argument of which nothing is known: the words that xargs adds, the paths that find fills in. */
export const unknownArgument = (text: string): Argument => ({ text, literal: undefined, prefix: '', fields: 'any' })

/** Cannot be read as an option, whatever its value. A glob that begins with a star can: a file may be named `-o`. */
export const isOperand = ({ literal, prefix, fields }: Argument): boolean =>
  literal === undefined
    ? fields !== 'any' && prefix !== '' && !prefix.startsWith('-')
    : literal === '-' || !literal.startsWith('-')

/** All literals; undefined if one of them is unknown. */
export function literalsOf(args: readonly Argument[]): string[] | undefined {
  const literals = args.map(({ literal }) => literal)
  return literals.every((each) => each !== undefined) ? literals : undefined
}
