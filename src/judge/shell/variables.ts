// Variables that a reading command may set.

import type { Argument } from './argument.ts'
import { excerpt, type Problem } from './verdict.ts'

const locale = /^[A-Za-z0-9_.@-]*$/
const noPager = /^(cat)?$/
const isSwitch = /^[a-z0-9]*$/

/** Before a command: no program runs, loads or writes anything because of these. */
const harmless: Readonly<Record<string, RegExp>> = {
  LANG: locale,
  LANGUAGE: locale,
  LC_ALL: locale,
  LC_COLLATE: locale,
  LC_CTYPE: locale,
  LC_MESSAGES: locale,
  LC_NUMERIC: locale,
  LC_TIME: locale,
  // `IFS= read -r line`: the way words are split does not matter, because a word that is split is always unknown.
  IFS: /^[ ,:;|\t]*$/,
  TZ: /^(?!.*\.\.)[A-Za-z][A-Za-z0-9_+/-]*$/,
  NO_COLOR: isSwitch,
  FORCE_COLOR: isSwitch,
  CLICOLOR: isSwitch,
  COLUMNS: /^\d*$/,
  TERM: /^dumb$/,
  PAGER: noPager,
  GIT_PAGER: noPager,
  GIT_OPTIONAL_LOCKS: /^0$/,
  GIT_TERMINAL_PROMPT: /^0$/,
}

export function judgeEnvironment(name: string, value: Argument): Problem {
  const allowed = Object.hasOwn(harmless, name) ? harmless[name] : undefined
  if (allowed === undefined) return `${excerpt(name)} is set for a command`
  return value.literal !== undefined && allowed.test(value.literal)
    ? undefined
    : `${name} is set to ${excerpt(value.text)}`
}

/** zsh ties some of these to variables such as PATH; programs read the others. */
const meaningful = new Set([
  'path',
  'cdpath',
  'fpath',
  'manpath',
  'mailpath',
  'module_path',
  'histchars',
  'auto_resume',
  'prompt',
  'psvar',
  'watch',
  'argv',
  'status',
  'pipestatus',
  'options',
  'commands',
  'functions',
  'aliases',
  'signals',
])

/**
 * In the shell itself, for later commands. Names that matter to a shell or a program are uppercase, with few
 * exceptions.
 */
export const judgeVariable = (name: string): Problem =>
  /^[a-z][a-z0-9_]*$/.test(name) && !meaningful.has(name) && !name.endsWith('_proxy')
    ? undefined
    : `${excerpt(name)} may affect later commands`
