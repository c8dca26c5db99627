import { expect, test } from 'vitest'
import { reportError } from '../../../../src/adapters/cli/report-error.ts'
import { noStyle } from '../../../../src/adapters/cli/style.ts'
import { PlanError } from '../../../../src/errors.ts'
import { drawn } from '../../../helpers/drawn-secrets.ts'

const password = drawn('word', 16)
const address = `https://deploy:${password}@git.acme.io/a.git`
const errors = [
  new PlanError('git-failed', `git fetch failed (128): fatal: unable to access '${address}'`, {
    hint: `git fetch ${address}`,
  }),
  new PlanError('system', 'no', { facts: { findings: [{ rule: 'a', severity: 'error', message: `in ${address}` }] } }),
  new Error(`spawn ${address}`),
  // A terminal would show it whole.
  new PlanError(
    'step-failed',
    `a hook said https://deploy:${password.slice(0, 6)}\u001b[31m${password.slice(6)}\u001b[0m@git.acme.io`,
  ),
]

test.for(errors)('the password of an address is in no report: %s', (error) => {
  for (const json of [true, false]) {
    const { stdout, stderr } = reportError(error, { json, debug: true, style: noStyle, version: '1' })
    expect(`${stdout}${stderr}`).toContain('deploy:[secret]@git.acme.io')
    for (const part of [password.slice(0, 6), password.slice(6)]) expect(`${stdout}${stderr}`).not.toContain(part)
    if (json) expect(() => JSON.parse(stdout) as unknown).not.toThrow()
  }
})
