import { describe, expect, test } from 'vitest'
import { configTemplate } from '../../../src/plan/config/config-template.ts'
import { allowsBase, defaultConfig, defaultEntries } from '../../../src/plan/config/config.ts'
import { readConfig } from '../../../src/plan/config/read-config.ts'

const read = (text: string) => readConfig(Buffer.from(text), '.plans/config.yml')
const findings = (text: string) => {
  const result = read(text)
  return result.ok ? [] : result.findings
}

describe('the configuration', () => {
  test.each(['', '# nothing\n', 'version: 1\n', configTemplate])('without a setting is the defaults', (text) => {
    expect(read(text)).toEqual({ ok: true, config: defaultConfig, entries: [] })
  })

  test('what the template shows as the defaults are the defaults, and each example in it is one that works', () => {
    const defaults = configTemplate.replaceAll(/^# (?= *[a-z_]+:)/gm, '')
    expect(read(defaults)).toMatchObject({ ok: true, config: defaultConfig })
    expect(read(defaults)).toMatchObject({
      entries: defaultEntries.filter(({ value }) => value !== null).map(({ name }) => ({ name })),
    })
    // Each in the place of the default above it, if there is one.
    const changed: string[] = []
    for (const line of defaults.split('\n')) {
      const example = /^# ( *)# (.*)$/.exec(line)?.slice(1).join('')
      const key = /^ *[a-z_]+:/.exec(example ?? '')?.[0]
      if (key !== undefined && changed.at(-1)?.startsWith(key) === true) changed.pop()
      changed.push(example ?? line)
    }
    expect(changed.filter((line) => line.startsWith('# '))).toHaveLength(3)
    expect(findings(changed.join('\n'))).toEqual([])
  })

  test('every key that works can be set', () => {
    const text =
      'version: 1\nlimits: { steps: 5, timeout: 90s, output: 1kb, pause_every: 3 }\nstale_after: 1d\nstalled_after: 1m\ncommit: { subject: "chore: {title}" }\nrollback: { automatic: false, keep: 2d }\nbases: [main, "release/*"]\nrequire: [owner, tests]\nrisk: { critical: ["infra/prod/**"] }\n'
    expect(read(text)).toMatchObject({
      ok: true,
      config: {
        limits: { steps: 5, timeout: 90_000, output: 1024, pauseEvery: 3 },
        staleAfter: 86_400_000,
        stalledAfter: 60_000,
        commit: { subject: 'chore: {title}' },
        rollback: { automatic: false, keep: 172_800_000 },
        bases: ['main', 'release/*'],
        require: ['owner', 'tests'],
        risk: { critical: ['infra/prod/**'] },
      },
    })
  })

  test.each([
    ['limitz: {}', 1, 'limits'],
    ['version: 1\nlimits:\n  step: 5', 3, 'steps'],
  ])('an unknown key is an error that names the nearest: %j', (text, line, nearest) => {
    expect(findings(text)[0]).toMatchObject({ file: '.plans/config.yml', line, severity: 'error' })
    expect(JSON.stringify(findings(text)[0])).toContain(nearest)
  })

  test.each([
    'approval: { low: nobody }',
    'limits: { steps: 0 }',
    'limits: { timeout: soon }',
    'limits: { output: many }',
    'commit: { subject: "no placeholder" }',
    'bases: ["a..b"]',
    'require: [everything]',
    'risk: { critical: ["../out"] }',
    'risk: { high: [a] }',
    'version: 2',
    '- a',
    'limits: [',
    'a: &x 1',
  ])('is refused rather than half understood: %j', (text) => {
    expect(findings(text).length).toBeGreaterThan(0)
    expect(findings(text)[0]?.line).toBe(1)
  })

  test('bytes that are not text are refused', () => {
    expect(readConfig(Uint8Array.of(0xff, 0xfe), 'c').ok).toBe(false)
    expect(readConfig(new Uint8Array(300_000), 'c').ok).toBe(false)
  })

  test('a star in a base stands for one part of its name', () => {
    const config = { ...defaultConfig, bases: ['main', 'release/*', 'v1.x'] }
    expect(
      ['main', 'release/1', 'release/1/2', 'xmain', 'v1.x', 'v1ax'].map((branch) => allowsBase(config, branch)),
    ).toEqual([true, true, false, false, true, false])
    expect(allowsBase(defaultConfig, 'anything')).toBe(true)
  })
})
