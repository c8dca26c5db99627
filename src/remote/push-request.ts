// What the user says about pushing while a command runs.

export interface PushRequest {
  /** `ends`: not after every step. */
  readonly push?: boolean | 'ends'
  /** With `push`: even if another clone holds the plan. */
  readonly takeOver?: boolean
}

/** A push request and the command that repeats it. */
export interface Pushing {
  readonly request: PushRequest
  readonly again: string
}

export const isPushing = ({ push }: PushRequest): boolean => push === true || push === 'ends'
