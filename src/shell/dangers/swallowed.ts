// Tests and checks whose failure is thrown away: `npm test || true`, `set +e; pytest; set -e`. What comes after them goes on as if they had passed.

import { forEachChild, type Node, type Statement, type SyntaxNode } from '../parse.ts'
import { argumentOf } from '../words.ts'

/** Programs whose answer is the reason that they are run. */
const checking = new RegExp(
  [
    String.raw`(npm|pnpm|yarn|bun)( run)? (t|test|tst|lint|check|typecheck|type-check|types|verify)([: ]|$)`,
    String.raw`(jest|vitest|mocha|ava|pytest|tox|nox|eslint|oxlint|tsc|ruff|mypy|pyright|flake8|pylint|rspec|rubocop|phpunit|phpstan|ctest|shellcheck|unittest|golangci-lint)( |$)`,
    String.raw`cargo (test|clippy|check|nextest)\b|go (test|vet)\b|(dotnet|swift|mix) test\b|(make|just|task) (test|check|lint|verify)\b`,
    String.raw`(mvn|\./mvnw|gradle|\./gradlew|sbt)( -\S+)* (test|check|verify)\b|(prettier|black|cargo fmt)\b.* --check\b|terraform validate\b`,
  ]
    .map((part) => String.raw`^(?:${part})`)
    .join('|'),
)
/** In front of them. */
const running = /^(npx( -y)?|pnpm exec|bunx|uv run|poetry run|bundle exec|python3? -m|timeout \S+|nice|env( \w+=\S*)*) /
/** Asked for something else, or to put right what it can. */
const elsewise = / (--version|--help|--fix|--write|--init|-[vVh])( |$)/

const lineOf = (node: Node): string | undefined =>
  node.type === 'Command' && node.name !== undefined
    ? [node.name, ...node.suffix.filter((each) => each.type === 'Word')]
        .map((word) => argumentOf(word).literal ?? word.text)
        .join(' ')
    : node.type === 'Pipeline' && node.commands.length === 1 && node.prefixes.every(({ type }) => type === 'Time')
      ? lineOf(node.commands[0] as Node)
      : undefined

function isCheck(node: Node): boolean {
  let line = lineOf(node) ?? ''
  while (running.test(line)) line = line.replace(running, '')
  return checking.test(line) && !elsewise.test(line)
}

const succeeds = (node: Node | undefined): boolean =>
  node !== undefined && /^(true|:|exit 0|return 0)$|^(echo|printf) /.test(lineOf(node) ?? '')

export interface Swallowed {
  readonly at: number
  readonly how: string
}

/** In the list of commands as it stands; what is inside of them has lists of its own. */
export function swallowedIn(statements: readonly Statement[]): Swallowed[] {
  let isLoose = false
  return statements.flatMap(({ command }, at) => {
    const line = lineOf(command)
    if (/^set [+-]e$/.test(line ?? '')) isLoose = line === 'set +e'
    if (command.type === 'AndOr') {
      const check =
        command.operators.at(-1) === '||' && succeeds(command.commands.at(-1))
          ? command.commands.slice(0, -1).find(isCheck)
          : undefined
      return check === undefined ? [] : [{ at: check.pos, how: `|| ${lineOf(command.commands.at(-1) as Node)}` }]
    }
    const rest = statements.slice(at + 1)
    if (!isCheck(command) || rest.length === 0) return []
    if (rest.length === 1 && /^(true|:|exit 0)$/.test(lineOf(rest[0]?.command as Node) ?? ''))
      return [{ at: command.pos, how: `; ${lineOf(rest[0]?.command as Node)}` }]
    return isLoose && !rest.some(usesStatus) ? [{ at: command.pos, how: 'set +e' }] : []
  })
}

/** `$?` is looked at, or kept for later. */
function usesStatus(node: SyntaxNode): boolean {
  if (node.type === 'SimpleExpansion' && node.text === '$?') return true
  if (node.type === 'ParameterExpansion' && node.parameter === '?') return true
  let isFound = false
  forEachChild(node, (child) => {
    isFound ||= usesStatus(child)
  })
  return isFound
}
