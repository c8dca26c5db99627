// The commands of git plan that an agent may type in plan mode, beside those that only read: it proposes plans, and runs
// what was approved. Nothing here approves anything, and the gate still asks whether a plan may run.

import { callsOf } from '../shell/calls.ts'
import { gitPlan, planForm, readingPlanCommands } from '../shell/programs/git-plan.ts'
import { ruleOf } from '../shell/programs/index.ts'
import { subcommands } from '../shell/programs/tools.ts'
import type { Rule } from '../shell/verdict.ts'

const runs = `-j= --jobs= --wait --autostash --worktree --keep-going --fail-fast --no-cache --keep-tree --push --dry-run`

/**
 * Without `--no-input` or `--json` these ask for an approval when there is a terminal, and an agent may have one whose
 * keys it can type.
 */
const withoutPrompt =
  (rule: Rule, name: string): Rule =>
  (args, judge) =>
    args.some(({ literal }) => ['--no-input', '--json', '--dry-run', '--peek'].includes(literal ?? ''))
      ? rule(args, judge)
      : `${name} may ask a person without --no-input`

const proposing = subcommands({
  ...readingPlanCommands,
  new: planForm('--from= --template= -p= --param= --id='),
  import: planForm('--as= --id= --dry-run'),
  replan: planForm('--from= -p= --param= -m= --message='),
  clone: planForm(''),
  reject: planForm('-m= --message= --digest='),
  submit: planForm('--ready'),
  fetch: planForm(''),
  audit: planForm(''),
  'mode on': planForm(''),
  // It only asks: a person allows it.
  'safety add': planForm('--read= --session= -m= --message='),
  start: withoutPrompt(planForm(`${runs} -p= --param=`), 'start'),
  next: withoutPrompt(
    planForm(
      `--done= --failed= --release= --retry= --from-attempt= -m= --message= --as= --for= --peek --wait --autostash
        --worktree --push`,
    ),
    'next',
  ),
  resume: withoutPrompt(planForm(`${runs} --retry= --from-attempt=`), 'resume'),
})

/** What differs in plan mode from a command that only reads. */
export const planModeRules: Readonly<Record<string, Rule>> = {
  'git-plan': proposing,
  git: (args, judge) =>
    args[0]?.literal === 'plan' ? proposing(args.slice(1), judge) : (ruleOf('git') ?? gitPlan)(args, judge),
}

/** Programs that run a text: what they run is not looked at closely, only searched. */
const runners =
  /^(?:.*\/)?(?:(?:ba|da|z|k|fi)?sh|eval|exec|env|xargs|nohup|setsid|timeout|time|sudo|doas|script|expect|unbuffer|node|deno|bun|perl|ruby|python[\d.]*|command|builtin|find|watch|parallel|ssh|tmux|screen|at|batch)$/

/** Whose word counts is decided with the policy: naming another branch for it is no business of an agent either. */
const policySetting = /^plan\.policyref(=|$)/i
const namesPolicy = /\bgit\b[\s\S]*?\bconfig\b[\s\S]*?\bplan\.policyref\b/i

const decision =
  /\bgit(?:-plan\b|\b[\s\S]*?\bplan\b)[\s\S]*?(?:\bapprove\b|\bsafety[\s\S]*?\ballow\b|\bresume[\s\S]*?--(?:done|skip)\b)/

/**
 * True for a command with which an agent would take the decision of a person: `approve`, `--approve`, `safety allow`,
 * `resume --done` and `--skip`, `git config plan.policyRef` with a value.
 * Not a wall: a script can hide it. A policy that asks for reviews or signatures is one.
 */
export function takesDecision(command: string): boolean {
  // Quotes and backslashes may split a word.
  const text = command.replace(/["'\\]/g, '')
  if (!decision.test(text) && !namesPolicy.test(text)) return false
  const { calls } = callsOf(command)
  if (calls.length === 0) return true
  return calls.some(({ program, args }) => {
    const words = args.map(({ literal, text }) => literal ?? text)
    const at = words.indexOf('plan')
    const own = /(^|\/)git-plan$/.test(program) ? words : /(^|\/)git$/.test(program) && at >= 0 ? words.slice(at) : []
    const isDecision = own.includes('approve') || own.includes('--approve')
    const isDeclaration = own.includes('resume') && own.some((word) => /^--(done|skip)(=|$)/.test(word))
    return (
      isDecision ||
      isDeclaration ||
      (own.includes('safety') && own.includes('allow')) ||
      (/(^|\/)git$/.test(program) && setsPolicy(words)) ||
      runners.test(program)
    )
  })
}

function setsPolicy(words: readonly string[]): boolean {
  const at = words.findIndex((word) => policySetting.test(word))
  const before = words.slice(words.indexOf('config') + 1, at)
  const changes = /^(?:--(?:add|replace-all|unset|unset-all)|set|unset)$/
  return words.includes('config') && at >= 0 && (at + 1 < words.length || before.some((word) => changes.test(word)))
}
