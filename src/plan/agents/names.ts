// Names in an agent step: they become arguments of programs and parts of paths.

/** No program is started for it: the step waits for whoever calls `git plan next`. */
export const driverName = 'driver'

export const agentNameProblem = (text: string): string | undefined =>
  /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,99}$/.test(text) ? undefined : 'not the name of an agent or a model'

export const roleNameProblem = (text: string): string | undefined =>
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text) ? undefined : 'not the name of an agent definition'

export const toolNameProblem = (text: string): string | undefined =>
  /^[A-Za-z0-9_][A-Za-z0-9_.:/*() -]{0,99}$/.test(text) ? undefined : 'not the name of a tool'
