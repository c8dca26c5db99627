// Turns every failed answer into an error with a hint. A forge that cannot be read has approved nothing.

import { PlanError } from '../../errors.ts'
import type { ForgeRepository } from './forge.ts'
import { tokenAdvice } from './token-names.ts'

/** A request, and the token sent with it. */
export interface Question {
  readonly forgeRepo: ForgeRepository
  readonly token: string | undefined
  readonly method: string
  /** Relative to the API's address, without the query. */
  readonly path: string
}

export interface Refusal {
  readonly status: number
  readonly text: string
  /** The end of a rate limit, if it is one. */
  readonly until?: Date | undefined
  readonly isLimit?: boolean
}

const tryAgain = 'try again in a minute'

/** A request without an answer, or with an incomplete one. */
export function noAnswerError(question: Question, why: string, cause?: unknown): PlanError {
  const isRead = ['GET', 'HEAD'].includes(question.method)
  const doubt = isRead ? '' : '; it is not known whether it took effect'
  return new PlanError('forge', `${subject(question)} was not answered: ${why}${doubt}`, {
    hint: isRead ? tryAgain : `check ${question.forgeRepo.host}, then try again`,
    facts: { status: 0, host: question.forgeRepo.host },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** An answer that is not in the published format. */
export function wrongAnswer(question: Question, what: string, status = 200): PlanError {
  return new PlanError('forge', `${subject(question)} got an unexpected answer: ${clean(what, question.token)}`, {
    hint: `check that ${question.forgeRepo.api} is the API of ${kindNames[question.forgeRepo.kind]}, without a proxy in between, then ${tryAgain}`,
    facts: { status, host: question.forgeRepo.host },
  })
}

const kindNames = { github: 'GitHub', gitlab: 'GitLab', gitea: 'Gitea or Forgejo' } as const

/** An answer with an error status. */
export function refusal(question: Question, given: Refusal): PlanError {
  const { forgeRepo, token } = question
  const detail = messageIn(given.text)
  const suffix = detail === '' ? '' : `: ${clean(detail, token)}`
  const { message, hint } =
    given.isLimit === true ? rateLimitText(question, given) : refusalText(question, given.status, suffix)
  return new PlanError(given.isLimit === true ? 'rate-limited' : 'forge', message, {
    hint,
    facts: {
      status: given.status,
      host: forgeRepo.host,
      ...(given.until === undefined ? {} : { until: given.until.toISOString() }),
    },
  })
}

export const noTeam = (forgeRepo: ForgeRepository, team: string): PlanError =>
  new PlanError('forge', `${forgeRepo.host} has no team ${team}, or the token cannot see it`, {
    hint: `correct the name in the configuration, or ${tokenAdvice(forgeRepo)}`,
    facts: { status: 404, host: forgeRepo.host },
  })

function rateLimitText({ forgeRepo }: Question, { until }: Refusal): { message: string; hint: string } {
  const time = until === undefined ? 'for a while' : `until ${until.toISOString()}`
  return {
    message: `${forgeRepo.host} accepts no more requests ${time}: the rate limit is exceeded`,
    hint: until === undefined ? tryAgain : `try again after ${until.toISOString()}`,
  }
}

function refusalText(question: Question, status: number, suffix: string): { message: string; hint: string } {
  const { forgeRepo, token } = question
  const repository = `${forgeRepo.owner}/${forgeRepo.name}`
  if (status === 401)
    return {
      message:
        token === undefined
          ? `${forgeRepo.host} requires a token, and none was found${suffix}`
          : `${forgeRepo.host} does not accept the token${suffix}`,
      hint: tokenAdvice(forgeRepo),
    }
  if (status === 403)
    return { message: `the token does not permit ${subject(question)}${suffix}`, hint: tokenAdvice(forgeRepo) }
  if (status === 404)
    return {
      message: `${subject(question)} was not found${suffix}: ${repository} does not exist, or the token has no access to it`,
      hint: `check that git remote -v names ${repository}; if it does, ${tokenAdvice(forgeRepo)}`,
    }
  if (status >= 500) return { message: `${subject(question)} failed with ${status}${suffix}`, hint: tryAgain }
  return {
    message: `${subject(question)} was refused with ${status}${suffix}`,
    hint: `check the settings of ${repository} on ${forgeRepo.host}`,
  }
}

const subject = ({ method, path, forgeRepo }: Question): string =>
  `${method} ${clean(path, undefined)} on ${forgeRepo.host}`

/** The three forges use these fields for messages. */
function messageIn(text: string): string {
  try {
    const { message, error, errors } = JSON.parse(text) as { message?: unknown; error?: unknown; errors?: unknown }
    const parts = [message ?? error, errors].filter((part) => part !== undefined && part !== null && part !== '')
    return parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' ')
  } catch {
    return ''
  }
}

/** Reduces untrusted text to one line and removes the token, in case the forge repeats it. */
export function clean(text: string, token: string | undefined): string {
  const masked = token === undefined || token === '' ? text : text.replaceAll(token, '[secret]')
  return masked
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
}
