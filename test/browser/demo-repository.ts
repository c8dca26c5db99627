// A repository with plans in every state, as a team would have it.

import type { TestRepo } from '../helpers/repo.ts'

const limits = `---
title: Add rate limiting to the API
owner: platform
goal: No client can take the API down for the others.
steps:
  - id: model
    title: Add the model of a limit
    create: src/limit.ts
    content: |
      /** So many requests in so much time. */
      export interface Limit {
        readonly requests: number
        readonly perMs: number
      }
  - id: store
    title: Count requests in memory
    needs: [model]
    run: |
      echo counting; sleep 0.3
      printf 'import type { Limit } from "./limit.ts"\\n\\nexport const counts = new Map<string, number>()\\n' > src/store.ts
    files: [src/store.ts]
    verify: ["test -s src/store.ts"]
  - id: middleware
    title: Refuse requests above the limit
    needs: [model]
    run: |
      for i in 1 2 3 4 5 6 7 8; do echo "compiled module $i of 8"; sleep \${PAUSE:-0.1}; done
      printf 'export const status = 429\\n' > src/middleware.ts
    files: [src/middleware.ts]
  - id: headers
    title: Tell clients what is left
    needs: [model]
    run: |
      for i in 1 2 3 4 5 6 7 8; do echo "ok $i - header of request $i"; sleep \${PAUSE:-0.1}; done
      printf 'export const header = "RateLimit-Remaining"\\n' > src/headers.ts
    files: [src/headers.ts]
  - id: wire
    title: Wire it into the server
    needs: [store, middleware, headers]
    edit: src/server.ts
    replace: const middlewares = []
    with: const middlewares = [limitRequests]
    files: [src/server.ts]
  - id: test
    title: Test the limits
    needs: [wire]
    run: echo 'ok 1 - 101st request is refused'; echo 'ok 2 - counts per client'
    criteria:
      - text: The 101st request within a minute gets status 429
        verify: ["grep -q 429 src/middleware.ts"]
      - text: The numbers are sensible for our largest customer
  - id: docs
    title: Describe the limits
    needs: [wire]
    edit: README.md
    append: |
      ## Limits

      100 requests per minute and client.
---

## Why

In **October** one client sent 40,000 requests in a minute. The others waited.

| client | limit |
| --- | --- |
| free | 100 per minute |
| partner | 1,000 per minute |

Roll back with \`git plan rollback\`; nothing outside the repository is touched.
`

const flags = `---
title: Remove the flag NEW_CHECKOUT
owner: checkout
steps:
  - id: code
    title: Take the old branch out of the code
    run: |
      set -e
      printf 'export const pay = (cart) => charge(cart.total)\\n' > src/checkout.ts
      grep -q total src/cart.ts || { echo "src/cart.ts has no total" >&2; exit 1; }
      printf 'export const isNew = true\\n' >> src/checkout.ts
    files: [src/checkout.ts, src/cart.ts]
  - id: announce
    title: Turn the flag off in the flag service
    run: echo off > "$FLAGS/new-checkout"
    effect: external
    undo: echo on > "$FLAGS/new-checkout"
  - id: clean
    title: Delete the tests of the old checkout
    delete: src/old.test.ts
---

The new checkout has been on for everybody since May.
`

const upgrade = `---
title: Upgrade to Node 24
owner: grace
steps:
  - id: pin
    create: .node-version
    content: "24"
  - id: ci
    title: Use it in CI
    run: curl -fsS https://nodejs.example/install.sh | sh
    allow: [shell-network-to-shell]
  - id: look
    gate: Does the canary still answer after an hour?
---

Node 20 ends in spring.
`

/** Plans: limits (approved), flags (completed after a failure, with an effect), node (proposed), and three small ones. */
export async function makeDemo(repo: TestRepo): Promise<void> {
  repo.write('README.md', '# Shop API\n')
  repo.write(
    'src/server.ts',
    "import { limitRequests } from './middleware.ts'\n\nconst middlewares = []\n\nserve(middlewares)\n",
  )
  repo.write('src/cart.ts', 'export const cart = { items: [] }\n')
  repo.write('src/legacy.ts', 'export const legacy = true\n')
  repo.write('src/old.test.ts', "test('the old checkout', () => {})\n")
  repo.write('src/checkout.ts', 'export const pay = (cart) => (flags.NEW_CHECKOUT ? charge(cart) : oldCharge(cart))\n')
  repo.commit('Shop')
  const propose = async (id: string, text: string, daysAgo: number): Promise<void> => {
    const date = new Date(Date.now() - daysAgo * 86_400_000).toISOString()
    const env = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
    const { code, all } = await repo.plan(['new', '--from', '-', '--id', id], { input: text, env })
    if (code !== 0) throw new Error(all)
  }
  const plan = async (args: readonly string[], codes: readonly number[] = [0]): Promise<void> => {
    const { code, all } = await repo.plan(args, { env: { FLAGS: repo.home, PAUSE: '0.01' } })
    if (!codes.includes(code)) throw new Error(`git plan ${args.join(' ')}: ${code}\n${all}`)
  }
  const small = (title: string, step: string): string =>
    `---\ntitle: ${title}\nsteps:\n  - id: only\n    ${step}\n---\n\nSmall.\n`
  await propose('sort-imports', small('Sort the imports', 'create: .imports\n    content: sorted'), 12)
  await plan(['start', 'sort-imports', '--approve'])
  await plan(['finish', 'sort-imports'])
  await propose('drop-legacy-api', small('Drop the legacy API', 'delete: src/legacy.ts'), 9)
  await plan(['reject', 'drop-legacy-api', '-m', 'Two partners still call it. Not before March.'])
  await propose('flags', flags, 3)
  await plan(['approve', 'flags'])
  await plan(['start', 'flags'], [1])
  await plan(['resume', 'flags', '--retry', 'code'], [1])
  repo.write('src/cart.ts', 'export const cart = { items: [], total: 0 }\n')
  await plan(['resume', 'flags', '--fix', '-m', 'the cart needs a total'])
  repo.git(['checkout', '-q', 'main'])
  await propose('node', upgrade, 1)
  await propose('index', small('Add an index for orders', 'run: echo "no such table orders" >&2; exit 1'), 0.2)
  await plan(['start', 'index', '--approve'], [1])
  repo.git(['checkout', '-q', 'main'])
  await propose('limits', limits, 0.1)
  await plan(['approve', 'limits', '-m', 'Agreed in the design meeting.'])
}
