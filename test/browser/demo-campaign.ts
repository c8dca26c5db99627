// A campaign in the repositories of a team, with addresses as a forge has them: Git is told to find them on this disk.

import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fleet } from '../helpers/fleet.ts'
import type { TestRepo } from '../helpers/repo.ts'

const names = ['cart', 'catalog', 'checkout', 'invoices', 'orders', 'payments', 'search', 'shipping']

const plan = `---
title: Move to Node 24
steps:
  - id: pin
    title: Pin the version
    create: .node-version
    content: "24"
  - id: tests
    title: Run the tests
    run: |
      if grep -q native package.txt; then echo "error: better-sqlite3 has no build for Node 24" >&2; exit 1; fi
      echo ok
  - id: look
    title: Look at the start-up time
    run: |
      if grep -q slow package.txt; then echo "start-up takes 4.1 s, the limit is 3 s" >&2; exit 1; fi
      echo ok
---

Node 20 ends in spring.
`

/** Two waves: the first is done, and of the second some have failed. Returns the id. */
export async function makeCampaign(repo: TestRepo): Promise<string> {
  const kinds: Readonly<Record<number, string>> = { 4: 'native', 6: 'native', 8: 'slow' }
  const fleet = new Fleet(repo, {
    count: names.length,
    files: (number) => ({ 'package.txt': `${kinds[number] ?? 'plain'}\n` }),
  })
  for (const [at, name] of names.entries())
    appendFileSync(
      join(repo.home, '.gitconfig'),
      `[url "${fleet.addresses[at]}"]\n\tinsteadOf = https://git.example.com/acme/${name}\n`,
    )
  writeFileSync(fleet.list, names.map((name) => `https://git.example.com/acme/${name}\n`).join(''))
  const args = [
    'run',
    fleet.list,
    fleet.write('node-24.md', plan),
    '--approve',
    '--wave',
    '2',
    '--max-failures',
    '1',
    '-j',
    '2',
  ]
  const { code, all } = await fleet.fleet(args)
  if (code !== 1) throw new Error(all)
  return 'node-24'
}
