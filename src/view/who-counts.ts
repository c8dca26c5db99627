// Whose approval the policy asks for, in a sentence.

import type { Exclusion, Requirement, Source } from '../plan/config/approval-policy.ts'
import { inText } from './markdown.ts'

const excluded: Readonly<Record<Exclusion, string>> = { author: 'the author', 'last-pusher': 'whoever pushed last', starter: 'whoever starts it' }
const ways: Readonly<Record<Source, string>> = {
  review: 'by a review here',
  local: 'by `git plan approve`',
  signature: 'by a signed `git plan approve --sign`',
}

/** Ends without a full stop. */
export function whoCounts({ count, from, not, people, teams, codeowners }: Requirement): string {
  const named = [...people.map(inText), ...teams.map((team) => `the team ${inText(team)}`)]
  return [
    `${count} ${count === 1 ? 'approval is' : 'approvals are'} needed, ${from.map((source) => ways[source]).join(' or ')}`,
    ...(from.includes('review') ? ['of people who may write to the repository'] : []),
    ...(named.length === 0 ? [] : [`of ${named.join(' or ')}`]),
    ...(not.length === 0 ? [] : [`not of ${not.map((name) => excluded[name]).join(' or ')}`]),
    ...(codeowners ? ['and of the owners (CODEOWNERS) of what it touches'] : []),
  ].join(', ')
}
