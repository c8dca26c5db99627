// Text of a plan in a report: a title must not become a link or a heading in a pull request.

import { singleLine } from '../../../plan/text/display.ts'

export const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const entities: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' }

/** URLs stay text and @names notify nobody: forges link them despite escapes, but not in code. */
export const escapeText = (text: string): string =>
  singleLine(text)
    .split(/((?<![\w.])@[\w-]+)/)
    .map((part, at) =>
      at % 2 === 1
        ? `\`${part}\``
        : part.replace(
            /[\\`*_{}[\]<>&|#~$]|:(?=\/\/)|(?<=www)\./gi,
            (character) => entities[character] ?? `\\${character}`,
          ),
    )
    .join('')
