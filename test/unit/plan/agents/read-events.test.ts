// What each agent says about its work, from recordings of the real programs.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { agentPresets } from '../../../../src/plan/agents/presets.ts'
import { EventReader, type AgentReport } from '../../../../src/plan/agents/read-events.ts'
import { claimOf } from '../../../../src/plan/agents/read-report.ts'

const recording = (path: string): Buffer =>
  readFileSync(new URL(`../../../fixtures/agents/${path}.jsonl`, import.meta.url))

const agentOf = (path: string): string => path.slice(0, path.lastIndexOf('-', path.indexOf('/')))

function read(path: string, { size = Infinity } = {}): AgentReport {
  const reader = new EventReader(agentPresets[agentOf(path)]!)
  const bytes = recording(path)
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size), 'stdout')
  return reader.report()
}

type Expected = Partial<Omit<AgentReport, 'session' | 'stray'>>
const nothing = { denied: [], costUsd: undefined, failure: undefined }

const recordings: Readonly<Record<string, Expected>> = {
  'claude-2.1.325/success': { ...nothing, text: 'All done.', turns: 2, costUsd: 0.0016 },
  'claude-2.1.325/denied-exit0': { ...nothing, text: 'All done.', turns: 2, costUsd: 0.0016, denied: ['Write'] },
  'claude-2.1.325/liar-no-change': { ...nothing, text: 'All done, I changed everything.', turns: 1, costUsd: 0.0008 },
  'claude-2.1.325/max-turns': {
    ...nothing,
    text: '',
    turns: 2,
    costUsd: 0.0008,
    failure: 'Reached maximum number of turns (1)',
  },
  'claude-2.1.325/budget': {
    ...nothing,
    text: '',
    turns: 1,
    costUsd: 0.0008,
    failure: 'Reached maximum budget ($0.0005)',
  },
  'claude-2.1.325/not-logged-in': {
    ...nothing,
    text: 'Not logged in · Please run /login',
    turns: 1,
    costUsd: 0,
    failure: 'Not logged in · Please run /login',
  },
  'codex-0.166.0/success': { ...nothing, text: 'All done.', turns: 2 },
  'codex-0.166.0/command-failed': { ...nothing, text: 'All done.', turns: 2 },
  'codex-0.166.0/file-change': { ...nothing, text: 'All done.', turns: 2 },
  'codex-0.166.0/api-down': { ...nothing, text: '', turns: undefined },
  'gemini-0.61.0/success': { ...nothing, text: 'All done.', turns: 1 },
  'gemini-0.61.0/hook-denied-exit0': { ...nothing, text: 'All done.', turns: 1, denied: ['write_file'] },
  'gemini-0.61.0/max-turns': {
    ...nothing,
    text: '',
    turns: 1,
    failure:
      'Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json.',
  },
  'opencode-1.18.33/success': { ...nothing, text: 'All done.', turns: 2, costUsd: 0.00028 },
  'opencode-1.18.33/denied-exit0': { ...nothing, text: '', turns: 1, costUsd: 0.00014, denied: ['write'] },
  'opencode-1.18.33/plugin-denied-exit0': {
    ...nothing,
    text: 'All done.',
    turns: 2,
    costUsd: 0.00028,
    denied: ['write'],
  },
  'opencode-1.18.33/error': {
    ...nothing,
    text: '',
    turns: undefined,
    failure: 'Unexpected server error. Check server logs for details.',
  },
  'copilot-1.0.102/success': { ...nothing, text: 'All done.', turns: 2 },
  'copilot-1.0.102/denied-exit0': { ...nothing, text: 'All done.', turns: 2, denied: ['bash'] },
  'copilot-1.0.102/hook-denied-exit0': { ...nothing, text: 'All done.', turns: 2, denied: ['bash'] },
  'goose-1.52.0/success': { ...nothing, text: 'All done.', turns: 2, costUsd: 0.0009 },
  'goose-1.52.0/hook-denied-exit0': { ...nothing, text: 'All done.', turns: 2, costUsd: 0.0009, denied: ['write'] },
  'goose-1.52.0/max-turns-exit0': {
    ...nothing,
    text: "I've reached the maximum number of actions I can do without user input. Would you like me to continue?",
    turns: 2,
    costUsd: 0.00045,
  },
  'pi-1.5.0/success': { ...nothing, text: 'All done.', turns: 2, costUsd: 0.00028 },
  'pi-1.5.0/extension-denied-exit0': { ...nothing, text: 'All done.', turns: 2, costUsd: 0.00028, denied: ['write'] },
}

describe('the events of an agent', () => {
  test.each(Object.entries(recordings))('%s', (path, expected) => {
    const { session, stray, ...report } = read(path)
    expect(report).toEqual(expected)
    if (!path.startsWith('goose')) expect(session).toMatch(/^[\w-]{20,}$/)
    // However the output is cut.
    expect(read(path, { size: 7 })).toEqual({ session, stray, ...report })
  })

  test('goose that did not reach its model ends with 0, and has failed', () => {
    expect(read('goose-1.52.0/api-down-exit0')).toMatchObject({ failure: 'it did not reach its model' })
  })

  test('a tool that Codex was denied is named only on its standard error', () => {
    const reader = new EventReader(agentPresets['codex']!)
    reader.push(Buffer.from('ERROR codex: Command blocked by PreToolUse hook: plan mode is on\n'), 'stderr')
    expect(reader.report()).toMatchObject({
      denied: ['a tool'],
      stray: expect.stringContaining('blocked by') as string,
    })
  })

  test('lines that are no events, and one without an end, are passed over', () => {
    const reader = new EventReader(agentPresets['claude']!)
    reader.push(Buffer.from(`warning\n{"type":\n[]\n{"type":"result","result":"ok","num_turns":"many"}\n`), 'stdout')
    reader.push(Buffer.alloc(9 * 1024 * 1024, 'x'), 'stdout')
    expect(reader.report()).toMatchObject({ text: 'ok', turns: undefined })
  })
})

describe('the claim in a report', () => {
  const said = (text: string) =>
    claimOf('claude', {
      text,
      turns: 3,
      costUsd: 0.5,
      session: 's-1',
      denied: ['Write'],
      failure: undefined,
      stray: '',
    })

  test('comes from the last report block', () => {
    const text = [
      'First I tried this.',
      '```plan-report',
      '{"summary": "old"}',
      '```',
      'Done.',
      '```plan-report',
      '{"summary": "Added it", "decisions": ["a map", 7], "questions": ["why?"], "notes": "see src", "by": "mallory"}',
      '```',
    ].join('\n')
    expect(said(text)).toEqual({
      by: 'claude',
      summary: 'Added it',
      decisions: ['a map'],
      questions: ['why?'],
      notes: 'see src',
      denied: ['Write'],
      turns: 3,
      costUsd: 0.5,
      session: 's-1',
    })
  })

  test('is the text itself without a block, shortened and in one line', () => {
    const { summary } = said(`Line one.\nLine two.\u001b[31m${'x'.repeat(5000)}`)
    expect(summary).toHaveLength(2000)
    expect(summary).toMatch(/^Line one\. Line two\./)
    expect(summary).not.toContain('\u001b')
  })

  test('does not take turns, cost or denied tools from what the agent says', () => {
    expect(said('{"summary": "x", "turns": 1, "costUsd": 0, "denied": []}')).toMatchObject({
      turns: 3,
      costUsd: 0.5,
      denied: ['Write'],
    })
  })
})
