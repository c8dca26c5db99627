// Writes the steps of the machine as a plan file. Effects of their commands outside the repository are below $OUT.

import type { Step } from './words.ts'

export const planFile = (steps: readonly Step[]): string =>
  `---\nplan: demo\ntitle: Demo\nbase: main\nsteps:\n${steps.map((step) => `  - ${JSON.stringify(written(step))}`).join('\n')}\n---\n`

function written(step: Step): object {
  const { id, kind, needs, text } = step
  const common = { id, title: `${id} ${text.replaceAll('\n', ' ').trim()}`, needs, pause: step.pause }
  if (kind === 'create') return { ...common, create: `${id}.txt`, content: text }
  if (kind === 'manual' || kind === 'gate') return { ...common, [kind]: 'Well?' }
  const check = `test -e $OUT/marks/${id} || test $(grep -cx ${id} $OUT/ledger) -gt ${step.fails}`
  return {
    ...common,
    run: commandOf(step, check),
    retries: step.retries,
    allow_failure: step.allowFailure,
    ...(step.failsBy === 'verify' ? { verify: check } : {}),
    ...(kind === 'external' ? effectOf(step) : {}),
  }
}

function commandOf({ id, kind, text, failsBy }: Step, check: string): string {
  const whole = [
    `printf '${text.replaceAll('\n', '\\n')}' > ${id}.txt`,
    kind === 'run' ? `echo ${id} >> common.txt` : `touch $OUT/happened/${id}`,
  ]
  const ways = {
    exit: [`${check} || exit 1`, ...whole],
    killed: [`${check} || kill -9 $$`, ...whole],
    late: [...whole, check],
    verify: whole,
  }
  // As long as there is a file called hold, an executor can be kept from coming to its end.
  return [
    `echo ${id} >> $OUT/ledger`,
    'while test -e $OUT/hold; do sleep 0.02; done',
    `echo half > ${id}.txt`,
    ...ways[failsBy],
  ].join('; ')
}

const effectOf = ({ id, idempotent, probe, undo }: Step): object => ({
  effect: 'external',
  idempotent,
  ...(probe ? { probe: `test -e $OUT/happened/${id}` } : {}),
  ...(undo ? { undo: `echo undo-${id} >> $OUT/ledger; rm -f "\${OUT:?}"/happened/${id}` } : {}),
})
