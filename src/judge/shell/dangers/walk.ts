// Walks the tree of a command, and of the commands that it runs in turn, and applies the tables to every program.

import { findUncovered } from '../coverage.ts'
import { forEachChild, parseShell, checkErrors } from '../parse.ts'
import type { Command, ParsedScript, Redirection, Statement, SyntaxNode } from '../parse.ts'
import { writesFile } from '../redirections.ts'
import { baseName, finding, nothing, type Call, type Finding, type Output, type Source } from './call.ts'
import { fieldsOf, type State } from './fields.ts'
import { isForkBomb } from './fork-bomb.ts'
import { ignoredChecks } from './ignored-checks.ts'
import { innerOf, type Inner } from './inner.ts'
import { excerpt, isUnknownExpansion, unknown } from './marks.ts'
import { joinOutputs, outputOf, sourceOfFile, sourceOfText } from './outputs.ts'
import { hiddenName, programName } from './program-name.ts'
import { Report, type Origin } from './report.ts'
import { assign, applyChange, copyState } from './state.ts'
import { judgeCall } from './tables/index.ts'
import { judgeWrite, writtenPaths } from './tables/paths.ts'
import { judgeSecretPath } from './tables/secrets.ts'

/** `sh -c` in `xargs` in `sh -c`: nobody nests deeper by hand. */
const maxDepth = 10
/** Per command. */
const maxCalls = 5000

export class DangerWalk {
  readonly report = new Report()
  readonly #functions = new Set<string>()
  readonly #fetched = new Map<string, Source>()
  #depth = 0
  #calls = 0

  /** `offset`: position of the script in the script being walked. `origin`: maps positions within it. */
  script(text: string, state: State, input: Output, offset: number, origin?: Origin): Output {
    const parsed = parseShell(text)
    const fixed = this.report.origin(offset)
    if ('problem' in parsed) {
      const { problem, at = 0, hidden } = parsed
      const rule = hidden === true ? 'shell-obfuscated' : 'shell-unparsable'
      this.report.addAt(finding(rule, problem), origin?.(at) ?? fixed)
      return nothing
    }
    const dropped = findUncovered(parsed.script, text, { start: 0, end: text.length })
    if (dropped !== undefined) this.#addUnjudged(dropped, offset)
    return this.report.from(origin ?? (() => fixed), () => this.#statements(parsed.script.commands, state, input))
  }

  #addUnjudged(problem: string, offset: number): Output {
    this.report.add(finding('shell-unparsable', problem), offset)
    return nothing
  }

  #addAll(findings: readonly (Finding | undefined)[], offset: number): void {
    for (const each of findings) if (each !== undefined) this.report.add(each, offset)
  }

  #statements(statements: readonly Statement[], state: State, input: Output): Output {
    for (const { at, how } of ignoredChecks(statements))
      this.report.add(finding('shell-checks-off', `${excerpt(how)} ignores that a check failed`), at)
    for (const { command, background, pos } of statements)
      if (background === true && command.type === 'Command' && command.name?.text === 'nohup')
        this.report.add(finding('shell-background', 'nohup … & leaves a process running'), pos)
    return joinOutputs(statements.map(({ command }) => this.#node(command, state, input)))
  }

  #node(node: SyntaxNode, state: State, input: Output): Output {
    switch (node.type) {
      case 'Command':
        return this.#command(node, state, input)
      case 'CompoundList':
        return this.#statements(node.commands, state, input)
      case 'Pipeline': {
        const own = node.commands.length > 1 ? copyState : (same: State): State => same
        return node.commands.reduce((read, command) => this.#node(command, own(state), read), input)
      }
      case 'Redirected':
        return this.#redirected(node.redirects, state, node.pos, input, (read) => this.#node(node.command, state, read))
      case 'Subshell':
        return this.#children(node, copyState(state), input)
      case 'For':
      case 'Select':
        state.variables.set(node.name.text, node.wordlist?.flatMap((word) => fieldsOf(word, state)) ?? [`${unknown}@`])
        return this.#children(node, state, input)
      case 'Function':
        this.#functions.add(node.name.text)
        if (isForkBomb(node)) this.report.add(finding('shell-fork-bomb', 'a function starts itself forever'), node.pos)
        // Judged once, at its definition, with unknown arguments. Its changes of directory do not affect the caller.
        this.#children(node, { ...state }, nothing)
        return nothing
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        return this.#substitution(node.script, state, node.pos)
      default:
        return this.#children(node, state, input)
    }
  }

  #children(node: SyntaxNode, state: State, input: Output): Output {
    const outputs: Output[] = []
    forEachChild(node, (child) => void outputs.push(this.#node(child, state, input)))
    return joinOutputs(outputs)
  }

  #substitution(script: ParsedScript | undefined, state: State, offset: number): Output {
    const parsed = checkErrors(script)
    if ('problem' in parsed) return this.#addUnjudged(parsed.problem, offset)
    const fixed = this.report.origin(offset)
    // Backquotes that contain backslashes have their own source text.
    const origin = parsed.script.source === undefined ? this.report.origin : (): number => fixed
    this.report.from(origin, () => this.#statements(parsed.script.commands, copyState(state), nothing))
    return nothing
  }

  /** Judges the files that redirections open, and notes files that receive data from the network. */
  #redirected(
    redirections: readonly Redirection[],
    state: State,
    offset: number,
    input: Output,
    run: (input: Output) => Output,
  ): Output {
    let read = input
    const files: string[] = []
    for (const each of redirections) {
      this.#children(each, state, nothing)
      if (each.type === 'HereDoc') {
        this.report.quote(each.body.text, each.body.pos)
        read = { source: 'command', text: each.body.text }
        continue
      }
      const path = each.target === undefined ? '' : fieldsOf(each.target, state).join(' ')
      if (each.type === 'HereString') read = { source: sourceOfText(path), text: path }
      else {
        if (writesFile(each.operator, path)) files.push(path)
        if (/^<>?$/.test(each.operator)) read = { source: sourceOfFile(path, this.#fetched) }
        this.#addAll([judgeSecretPath(each.operator, path)], offset)
      }
    }
    for (const file of files) this.#addAll([judgeWrite('>', file, state.cwd)], offset)
    const output = run(read)
    this.#markFetched(files, output.source)
    return output
  }

  /** Running these files later is then running code from that origin. */
  #markFetched(files: readonly string[], source: Source): void {
    if (source === 'network' || source === 'decoded')
      for (const file of files) this.#fetched.set(baseName(file), source)
  }

  #command(node: Command, state: State, input: Output): Output {
    const { name, prefix, suffix, redirects, pos } = node
    const words = [...(name === undefined ? [] : [name]), ...suffix.filter((each) => each.type === 'Word')]
    for (const each of [...prefix, ...suffix, ...words.slice(0, 1)])
      if (each.type === 'Word' || each.type === 'Assignment') this.#children(each, state, nothing)
    for (const { parts: [only, ...others] = [] } of words)
      if (only?.type === 'SingleQuoted' && others.length === 0) this.report.quote(only.value, only.pos + 1)
    const env = assign(node, state)
    return this.#redirected(redirects, state, pos, input, (read) => {
      const [program = '', ...args] = words.flatMap((word) => fieldsOf(word, state))
      if (name !== undefined) this.#addAll([hiddenName(name, program)], name.pos)
      const call = { program, args, env, input: read, cwd: state.cwd, fetched: this.#fetched }
      return this.#call(call, state, name?.pos ?? pos)
    })
  }

  #call(unnamed: Omit<Call, 'name'>, state: State, offset: number): Output {
    this.#calls += 1
    if (this.#calls === maxCalls) return this.#addUnjudged('there are too many commands', offset)
    if (this.#calls > maxCalls || this.#functions.has(unnamed.program)) return { source: 'command' }
    const call: Call = { ...unnamed, name: programName(unnamed.program) }
    const own = outputOf(call)
    this.#addAll(judgeCall(call), offset)
    const outputs = innerOf(call).map((inner) => this.#inner(inner, call, state, offset))
    this.#markFetched([...writtenPaths(call), ...call.args.filter((arg) => /^https?:/.test(arg))], own.source)
    applyChange(call, state)
    return own.source === 'network' || outputs.length === 0 ? own : joinOutputs(outputs)
  }

  #inner(inner: Inner, call: Call, state: State, offset: number): Output {
    if (this.#depth >= maxDepth) return this.#addUnjudged('commands are nested too deep', offset)
    this.#depth += 1
    const output = this.#run(inner, call, call.name === 'eval' ? state : copyState(state), offset)
    this.#depth -= 1
    return output
  }

  #run(inner: Inner, call: Call, state: State, offset: number): Output {
    if ('words' in inner) {
      const [program = '', ...args] = inner.words
      return this.#call({ ...call, program, args, env: inner.env ?? call.env }, state, offset)
    }
    const { script, args = [] } = inner
    // The command that runs it was already reported.
    if (isUnknownExpansion(script)) return nothing
    const text = script.replaceAll(unknown, '$')
    for (const [at, arg] of args.entries()) state.variables.set(`${at + 1}`, [arg])
    if (args.length > 0) state.variables.set('@', args)
    return this.script(text, state, call.input, offset, this.report.originOf(text))
  }
}
