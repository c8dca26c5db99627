// What `git merge` leaves of a conflict. All three lines of it: a single one can be the underline of a heading, or the
// operator of some language.

import { maxProblems, problemAt, type SyntaxProblem } from './problem.ts'

const marker = /^(?:<<<<<<< |=======\r?$|>>>>>>> )/gm

export function conflictMarkers(text: string): SyntaxProblem[] {
  const problems: SyntaxProblem[] = []
  let began: number | undefined
  let isHalf = false
  for (const { 0: found, index } of text.matchAll(marker)) {
    if (found.startsWith('<')) [began, isHalf] = [index, false]
    else if (found.startsWith('=')) isHalf = began !== undefined
    else {
      if (began !== undefined && isHalf) problems.push(problemAt(text, began, 'a merge conflict marker'))
      began = undefined
    }
    if (problems.length === maxProblems) break
  }
  return problems
}

/** The text with what no language takes in the place of each beginning of a conflict. */
export const withoutSense = (text: string): string => text.replace(/^<<<<<<< .*$/gm, ')]}')
