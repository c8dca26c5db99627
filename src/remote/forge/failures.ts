// Every answer that is none, as the error that says what to do about it. A forge that cannot be read has approved
// nothing.

import { PlanError } from '../../errors.ts'
import type { Place } from './forge.ts'
import { tokenAdvice } from './token-names.ts'

/** What was asked, and whose token was sent with it. */
export interface Question {
  readonly place: Place
  readonly token: string | undefined
  readonly method: string
  /** Below the API's address, without its query. */
  readonly path: string
}

export interface Refusal {
  readonly status: number
  readonly text: string
  /** When a limit on requests ends, where it is one. */
  readonly until?: Date | undefined
  readonly isLimit?: boolean
}

const again = 'try again in a minute'

/** A request that was not answered, or not to its end. */
export function unanswered(question: Question, why: string, cause?: unknown): PlanError {
  const isRead = ['GET', 'HEAD'].includes(question.method)
  const doubt = isRead ? '' : '; it is not known whether it took effect'
  return new PlanError('forge', `${subject(question)} was not answered: ${why}${doubt}`, {
    hint: isRead ? again : `check ${question.place.host}, then try again`,
    facts: { status: 0, host: question.place.host },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** An answer that is not in the published format. */
export function wrongAnswer(question: Question, what: string, status = 200): PlanError {
  return new PlanError('forge', `${subject(question)} got an unexpected answer: ${clean(what, question.token)}`, {
    hint: `check that ${question.place.api} is the API of ${kindNames[question.place.kind]}, without a proxy in between, then ${again}`,
    facts: { status, host: question.place.host },
  })
}

const kindNames = { github: 'GitHub', gitlab: 'GitLab', gitea: 'Gitea or Forgejo' } as const

/** An answer that says no. */
export function refusal(question: Question, given: Refusal): PlanError {
  const { place, token } = question
  const told = messageIn(given.text)
  const said = told === '' ? '' : `: ${clean(told, token)}`
  const { message, hint } = given.isLimit === true ? limited(question, given) : described(question, given.status, said)
  return new PlanError('forge', message, {
    hint,
    facts: {
      status: given.status,
      host: place.host,
      ...(given.until === undefined ? {} : { until: given.until.toISOString() }),
    },
  })
}

export const noTeam = (place: Place, team: string): PlanError =>
  new PlanError('forge', `${place.host} has no team ${team}, or the token cannot see it`, {
    hint: `correct the name in the configuration, or ${tokenAdvice(place)}`,
    facts: { status: 404, host: place.host },
  })

function limited({ place }: Question, { until }: Refusal): { message: string; hint: string } {
  const time = until === undefined ? 'for a while' : `until ${until.toISOString()}`
  return {
    message: `${place.host} accepts no more requests ${time}: the rate limit is exceeded`,
    hint: until === undefined ? again : `try again after ${until.toISOString()}`,
  }
}

function described(question: Question, status: number, said: string): { message: string; hint: string } {
  const { place, token } = question
  const repository = `${place.owner}/${place.name}`
  if (status === 401)
    return {
      message:
        token === undefined
          ? `${place.host} requires a token, and none was found${said}`
          : `${place.host} does not accept the token${said}`,
      hint: tokenAdvice(place),
    }
  if (status === 403)
    return { message: `the token does not permit ${subject(question)}${said}`, hint: tokenAdvice(place) }
  if (status === 404)
    return {
      message: `${subject(question)} was not found${said}: ${repository} does not exist, or the token has no access to it`,
      hint: `check that git remote -v names ${repository}; if it does, ${tokenAdvice(place)}`,
    }
  if (status >= 500) return { message: `${subject(question)} failed with ${status}${said}`, hint: again }
  return {
    message: `${subject(question)} was refused with ${status}${said}`,
    hint: `check the settings of ${repository} on ${place.host}`,
  }
}

const subject = ({ method, path, place }: Question): string => `${method} ${clean(path, undefined)} on ${place.host}`

/** The three forges have it in these places. */
function messageIn(text: string): string {
  try {
    const { message, error, errors } = JSON.parse(text) as { message?: unknown; error?: unknown; errors?: unknown }
    const parts = [message ?? error, errors].filter((part) => part !== undefined && part !== null && part !== '')
    return parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' ')
  } catch {
    return ''
  }
}

/** One line of untrusted text, without the token, should the forge repeat it. */
export function clean(text: string, token: string | undefined): string {
  const masked = token === undefined || token === '' ? text : text.replaceAll(token, '[secret]')
  return masked
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
}
