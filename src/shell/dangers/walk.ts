// Goes through the tree of a command, and through whatever it would run in turn, and asks the rules about every program.

import { uncovered } from '../coverage.ts'
import {
  parseShell,
  withoutErrors,
  forEachChild,
  type Command,
  type Function,
  type Node,
  type Statement,
  type SyntaxNode,
  type Word,
  type WordPart,
} from '../parse.ts'
import { found, type Call, type Flow } from './call.ts'
import { assignmentsOf } from './assigned.ts'
import { change } from './changes.ts'
import { scriptOf } from './executed.ts'
import { joined, nothing, outputOf, textOfFlow } from './flow.ts'
import { isForkBomb } from './functions.ts'
import { innerOf } from './inner/index.ts'
import type { Inner } from './inner/inner.ts'
import { Known } from './known.ts'
import { asVariables, isUnseen, marks, shown } from './marks.ts'
import { guessedProgram, hiddenName, programsOf } from './names.ts'
import { checksOf } from './programs/index.ts'
import { openedBy, type Opened } from './redirections.ts'
import { Report, type Origin } from './report.ts'
import { fieldsOf, readingsOf, type Surroundings } from './values.ts'
import { alone, copied, type Around, type State } from './state.ts'
import { swallowedIn } from './swallowed.ts'

/** `sh -c` in `xargs` in `sh -c`: nobody writes more of it by hand. */
const maxDepth = 10
/** Of one command. */
const maxCalls = 5000
/** A function that calls itself is gone through so often. */
const maxRecursion = 3

type Substitution = Extract<WordPart, { type: 'CommandExpansion' | 'ProcessSubstitution' }>

interface Defined {
  readonly node: Function
  readonly state: State
  readonly origin: Origin
  active: number
  isCalled: boolean
}

/** For these a link is what it is itself, and not what it leads to. */
const ofEntries = new Set(['rm', 'unlink', 'rmdir', 'mv', 'ln', 'trash', 'rimraf', 'readlink', 'git'])

export class DangerWalk {
  readonly #report = new Report()
  readonly #known = new Known()
  readonly #functions = new Map<string, Defined>()
  /** Process substitutions that are written to. */
  readonly #sinks = new Map<string, { readonly part: Substitution; readonly state: State }>()
  #outputs = new WeakMap<WordPart, readonly string[]>()
  /** What `exec < …` put in the place of the input. */
  #input: Flow | undefined
  #depth = 0
  #calls = 0

  get found(): Report['found'] {
    return this.#report.found
  }

  /** A whole command; what no part of it calls is gone through in the end. */
  command(text: string, state: State): void {
    this.#script(text, state, alone, { offset: 0, origin: (offset) => offset })
    for (const each of this.#functions.values())
      if (!each.isCalled) this.#body(each, undefined, { ...each.state, isUncertain: true }, alone)
  }

  /** A script from its text. `offset` is where it stands in what is walked now, `origin` where its own characters do. */
  #script(
    text: string,
    state: State,
    around: Around,
    place: { readonly offset: number; readonly origin?: Origin | undefined },
  ): Flow {
    if (this.#depth >= maxDepth) return this.#tooDeep(place.offset)
    const parsed = parseShell(text)
    if ('problem' in parsed) {
      const { problem, at = 0, hidden } = parsed
      const broken =
        hidden === true
          ? found('shell-obfuscated', `${problem}, which nobody sees`)
          : found('shell-unparsable', problem)
      this.#report.place(broken, place.origin?.(at) ?? this.#report.origin(place.offset))
      return nothing
    }
    const dropped = uncovered(parsed.script, text, { start: 0, end: text.length })
    if (dropped !== undefined) this.#report.at(found('shell-unparsable', dropped), place.offset)
    const fixed = this.#report.origin(place.offset)
    this.#depth += 1
    const output = this.#report.from(place.origin ?? (() => fixed), () =>
      this.#statements(parsed.script.commands, state, around),
    )
    this.#depth -= 1
    return output
  }

  #tooDeep(offset: number): Flow {
    this.#report.at(found('shell-unparsable', 'commands in commands, too deep to be judged'), offset)
    return nothing
  }

  #statements(statements: readonly Statement[], state: State, around: Around): Flow {
    for (const { at, how } of swallowedIn(statements))
      this.#report.at(found('shell-checks-off', `${shown(how)} throws away that a check failed`), at)
    return joined(
      statements.map(({ command, background }) =>
        this.#node(command, state, background === true ? { ...around, isBackground: true } : around),
      ),
    )
  }

  #node(node: Node, state: State, around: Around): Flow {
    const branch = (lists: readonly ({ readonly commands: readonly Statement[] } | undefined)[]): Flow => {
      const uncertain: State = { variables: state.variables, cwd: state.cwd, isUncertain: true }
      return joined(
        lists.flatMap((list) => (list === undefined ? [] : [this.#statements(list.commands, uncertain, around)])),
      )
    }
    switch (node.type) {
      case 'Command':
        return this.#command(node, state, around)
      case 'Pipeline': {
        let input = around.input
        for (const command of node.commands)
          input = this.#node(command, node.commands.length > 1 ? copied(state) : state, { ...around, input })
        return input
      }
      case 'AndOr':
        return joined(node.commands.map((command) => this.#node(command, state, around)))
      case 'Redirected': {
        const { targets, input } = this.#opened(node.redirects, state)
        return this.#node(node.command, state, {
          ...around,
          input: input ?? around.input,
          targets: [...around.targets, ...targets],
        })
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
        const values =
          node.wordlist?.flatMap((word) => fieldsOf(word, this.#surroundings(state))) ??
          state.variables.of('@').flatMap((all) => all.split(marks.end))
        state.variables.set(node.name.text, values.length === 0 ? [marks.some] : values, false)
        return branch([node.body])
      }
      case 'Case':
        for (const word of [node.word, ...node.items.flatMap(({ pattern }) => pattern)])
          this.#substitutions(word, state)
        return branch(node.items.map(({ body }) => body))
      case 'Function':
        return this.#function(node, state)
      case 'Coproc':
        if ('commands' in node.body) return branch([node.body])
        return this.#node(node.body, { ...state, isUncertain: true }, { ...around, isBackground: true })
      case 'ArithmeticFor':
        for (const each of [node.initialize, node.test, node.update])
          if (each !== undefined) this.#substitutions(each, state)
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
    if (isForkBomb(node))
      this.#report.at(found('shell-fork-bomb', `the function ${shown(name)} starts itself again and again`), node.pos)
    const before = this.#functions.get(name)
    // Only the last of one name is found by its name.
    if (before !== undefined && !before.isCalled)
      this.#body(before, undefined, { ...before.state, isUncertain: true }, alone)
    this.#functions.set(name, { node, state, origin: this.#report.origin, active: 0, isCalled: false })
    return nothing
  }

  /** What a function does with these arguments; with none that are known where they are undefined. */
  #body(own: Defined, args: readonly string[] | undefined, state: State, around: Around): Flow {
    const { body } = own.node
    own.isCalled = true
    if (own.active >= maxRecursion) return nothing
    const [outputs, positional] = [this.#outputs, state.variables.positional]
    // With other arguments the same substitution puts out something else.
    this.#outputs = new WeakMap()
    state.variables.positional = args
    own.active += 1
    this.#depth += 1
    const output = this.#report.from(own.origin, () =>
      'commands' in body ? this.#statements(body.commands, state, around) : this.#node(body, state, around),
    )
    this.#depth -= 1
    own.active -= 1
    state.variables.positional = positional
    this.#outputs = outputs
    return output
  }

  #surroundings(state: State): Surroundings {
    return { variables: state.variables, outputOf: (part) => this.#output(part, state) }
  }

  #output(part: Substitution, state: State): readonly string[] {
    const known = this.#outputs.get(part)
    if (known !== undefined) return known
    this.#outputs.set(part, [marks.output])
    const output = this.#substituted(part, state, alone)
    const isFile = part.type === 'ProcessSubstitution'
    const text = isFile ? this.#known.descriptor(part.operator === '<' ? output : nothing) : textOfFlow(output)
    if (isFile && part.operator === '>') this.#sinks.set(text, { part, state })
    this.#outputs.set(part, [text])
    return [text]
  }

  #substituted(part: Substitution, state: State, around: Around): Flow {
    const parsed = withoutErrors(part.script)
    if ('problem' in parsed) {
      this.#report.at(found('shell-unparsable', parsed.problem), part.pos)
      return nothing
    }
    const fixed = this.#report.origin(part.pos)
    // Backquotes with backslashes in them have a source of their own.
    const origin = parsed.script.source === undefined ? this.#report.origin : (): number => fixed
    return this.#report.from(origin, () => this.#statements(parsed.script.commands, copied(state), around))
  }

  #opened(redirections: Command['redirects'], state: State): Opened {
    for (const each of redirections) {
      if (each.type !== 'HereDoc') continue
      this.#substitutions(each, state)
      this.#report.quote(each.body.text, each.body.pos)
    }
    return openedBy(redirections, state, this.#surroundings(state), this.#known)
  }

  #command(node: Command, state: State, around: Around): Flow {
    const { name, suffix, pos } = node
    forEachChild(node, (child) => this.#substitutions(child, state))
    const surroundings = this.#surroundings(state)
    const env = assignmentsOf(node, state, surroundings)
    const { targets, input } = this.#opened(node.redirects, state)
    const standard = around.input === nothing ? (this.#input ?? nothing) : around.input
    const shared = {
      cwd: state.cwd,
      env,
      input: input ?? standard,
      targets: [...around.targets, ...targets],
      isBackground: around.isBackground,
      files: this.#known,
    }
    const words = suffix.filter((each) => each.type === 'Word')
    if (name === undefined) return this.#judged({ name: '', program: '', args: [], ...shared }, state, pos)
    if (name.text === 'exec' && words.length === 0 && input !== undefined) this.#input = input
    for (const word of words) this.#remember(word)
    const args = words.flatMap((word) => fieldsOf(word, surroundings))
    const reason = hiddenName(name, state.variables)
    if (reason !== undefined) this.#report.at(found('shell-obfuscated', reason), name.pos)
    const guessed = guessedProgram(name, state.variables)
    const readings = guessed === undefined ? readingsOf(name, surroundings) : [[guessed]]
    return joined(
      readings.map(([program = '', ...more]) =>
        this.#call({ name: '', program, args: [...more, ...args], ...shared }, state, name.pos),
      ),
    )
  }

  #remember({ parts }: Word): void {
    const [only, ...others] = parts ?? []
    if (only?.type === 'SingleQuoted' && others.length === 0) this.#report.quote(only.value, only.pos + 1)
  }

  /** One program, by each name that it may have. */
  #call(given: Call, state: State, offset: number): Flow {
    this.#calls += 1
    if (this.#calls > maxCalls) {
      if (this.#calls === maxCalls + 1)
        this.#report.at(found('shell-unparsable', 'more commands than can be judged'), offset)
      return nothing
    }
    return joined(programsOf(given.program).map((name) => this.#judged({ ...given, name }, state, offset)))
  }

  #judged(given: Call, state: State, offset: number): Flow {
    const isEntry = ofEntries.has(given.name)
    const call = {
      ...given,
      args: given.args.map((arg) => this.#known.followed(arg, given.cwd, isEntry)),
      targets: given.targets.map((target) => ({ ...target, path: this.#known.followed(target.path, given.cwd) })),
    }
    for (const each of checksOf(call)) this.#report.at(each, offset)
    const output = this.#inside(call, state, offset)
    for (const { path, flow } of this.#known.learn(call, output)) {
      const sink = this.#sinks.get(path)
      if (sink !== undefined && this.#depth < maxDepth)
        this.#substituted(sink.part, sink.state, { ...alone, input: flow })
    }
    change(call, state)
    return output
  }

  /** What it runs in turn, and what comes out of it all. */
  #inside(call: Call, state: State, offset: number): Flow {
    const own = call.program === call.name ? this.#functions.get(call.name) : undefined
    if (own !== undefined) {
      if (this.#depth >= maxDepth) return own.active > 0 ? nothing : this.#tooDeep(offset)
      return this.#body(own, call.args, state, { input: call.input, isBackground: call.isBackground, targets: [] })
    }
    const script = scriptOf(call)
    const text = script === undefined ? undefined : this.#known.holds(script.path, call.cwd)?.text
    const isShell = text !== undefined && !/^#!(?!.*sh\b)/.test(text)
    const { instead, beside } = isShell
      ? { instead: [{ kind: 'script' as const, text, args: script?.args ?? [] }], beside: [] }
      : innerOf(call)
    if (this.#depth >= maxDepth && instead.length + beside.length > 0) return this.#tooDeep(offset)
    const outputs = instead.map((each) => this.#inner(each, call, state, offset))
    const others = beside.map((each) => this.#inner(each, call, state, offset))
    return joined([...(outputs.length > 0 ? outputs : [outputOf(call)]), ...others])
  }

  #inner(inner: Inner, call: Call, state: State, offset: number): Flow {
    if (inner.kind === 'script') {
      // What is computed as a whole has been reported; there is nothing to be read in it.
      if (isUnseen(inner.text)) return nothing
      const isHere = ['eval', 'source', '.'].includes(call.name)
      const inside = isHere ? state : copied(state)
      if (inner.args !== undefined && !isHere) inside.variables.positional = inner.args
      const around: Around = { input: call.input, isBackground: call.isBackground, targets: [] }
      return this.#script(asVariables(inner.text), inside, around, {
        offset,
        origin: this.#report.originOf(inner.text),
      })
    }
    const [program = '', ...args] = inner.words
    this.#depth += 1
    const given = { ...call, name: '', program, args, env: inner.env ?? call.env, targets: [] }
    const output = this.#call(given, call.name === 'exec' ? state : copied(state), offset)
    this.#depth -= 1
    return output
  }
}
