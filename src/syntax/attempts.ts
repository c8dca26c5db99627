// One text after the other for the same parser, and where it takes no more of each.

import type { Parser, Tree } from './grammars.ts'

/** As many characters as the engine takes at a time. */
const pieceLength = 10 * 1024

/** In pieces: some lexers read on to the end of the text for each of its words, and ask for leave at a hundred words only. When it is done, the text is at its end. */
export function parsed(parser: Parser, text: string, isDone: () => boolean): Tree | null {
  const tree = parser.parse((index) => (isDone() ? '' : text.slice(index, index + pieceLength)), null, { progressCallback: isDone })
  // Otherwise it would go on with this text when it is given the next one.
  parser.reset()
  return tree
}

/** A parser that is given one text after the other, all of them within the same time. */
export interface Attempts {
  isLate(): boolean
  /** Whether there is nothing wrong with the text; undefined where that is not known in time. */
  takes(text: string): boolean | undefined
  /**
   * Where the first word begins that cannot follow what stands before it, or the space before it. Infinity where there is none before `enough`; undefined where that is
   * not known. A tree does not say it: there the parser has gone back, and on in another way. Its log does. The text has to be one line.
   */
  failure(text: string, enough: number): number | undefined
}

export function attemptsOf(parser: Parser, isLate: () => boolean): Attempts {
  return {
    isLate,
    takes(text) {
      const tree = parsed(parser, text, isLate)
      const hasError = tree?.rootNode.hasError
      tree?.delete()
      return hasError === undefined || isLate() ? undefined : !hasError
    },
    failure(text, enough) {
      let [at, furthest, end] = [0, -1, undefined as 'passed' | 'failed' | undefined]
      parser.setLogger((message, isLexing) => {
        if (isLexing || end !== undefined) return
        // In bytes of UTF-16.
        if (message.startsWith('process')) at = Number(message.slice(message.lastIndexOf(':') + 1)) / 2
        if (at >= enough) end = 'passed'
        // One of the ways to read it ends here; others may go on.
        else if (message.startsWith('detect_error')) furthest = Math.max(furthest, at)
        else if (message.startsWith('resume')) end = 'failed'
      })
      const tree = parsed(parser, text, () => end !== undefined || isLate())
      parser.setLogger(null)
      const isRight = end === 'passed' || (end === undefined && tree?.rootNode.hasError === false)
      tree?.delete()
      if (isRight) return Infinity
      return end === 'failed' && furthest >= 0 ? furthest : undefined
    },
  }
}
