// What is known of variables: what the script sets, what the step sets, and a few that are everywhere the same.

import { markOfVariable, marks } from './marks.ts'

const { home, some, variable } = marks

/** Values that need not be known exactly to say where a path lies. */
const wellKnown: Readonly<Record<string, string>> = {
  HOME: home,
  XDG_CONFIG_HOME: `${home}/.config`,
  XDG_CACHE_HOME: `${home}/.cache`,
  XDG_DATA_HOME: `${home}/.local/share`,
  PWD: '.',
  GITHUB_WORKSPACE: '.',
  CI_PROJECT_DIR: '.',
  TMPDIR: '/tmp',
  TMP: '/tmp',
  TEMP: '/tmp',
  RUNNER_TEMP: '/tmp/runner',
  SHELL: 'sh',
  ...Object.fromEntries(
    ['PLAN_ID', 'PLAN_STEP', 'PLAN_ATTEMPT', 'PLAN_STEP_KEY', 'USER', 'LOGNAME', 'HOSTNAME', 'RANDOM', 'SECONDS', 'UID', 'PPID'].map((name) => [name, some]),
  ),
}

const maxAlternatives = 8

export class Variables {
  #values: Map<string, readonly string[]>
  /** `set -u`: what was never set stops the script. */
  isStrict = false

  constructor(values: Iterable<readonly [string, readonly string[]]> = []) {
    this.#values = new Map(values)
  }

  /** All that it may be. */
  of(name: string): readonly string[] {
    const mark = markOfVariable(name)
    if (mark !== undefined) return [mark]
    const known = this.#values.get(name) ?? (Object.hasOwn(wellKnown, name) ? [wellKnown[name] ?? ''] : undefined)
    if (known !== undefined) return known
    return [/^[#?$!0-]$/.test(name) || (this.isStrict && /^[A-Za-z_]/.test(name)) ? some : variable]
  }

  isSet(name: string): boolean {
    return this.#values.has(name)
  }

  /** Where it may be left out, as in a branch, what it was before is still possible. */
  set(name: string, values: readonly string[], isCertain: boolean): void {
    const before = isCertain ? [] : (this.#values.get(name) ?? [])
    this.#values.set(name, [...new Set([...before, ...values])].slice(-maxAlternatives))
  }

  /** A subshell sees them, and changes its own. */
  copy(): Variables {
    const copy = new Variables(this.#values)
    copy.isStrict = this.isStrict
    return copy
  }
}
