// Finds merge conflict markers. All three lines are needed: a single one can underline a heading, or be an operator.

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

/** The text with the first marker of each conflict replaced by brackets that no language accepts. */
export const withInvalidMarkers = (text: string): string => text.replace(/^<<<<<<< .*$/gm, ')]}')
