// Walks the tree. Any node or program that is not handled here is unknown, and so may write.

import { literalArgument, type Argument } from './argument.ts'
import { judgeTest } from './conditions.ts'
import { findUncovered, type Region } from './coverage.ts'
import { judgeWord, unknownNode, type JudgeScript } from './expansions.ts'
import {
  parseShell,
  checkErrors,
  type ArrayValue,
  type Assignment,
  type Command,
  type CompoundList,
  type Node,
  type Parsed,
  type Redirection,
  type Statement,
  type Word,
} from './parse.ts'
import { ruleOf } from './programs/index.ts'
import { isWait, judgeCounting } from './loops.ts'
import { judgeRedirection } from './redirections.ts'
import { readsByRegistry, type Registry } from './registry.ts'
import { judgeEnvironment, judgeVariable } from './variables.ts'
import { firstProblem, excerpt, type Judge, type Problem, type Rule } from './verdict.ts'
import { argumentOf } from './words.ts'

/** `sh -c` in `xargs` in `sh -c`: nobody nests deeper by hand. */
const maxDepth = 10

/**
 * Every program in the tables prints its help, or rejects the option, and exits. Programs that load code from the
 * directory before that are in no table.
 */
const asksForHelp = ([first, ...more]: readonly Argument[]): boolean =>
  more.length === 0 && /^--(help|version)$/.test(first?.literal ?? '')

export class TreeJudge implements Judge {
  /** The names of the programs found so far. */
  readonly programs = new Set<string>()
  readonly #registry: Registry
  readonly #rules: Readonly<Record<string, Rule>>
  #depth = 0
  /** The current nesting of substitutions. */
  #substitutions = 0
  /** The text that positions in the tree refer to. */
  #source = ''

  /** `rules`: in place of those in the tables. */
  constructor(registry: Registry, rules: Readonly<Record<string, Rule>> = {}) {
    this.#registry = registry
    this.#rules = rules
  }

  readonly script = (text: string): Problem =>
    this.#deeper(() => {
      const outer = this.#source
      this.#source = text
      const problem = this.#parsed(parseShell(text), { start: 0, end: text.length })
      this.#source = outer
      return problem
    })

  readonly command = (words: readonly Argument[]): Problem => this.#deeper(() => this.#program(words))

  #deeper(judge: () => Problem): Problem {
    if (this.#depth >= maxDepth) return 'commands are nested too deep to judge'
    this.#depth += 1
    const problem = judge()
    this.#depth -= 1
    return problem
  }

  #parsed(parsed: Parsed, region: Region): Problem {
    return 'problem' in parsed
      ? parsed.problem
      : (findUncovered(parsed.script, this.#source, region) ?? this.#statements(parsed.script.commands))
  }

  readonly #substitution: JudgeScript = ({ script, pos, end }, [before, after]) => {
    this.#substitutions += 1
    const problem = this.#parsed(checkErrors(script), { start: pos + before, end: end - after })
    this.#substitutions -= 1
    return problem
  }

  readonly #statements = (statements: readonly Statement[]): Problem =>
    firstProblem([...statements.entries()], ([at, { background, command }]) =>
      background === true && !statements.slice(at + 1).some(isWait)
        ? '& leaves a command running'
        : this.#node(command),
    )

  readonly #list = ({ commands }: CompoundList): Problem => this.#statements(commands)
  readonly #lists = (...lists: readonly (CompoundList | undefined)[]): Problem =>
    firstProblem(lists, (list) => (list === undefined ? undefined : this.#list(list)))
  readonly #word = (word: Word): Problem => judgeWord(word, this.#substitution)
  readonly #words = (words: readonly Word[]): Problem => firstProblem(words, this.#word)
  // The end of a here-document in a substitution differs between versions of bash.
  readonly #redirection = (redirection: Redirection): Problem =>
    redirection.type === 'HereDoc' && this.#substitutions > 0
      ? 'a here-document in a substitution'
      : judgeRedirection(redirection, this.#substitution)

  #node(node: Node, isNegated = false): Problem {
    switch (node.type) {
      case 'Command':
        return this.#simple(node)
      case 'Pipeline':
      case 'AndOr':
        // A lone `!` is an error in one version of bash and a command in another.
        if (node.commands.length === 0) return 'there is no command'
        return firstProblem(node.commands, (command) =>
          this.#node(command, node.type === 'Pipeline' && node.prefixes.some(({ type }) => type === 'Negation')),
        )
      case 'Redirected':
        return firstProblem(node.redirects, this.#redirection) ?? this.#node(node.command, isNegated)
      case 'Subshell':
      case 'BraceGroup':
        return this.#list(node.body)
      case 'If':
        return this.#lists(
          node.clause,
          node.then,
          ...node.elif.flatMap(({ clause, then }) => [clause, then]),
          node.else,
        )
      case 'While':
        return this.#lists(node.clause, node.body)
      case 'For':
        return judgeVariable(node.name.text) ?? this.#words(node.wordlist ?? []) ?? this.#list(node.body)
      case 'Case':
        return (
          this.#word(node.word) ??
          firstProblem(node.items, ({ pattern, body }) => this.#words(pattern) ?? this.#list(body))
        )
      case 'TestCommand':
        return judgeTest(node.expression, this.#substitution, isNegated)
      case 'Function':
        return `a function ${excerpt(node.name.text)} is defined`
      case 'Coproc':
        return 'coproc leaves a command running'
      case 'Select':
        return 'select prompts and sets variables'
      case 'ArithmeticFor':
        return judgeCounting(node, this.#source) ?? this.#list(node.body)
      case 'ArithmeticCommand':
        return 'arithmetic may evaluate the value of a variable'
      default:
        return unknownNode(node)
    }
  }

  #simple({ name, prefix, suffix }: Command): Problem {
    const assignments = prefix.filter((each) => each.type === 'Assignment')
    const redirections = [...prefix, ...suffix].filter((each) => each.type !== 'Assignment' && each.type !== 'Word')
    // `declare a[…]=x`: a program with assignments as arguments sets something.
    const set = suffix.find((each) => each.type === 'Assignment')
    if (set !== undefined) return `${excerpt(set.text)} is set`
    const words = [...(name === undefined ? [] : [name]), ...suffix.filter((each) => each.type === 'Word')]
    return (
      firstProblem(assignments, (assignment) => this.#assignment(assignment, name !== undefined)) ??
      firstProblem(redirections, this.#redirection) ??
      this.#words(words) ??
      (words.length === 0 ? undefined : this.command(words.map(argumentOf)))
    )
  }

  #assignment({ name, value, index, text }: Assignment, isForCommand: boolean): Problem {
    if (index !== undefined) return `${excerpt(text)} sets an array`
    if (value.type === 'ArrayValue') return this.#array(value, isForCommand) ?? judgeVariable(name)
    const isHarmless = judgeEnvironment(name, argumentOf(value))
    return isHarmless === undefined ? undefined : isForCommand ? isHarmless : (judgeVariable(name) ?? this.#word(value))
  }

  /** A subscript in an array would be evaluated. */
  #array({ elements }: ArrayValue, isForCommand: boolean): Problem {
    const subscript = elements.find((element) => element.text.startsWith('['))
    if (isForCommand || subscript !== undefined) return `${excerpt(subscript?.text ?? 'an array')} is set in an array`
    return this.#words(elements)
  }

  #program([first, ...args]: readonly Argument[]): Problem {
    const program = first?.literal
    if (first === undefined || program === undefined)
      return `${excerpt(first?.text ?? '')}: the program is only known at run time`
    // Other directories, the current one included, may have other programs with the same names.
    const name = /^(?:\/usr)?\/bin\/([^/]+)$/.exec(program)?.[1] ?? program
    if (readsByRegistry(this.#registry, [literalArgument(name), ...args])) {
      this.programs.add(name)
      return undefined
    }
    const rule = Object.hasOwn(this.#rules, name) ? this.#rules[name] : ruleOf(name)
    if (rule === undefined) return `${excerpt(program)} may write`
    this.programs.add(name)
    // npm writes a log for everything but its version.
    if (asksForHelp(args) && !(name === 'npm' && args[0]?.literal === '--help')) return undefined
    const problem = rule(args, this)
    return problem === undefined || problem.startsWith(`${name} `) ? problem : `${name}: ${problem}`
  }
}
