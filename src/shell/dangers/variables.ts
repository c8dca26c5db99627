// What is known of variables: what the script sets, what the step sets, and a few that are everywhere the same.

import { markOfVariable, marks } from './marks.ts'

const { home, some, top, variable } = marks

/** Values that need not be known exactly to say where a path lies. */
const wellKnown: Readonly<Record<string, string>> = {
  HOME: home,
  XDG_CONFIG_HOME: `${home}/.config`,
  XDG_CACHE_HOME: `${home}/.cache`,
  XDG_DATA_HOME: `${home}/.local/share`,
  PWD: top,
  // Where the shell was before this one, somewhere else.
  OLDPWD: `../${some}`,
  GITHUB_WORKSPACE: top,
  CI_PROJECT_DIR: top,
  TMPDIR: '/tmp',
  TMP: '/tmp',
  TEMP: '/tmp',
  RUNNER_TEMP: '/tmp/runner',
  SHELL: 'sh',
  ...Object.fromEntries(
    [
      'PLAN_ID',
      'PLAN_STEP',
      'PLAN_ATTEMPT',
      'PLAN_STEP_KEY',
      'USER',
      'LOGNAME',
      'HOSTNAME',
      'RANDOM',
      'SECONDS',
      'UID',
      'PPID',
    ].map((name) => [name, some]),
  ),
}

const maxAlternatives = 8

export class Variables {
  #values: Map<string, readonly string[]>
  /** `set -u`: what was never set stops the script. */
  isStrict = false
  /** `$1`, `$2` and so on, where they are known. */
  positional: readonly string[] | undefined

  constructor(values: Iterable<readonly [string, readonly string[]]> = []) {
    this.#values = new Map(values)
  }

  /** All that it may be. */
  of(name: string): readonly string[] {
    const mark = markOfVariable(name)
    if (mark !== undefined) return [mark]
    if (this.positional !== undefined) {
      if (/^[1-9]\d*$/.test(name)) return [this.positional[Number(name) - 1] ?? '']
      if (name === '@' || name === '*') return [this.positional.join(marks.end)]
    }
    const known = this.#values.get(name) ?? (Object.hasOwn(wellKnown, name) ? [wellKnown[name] ?? ''] : undefined)
    if (known !== undefined) return known
    return [/^[#?$!0-]$/.test(name) || (this.isStrict && /^[A-Za-z_]/.test(name)) ? some : variable]
  }

  isSet(name: string): boolean {
    return this.#values.has(name) || (this.positional !== undefined && /^([1-9]\d*|[@*])$/.test(name))
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
    copy.positional = this.positional
    return copy
  }
}
