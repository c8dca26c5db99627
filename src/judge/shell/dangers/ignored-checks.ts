// Checks whose failure is ignored: `npm test || true`. The commands after them run as if they had passed.

import type { Node, Statement } from '../parse.ts'
import { argumentOf } from '../words.ts'

/** Programs that are run for their exit status. */
const checking = new RegExp(
  [
    String.raw`(npm|pnpm|yarn|bun)( run)? (t|test|tst|lint|check|typecheck|type-check|types|verify)([: ]|$)`,
    String.raw`(jest|vitest|mocha|ava|pytest|tox|nox|eslint|oxlint|tsc|ruff|mypy|pyright|flake8|pylint)( |$)`,
    String.raw`(rspec|rubocop|phpunit|phpstan|ctest|shellcheck|unittest|golangci-lint)( |$)`,
    String.raw`cargo (test|clippy|check|nextest)\b|go (test|vet)\b|(dotnet|swift|mix) test\b`,
    String.raw`(make|just|task) (test|check|lint|verify)\b|(prettier|black|cargo fmt)\b.* --check\b`,
    String.raw`(mvn|\./mvnw|gradle|\./gradlew|sbt)( -\S+)* (test|check|verify)\b|terraform validate\b`,
  ]
    .map((part) => `^(?:${part})`)
    .join('|'),
)
/** Programs that run a check. */
const runner = /^(npx( -y)?|pnpm exec|bunx|uv run|poetry run|bundle exec|python3? -m|timeout \S+|nice|env( \w+=\S*)*) /
/** Options with which a check does something else. */
const otherWork = / (--version|--help|--fix|--write|--init|-[vVh])( |$)/

function lineOf(node: Node | undefined): string {
  if (node?.type === 'Pipeline' && node.commands.length === 1 && node.prefixes.every(({ type }) => type === 'Time'))
    return lineOf(node.commands[0])
  if (node?.type !== 'Command' || node.name === undefined) return ''
  const words = [node.name, ...node.suffix.filter((each) => each.type === 'Word')]
  return words.map((word) => argumentOf(word).literal ?? word.text).join(' ')
}

function isCheck(node: Node): boolean {
  let line = lineOf(node)
  while (runner.test(line)) line = line.replace(runner, '')
  return checking.test(line) && !otherWork.test(line)
}

interface IgnoredCheck {
  readonly at: number
  readonly how: string
}

/** The position of each ignored check in a list of commands, and what ignores its failure. */
export function ignoredChecks(statements: readonly Statement[]): readonly IgnoredCheck[] {
  return statements.flatMap(({ command }, at) => {
    if (command.type === 'AndOr') {
      const last = lineOf(command.commands.at(-1))
      const isIgnored = command.operators.at(-1) === '||' && /^(true|:|exit 0|return 0)$|^(echo|printf) /.test(last)
      const check = isIgnored ? command.commands.slice(0, -1).find(isCheck) : undefined
      return check === undefined ? [] : [{ at: check.pos, how: `|| ${last}` }]
    }
    const next = at === statements.length - 2 ? lineOf(statements[at + 1]?.command) : ''
    return /^(true|:|exit 0)$/.test(next) && isCheck(command) ? [{ at: command.pos, how: `; ${next}` }] : []
  })
}
