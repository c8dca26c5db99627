// Goes through the tree of a command, and through whatever it would run in turn, and asks the rules about every program.

import { uncovered } from '../coverage.ts'
import {
  parseShell,
  withoutErrors,
  forEachChild,
  type Command,
  type Function,
  type Node,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
  type WordPart,
} from '../parse.ts'
import { found, type Call, type Flow, type Found, type Target } from './call.ts'
import { assignedBy } from './assigned.ts'
import { fetchedBy, scriptRunBy, writtenBy } from './fetched.ts'
import { flow, joined, nothing, outputOf, textOfFlow } from './flow.ts'
import { firstWords, isForkBomb } from './functions.ts'
import { asVariables, marks, shown } from './marks.ts'
import { guessedProgram, hiddenName, programsOf } from './names.ts'
import { checksOf } from './programs/index.ts'
import { fieldsOf, readingsOf, valuesOf, type Surroundings } from './values.ts'
import { alone, copied, type Around, type State } from './state.ts'
import { innerOf } from './wrappers.ts'

/** `sh -c` in `xargs` in `sh -c`: nobody writes more of it by hand. */
const maxDepth = 10
/** Of one command. */
const maxCalls = 5000

/** Offsets in what is parsed now → offsets in the command. */
type Origin = (offset: number) => number

export interface Placed extends Found {
  readonly offset: number
}

export class DangerWalk {
  readonly found: Placed[] = []
  readonly #seen = new Set<string>()
  readonly #fetched = new Set<string>()
  /** Files that the script wrote, and what is in them. */
  readonly #written = new Map<string, string>()
  readonly #outputs = new WeakMap<WordPart, readonly string[]>()
  /** Functions that run what they are given: `run() { "$@"; }`. */
  readonly #runners = new Set<string>()
  /** Literal text in single quotes, and where it begins: a script in it has places of its own. */
  readonly #quoted = new Map<string, number>()
  #origin: Origin = (offset) => offset
  #depth = 0
  #calls = 0

  #report(found: Found, offset: number): void {
    this.#place(found, this.#origin(offset))
  }

  #place(found: Found, offset: number): void {
    const key = `${found.rule}:${offset}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.found.push({ ...found, offset })
  }

  /** A script from its text. `offset` is where it stands in what is walked now, `origin` where its own characters do. */
  script(text: string, state: State, around: Around, place: { readonly offset: number; readonly origin?: Origin }): Flow {
    if (this.#depth >= maxDepth) {
      this.#report(found('shell-unparsable', 'commands in commands, too deep to be judged'), place.offset)
      return nothing
    }
    const parsed = parseShell(text)
    if ('problem' in parsed) {
      const { problem, at = 0, hidden } = parsed
      const broken = hidden === true ? found('shell-obfuscated', `${problem}, which nobody sees`) : found('shell-unparsable', problem)
      this.#place(broken, place.origin?.(at) ?? this.#origin(place.offset))
      return nothing
    }
    const dropped = uncovered(parsed.script, text, { start: 0, end: text.length })
    if (dropped !== undefined) this.#report(found('shell-unparsable', dropped), place.offset)
    const outer = this.#origin
    const fixed = outer(place.offset)
    this.#origin = place.origin ?? (() => fixed)
    this.#depth += 1
    const output = this.#statements(parsed.script.commands, state, around)
    this.#depth -= 1
    this.#origin = outer
    return output
  }

  #statements(statements: readonly Statement[], state: State, around: Around): Flow {
    return joined(statements.map(({ command, background }) => this.#node(command, state, background === true ? { ...around, isBackground: true } : around)))
  }

  #node(node: Node, state: State, around: Around): Flow {
    const uncertain: State = { variables: state.variables, cwd: state.cwd, isUncertain: true }
    const branch = (lists: readonly ({ readonly commands: readonly Statement[] } | undefined)[]): Flow =>
      joined(lists.flatMap((list) => (list === undefined ? [] : [this.#statements(list.commands, uncertain, around)])))
    switch (node.type) {
      case 'Command':
        return this.#command(node, state, around)
      case 'Pipeline': {
        let input = around.input
        for (const command of node.commands) input = this.#node(command, node.commands.length > 1 ? copied(state) : state, { ...around, input })
        return input
      }
      case 'AndOr':
        return joined(node.commands.map((command) => this.#node(command, state, around)))
      case 'Redirected': {
        const { targets, input } = this.#redirections(node.redirects, state)
        return this.#node(node.command, state, { ...around, input: input ?? around.input, targets: [...around.targets, ...targets] })
      }
      case 'Subshell':
        return this.#statements(node.body.commands, copied(state), around)
      case 'BraceGroup':
        return this.#statements(node.body.commands, state, around)
      case 'If':
        this.#statements(node.clause.commands, state, around)
        return branch([node.then, ...node.elif.flatMap(({ clause, then }) => [clause, then]), node.else])
      case 'While':
        return branch([node.clause, node.body])
      case 'For':
      case 'Select': {
        const values = (node.wordlist ?? []).flatMap((word) => fieldsOf(word, this.#surroundings(state)))
        state.variables.set(node.name.text, values.length === 0 ? [marks.some] : values, false)
        return branch([node.body])
      }
      case 'Case':
        for (const word of [node.word, ...node.items.flatMap(({ pattern }) => pattern)]) this.#substitutions(word, state)
        return branch(node.items.map(({ body }) => body))
      case 'Function':
        return this.#function(node, state)
      case 'Coproc':
        if ('commands' in node.body) return branch([node.body])
        return this.#node(node.body, uncertain, { ...around, isBackground: true })
      case 'ArithmeticFor':
        for (const each of [node.initialize, node.test, node.update]) if (each !== undefined) this.#substitutions(each, state)
        return branch([node.body])
      default:
        // Conditions and arithmetic run nothing but their substitutions.
        this.#substitutions(node, state)
        return nothing
    }
  }

  /** All of them, wherever they stand: in subscripts, arithmetic and operands as well. */
  #substitutions(node: SyntaxNode, state: State): void {
    if (node.type === 'ArithmeticCommandExpansion') {
      const parsed = withoutErrors(node.script)
      if ('script' in parsed) this.#statements(parsed.script.commands, copied(state), alone)
      return
    }
    if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') return void this.#output(node, state)
    forEachChild(node, (child) => this.#substitutions(child, state))
  }

  #function(node: Function, state: State): Flow {
    const name = node.name.text
    if (isForkBomb(node)) this.#report(found('shell-fork-bomb', `the function ${shown(name)} starts itself again and again`), node.pos)
    if (/"\$@"|\$@|\$\*/.test(firstWords(node))) this.#runners.add(name)
    const inside: State = { variables: state.variables, cwd: state.cwd, isUncertain: true }
    return 'commands' in node.body ? this.#statements(node.body.commands, inside, alone) : this.#node(node.body, inside, alone)
  }

  #surroundings(state: State): Surroundings {
    return { variables: state.variables, outputOf: (part) => this.#output(part, state) }
  }

  #output(part: Extract<WordPart, { type: 'CommandExpansion' | 'ProcessSubstitution' }>, state: State): readonly string[] {
    const known = this.#outputs.get(part)
    if (known !== undefined) return known
    this.#outputs.set(part, [marks.output])
    const parsed = withoutErrors(part.script)
    if ('problem' in parsed) {
      this.#report(found('shell-unparsable', parsed.problem), part.pos)
      return [marks.output]
    }
    const outer = this.#origin
    const fixed = outer(part.pos)
    // Backquotes with backslashes in them have a source of their own.
    if (parsed.script.source !== undefined) this.#origin = () => fixed
    const output = this.#statements(parsed.script.commands, copied(state), alone)
    this.#origin = outer
    const text = part.type === 'ProcessSubstitution' && output.text !== undefined ? marks.output : textOfFlow(output)
    this.#outputs.set(part, [text])
    return [text]
  }

  #redirections(redirections: readonly Redirection[], state: State): { targets: Target[]; input: Flow | undefined } {
    const around = this.#surroundings(state)
    const targets: Target[] = []
    let input: Flow | undefined
    for (const each of redirections) {
      if (each.type === 'HereDoc') {
        this.#substitutions(each, state)
        this.#quoted.set(each.body.text, this.#origin(each.body.pos))
        input = flow('command', each.body.text)
      } else if (each.target !== undefined) {
        const fields = fieldsOf(each.target, around)
        if (each.type === 'HereString') input = hereString(fields)
        else for (const path of fields) targets.push({ path, operator: each.operator })
        if (each.type === 'Redirect' && each.operator === '<') input = fields.some((path) => path.includes(marks.network)) ? flow('network') : flow('file')
      }
    }
    return { targets, input }
  }

  #command(node: Command, state: State, around: Around): Flow {
    const { name, prefix, suffix, pos } = node
    forEachChild(node, (child) => this.#substitutions(child, state))
    const surroundings = this.#surroundings(state)
    const env = new Map<string, string>()
    for (const each of [...prefix, ...suffix]) {
      if (each.type !== 'Assignment') continue
      const values =
        each.value.type === 'ArrayValue' ? [each.value.elements.flatMap((word) => fieldsOf(word, surroundings)).join(' ')] : valuesOf(each.value, surroundings)
      const isExported = name !== undefined && suffix.includes(each)
      env.set(each.name, values.at(-1) ?? '')
      const all =
        each.append === true
          ? values.flatMap((value) => state.variables.of(each.name).map((before) => (state.variables.isSet(each.name) ? before : '') + value))
          : values
      if (name === undefined || isExported) state.variables.set(each.name, all, !state.isUncertain)
    }
    const redirections = [...prefix, ...suffix].filter((each) => each.type !== 'Assignment' && each.type !== 'Word')
    const { targets, input } = this.#redirections(redirections, state)
    const all = [...around.targets, ...targets]
    const shared = { cwd: state.cwd, env, input: input ?? around.input, targets: all, isBackground: around.isBackground, fetched: this.#fetched }
    if (name === undefined) {
      this.#check({ name: '', program: '', args: [], ...shared }, pos)
      return nothing
    }
    const words = suffix.filter((each) => each.type === 'Word')
    for (const word of words) this.#remember(word)
    const args = words.flatMap((word) => fieldsOf(word, surroundings))
    const reason = hiddenName(name, state.variables)
    if (reason !== undefined) this.#report(found('shell-obfuscated', reason), name.pos)
    const guessed = guessedProgram(name, state.variables)
    const readings = guessed === undefined ? readingsOf(name, surroundings) : [[guessed]]
    return joined(readings.map(([program = '', ...more]) => this.#call({ name: '', program, args: [...more, ...args], ...shared }, state, name.pos)))
  }

  #remember({ parts }: Word): void {
    const [only, ...others] = parts ?? []
    if (only?.type === 'SingleQuoted' && others.length === 0) this.#quoted.set(only.value, this.#origin(only.pos + 1))
  }

  #check(call: Call, offset: number): void {
    for (const each of checksOf(call)) this.#report(each, offset)
  }

  /** One program, by each name that it may have. */
  #call(given: Call, state: State, offset: number): Flow {
    this.#calls += 1
    if (this.#calls > maxCalls) {
      if (this.#calls === maxCalls + 1) this.#report(found('shell-unparsable', 'more commands than can be judged'), offset)
      return nothing
    }
    const outputs: Flow[] = []
    for (const name of programsOf(given.program)) {
      const call = { ...given, name }
      this.#check(call, offset)
      const output = this.#inner(call, state, offset) ?? outputOf(call)
      outputs.push(output)
      for (const path of writtenBy(call)) if (output.text !== undefined) this.#written.set(path, output.text)
      this.#change(call, state)
    }
    return joined(outputs)
  }

  /** What it runs in turn; what that puts out, where it is all that comes out. */
  #inner(call: Call, state: State, offset: number): Flow | undefined {
    const around: Around = { input: call.input, isBackground: call.isBackground, targets: [] }
    const own = this.#written.get(scriptRunBy(call) ?? '')
    const inner = this.#runners.has(call.name)
      ? [{ kind: 'command' as const, words: call.args }]
      : own === undefined
        ? innerOf(call)
        : [{ kind: 'script' as const, text: own }]
    if (this.#depth >= maxDepth && inner.length > 0) {
      this.#report(found('shell-unparsable', 'commands in commands, too deep to be judged'), offset)
      return undefined
    }
    const outputs = inner.map((each) => {
      if (each.kind === 'script') {
        const start = this.#quoted.get(each.text)
        // What is computed as a whole has been reported; there is nothing to be read in it.
        if (/^[\u{E000}-\u{E004}]*$/u.test(each.text)) return nothing
        return this.script(asVariables(each.text), call.name === 'eval' ? state : copied(state), around, {
          offset,
          ...(start === undefined ? {} : { origin: (at: number) => start + at }),
        })
      }
      const [program = '', ...args] = each.words
      this.#depth += 1
      const output = this.#call(
        { ...call, name: '', program, args, env: each.env ?? call.env, targets: [] },
        call.name === 'exec' ? state : copied(state),
        offset,
      )
      this.#depth -= 1
      return output
    })
    return outputs.length === 0 ? undefined : joined(outputs)
  }

  /** What a command changes for those after it. */
  #change(call: Call, state: State): void {
    const { name, args } = call
    if (name === 'cd' || name === 'pushd') {
      const to = args.find((arg) => !arg.startsWith('-')) ?? (args.includes('-') ? '' : marks.home)
      state.cwd =
        to === '' || to.startsWith('/') || to.startsWith(marks.home) || /^[\u{E000}-\u{E003}]/u.test(to) ? to : state.cwd === '' ? to : `${state.cwd}/${to}`
    } else if (name === 'popd') state.cwd = ''
    else if (name === 'set' && (args.some((arg) => /^-[a-z]*u/.test(arg)) || args.includes('nounset'))) state.variables.isStrict = true
    else for (const [variable, value] of assignedBy(call)) state.variables.set(variable, [value], !state.isUncertain)
    for (const file of fetchedBy(call)) this.#fetched.add(file)
  }
}

const hereString = (fields: readonly string[]): Flow => {
  const text = fields.join(' ')
  return text.includes(marks.network) ? flow('network') : text.includes(marks.decoded) ? flow('decoded') : flow('command', asVariables(text))
}
