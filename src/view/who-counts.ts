// Describes the approvals that the policy requires, in one sentence.

import type { Exclusion, Requirement, Source } from '../plan/config/approval-policy.ts'
import { escapeMarkdown } from './markdown.ts'

const excluded: Readonly<Record<Exclusion, string>> = {
  author: 'the author',
  'last-pusher': 'whoever pushed last',
  starter: 'whoever starts it',
}
const ways: Readonly<Record<Source, string>> = {
  review: 'by review here',
  local: 'by `git plan approve`',
  signature: 'by `git plan approve --sign`',
  campaign: 'by a campaign',
}

/** Without a full stop. */
export function describeRequirement({ count, from, not, people, teams, codeowners }: Requirement): string {
  const named = [...people.map(escapeMarkdown), ...teams.map((team) => `the team ${escapeMarkdown(team)}`)]
  return [
    `${count} ${count === 1 ? 'approval is' : 'approvals are'} needed, ${from.map((source) => ways[source]).join(' or ')}`,
    ...(from.includes('review') ? ['from people with write access'] : []),
    ...(named.length === 0 ? [] : [`from ${named.join(' or ')}`]),
    ...(not.length === 0 ? [] : [`not from ${not.map((name) => excluded[name]).join(' or ')}`]),
    ...(codeowners ? ['and from the code owners of the files that it touches'] : []),
  ].join(', ')
}
