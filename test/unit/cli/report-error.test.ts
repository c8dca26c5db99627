import { expect, test } from 'vitest'
import { reportError } from '../../../src/cli/report-error.ts'
import { noStyle } from '../../../src/cli/style.ts'
import { PlanError } from '../../../src/errors.ts'
import { drawn } from '../../helpers/drawn-secrets.ts'

const password = drawn('word', 16)
const address = `https://deploy:${password}@git.acme.io/a.git`
const errors = [
  new PlanError('git-failed', `git fetch failed (128): fatal: unable to access '${address}'`, { hint: `git fetch ${address}` }),
  new PlanError('system', 'no', { facts: { findings: [{ rule: 'a', severity: 'error', message: `in ${address}` }] } }),
  new Error(`spawn ${address}`),
]

test.for(errors)('the password of an address is in no report: %s', (error) => {
  for (const json of [true, false]) {
    const { stdout, stderr } = reportError(error, { json, debug: true, style: noStyle, version: '1' })
    expect(`${stdout}${stderr}`).toContain('deploy:[secret]@git.acme.io')
    expect(`${stdout}${stderr}`).not.toContain(password)
    if (json) expect(() => JSON.parse(stdout) as unknown).not.toThrow()
  }
})
