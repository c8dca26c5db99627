// `git plan report --html`: one page that needs nothing else.

import { expect } from 'vitest'
import { reportPage, type ReportPage } from '../../src/view/html/report-page.ts'
import type { ReportData } from '../../src/view/report-data.ts'
import { planText, test } from '../helpers/repo.ts'

const hostile = '<script>alert(1)</script><img src=x onerror="alert(1)">'

test('the page has the graph, the diffs and the checks, and nothing of a plan becomes HTML', async ({ repo }) => {
  repo.write(
    '../p.md',
    `${planText(
      [
        `  - {id: one, title: '${hostile}', needs: [], create: "<b>.txt", content: '${hostile}'}`,
        `  - {id: two, needs: [one], run: "printf '%s\\n' \\"$EVIL\\" >> a.txt", verify: ['test -e "<b>.txt"']}`,
        '  - {id: three, needs: [two], run: "exit 3"}',
      ].join('\n'),
      `title: '${hostile}'\n`,
    )}\n${hostile}\n`,
  )
  const env = { EVIL: `\u202e${hostile}\u001b[31m` }
  expect((await repo.plan(['start', '../p.md', '--approve'], { env })).code).toBe(1)
  const id = repo.git(['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/heads/plan'])
  const written = await repo.plan(['report', id, '--html', '-o', '../report.html'])
  expect(written.stdout).toBe('Wrote ../report.html\n')
  const page = repo.read('../report.html')
  // Nothing that runs, nothing from elsewhere, nothing hidden.
  expect(page).not.toMatch(
    /<script|<img|<b>|<link|<iframe|\son\w+="|(?:src|href)="(?!#step-)|url\(|@import|[\u202e\u001b]/,
  )
  expect(page).toContain("default-src 'none'")
  expect(page.match(/&lt;script&gt;alert\(1\)/g)?.length).toBeGreaterThan(5)
  expect(page).toContain('\\u{202e}')
  // The graph, a diff with its file, a check that held, and the failure.
  expect(page).toMatch(/<svg\s+class="graph"/)
  expect(page.match(/<path class="edge/g)).toHaveLength(2)
  expect(page).toContain('<code>&lt;b&gt;.txt</code>')
  expect(page).toContain('<span class="added">+')
  expect(page).toMatch(/class="held"\s*>held</)
  expect(page).toContain('<p class="error">exit code 3</p>')
  expect(page).toMatch(/prefers-color-scheme:dark[\s\S]*@media print/)
  // An existing file stays.
  const again = await repo.plan(['report', id, '--html', '-o', '../report.html'])
  expect([again.code, again.stderr]).toEqual([
    2,
    `git plan: ../report.html already exists\nHint: git plan report ${id} --html\n`,
  ])
  expect((await repo.plan(['report', id, '--html'])).stdout).toBe(page)
  expect((await repo.plan(['report', id, '-o', '../x.md'])).code).toBe(2)
})

test('secrets of a step are masked in its diff', async ({ repo }) => {
  const token = 'hunter2-hunter2-hunter2'
  repo.write('../p.md', planText('  - {id: one, run: "echo $TOKEN > t.txt", secrets: [TOKEN]}'))
  await repo.plan(['start', '../p.md', '--approve'], { env: { TOKEN: token } })
  const { stdout } = await repo.plan(['report', 'p', '--html'], { env: { TOKEN: token } })
  expect(stdout).not.toContain(token)
})

test('a thousand steps are a page of a sensible size', async ({ repo }) => {
  repo.write('../p.md', planText('  - {id: s, run: "true"}'))
  await repo.plan(['start', '../p.md', '--approve'])
  const data = JSON.parse((await repo.plan(['report', 'p', '--json'])).stdout) as ReportData
  const [first] = data.plan.steps
  const steps = Array.from({ length: 1000 }, (_, at) => ({
    ...first!,
    id: `s${at}`,
    wave: Math.floor(at / 7),
    needs: at === 0 ? [] : [`s${at - 1}`],
  }))
  const page: ReportPage = { ...data, plan: { ...data.plan, steps }, prose: '', diffs: new Map() }
  const text = reportPage(page)
  expect(text.match(/<article class="step"/g)).toHaveLength(1000)
  expect(text.length).toBeLessThan(2_000_000)
})
