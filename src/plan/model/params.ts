// Parameters: values that were given when the plan was proposed. They are data: texts have them already inserted, and
// shell commands get them as environment variables.

export type ParamValue = string | number | boolean | readonly string[]
export type Params = Readonly<Record<string, ParamValue>>

export const paramNamePattern = /^[a-z][a-z0-9_]{0,39}$/
export const paramNameAdvice = 'a name has 1 to 40 characters from a-z, 0-9 and `_`, and begins with a letter'

export const isParamValue = (value: unknown): value is ParamValue =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (Array.isArray(value) && value.every((each) => typeof each === 'string'))

/** The environment variable of a parameter. */
export const paramVariable = (name: string): string => `PLAN_PARAM_${name.toUpperCase()}`

/** A list has one entry per line. */
export const paramText = (value: ParamValue): string => (Array.isArray(value) ? value.join('\n') : String(value))

/** The values of a step come before those of the plan. */
export const paramEnvironment = (plan: Params, step: Params = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...plan, ...step }).map(([name, value]) => [paramVariable(name), paramText(value)]),
  )
