// The benchmark of fleets: `npm run bench:fleet`. The same change in many repositories on this disk, by one, two and four
// workers: with the engine in memory, with BullMQ on Redis, and with `xargs -P` of raw Git and of `git plan`.

import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cli, Place } from './place.mjs'

const { values } = parseArgs({
  options: {
    repositories: { type: 'string', default: '200' },
    'slow-repositories': { type: 'string', default: '40' },
    workers: { type: 'string', default: '1,2,4' },
    only: { type: 'string', default: '' },
  },
})
const workers = values.workers.split(',').map(Number)
const forms = {
  'step of 0 s': { repositories: Number(values.repositories), seconds: 0, workers },
  'step of 3 s': { repositories: Number(values['slow-repositories']), seconds: 3, workers },
}

const place = new Place()
const remotes = join(place.top, 'remotes')
const list = join(place.top, 'repositories.txt')
const planFile = join(place.top, 'change.md')
const scripts = join(place.top, 'scripts')
let addresses = []

function git(args, cwd = place.top) {
  const { status, stderr } = spawnSync('git', args, { cwd, env: place.env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
}

function makeSeed() {
  const work = join(place.top, 'work')
  mkdirSync(scripts)
  git(['init', '--quiet', '--initial-branch', 'main', work])
  for (let at = 0; at < 20; at += 1) writeFileSync(join(work, `file-${at}.txt`), `${at}\n`.repeat(50))
  git(['add', '--all'], work)
  git(['commit', '--quiet', '--message', 'First'], work)
  git(['clone', '--quiet', '--bare', work, join(place.top, 'seed.git')])
  writeFileSync(
    join(scripts, 'raw.sh'),
    'set -e\nmkdir -p "$CLONES"; cd "$CLONES"; name=$(basename "$1")\ngit clone --quiet "$1" "$name"; cd "$name"\n' +
      'git checkout --quiet -b change\nsleep $SECONDS_OF_STEP; echo changed > changed.txt\n' +
      'git add --all; git commit --quiet --message Change; git push --quiet origin change\n',
  )
  writeFileSync(
    join(scripts, 'plan.sh'),
    'set -e\nmkdir -p "$CLONES"; cd "$CLONES"; name=$(basename "$1")\ngit clone --quiet "$1" "$name"; cd "$name"\n' +
      `${process.execPath} ${cli} start ${planFile} --approve --push=ends --no-input > /dev/null\n`,
  )
}

/** Fresh repositories, and nothing left of the run before. */
function reset({ repositories, seconds }) {
  for (const name of ['remotes', 'clones', 'state']) rmSync(join(place.top, name), { recursive: true, force: true })
  mkdirSync(remotes)
  addresses = Array.from({ length: repositories }, (_, at) => join(remotes, `r${at}.git`))
  for (const address of addresses) cpSync(join(place.top, 'seed.git'), address, { recursive: true })
  writeFileSync(list, addresses.map((address) => `${address}\n`).join(''))
  writeFileSync(
    planFile,
    `---\ntitle: Change\nsteps:\n  - id: change\n    run: sleep ${seconds}; echo changed > changed.txt\n---\n`,
  )
  spawnSync('sync')
}

function expectAll(branch, subject) {
  for (const address of addresses) {
    const { stdout } = spawnSync('git', ['log', '-1', '--format=%s', branch], { cwd: address, encoding: 'utf8' })
    if (stdout.trim() !== subject) throw new Error(`${branch} of ${address} ends with ${JSON.stringify(stdout.trim())}`)
  }
}

const state = () => ({ XDG_STATE_HOME: join(place.top, 'state') })

const withXargs = (script, branch, subject) => ({
  run({ seconds }, width) {
    const env = { CLONES: join(place.top, 'clones'), SECONDS_OF_STEP: String(seconds) }
    const { ms } = place.time('sh', ['-c', `xargs -P ${width} -I{} sh ${join(scripts, script)} {} < ${list}`], { env })
    expectAll(branch, subject)
    return ms
  },
})

const embedded = {
  run(_, width) {
    const { ms } = place.plan(['fleet', 'run', list, planFile, '--approve', '-j', String(width)], { env: state() })
    expectAll('plan/change', 'Completed: Change')
    return ms
  },
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

const bullmq = {
  async run(_, width) {
    const port = await freePort()
    const address = `redis://127.0.0.1:${port}`
    const options = { cwd: place.top, env: { ...place.env, ...state() }, stdio: 'ignore' }
    const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], options)
    await sleep(1000)
    const control = join(place.top, 'state', 'control.git')
    git(['init', '--quiet', '--bare', control])
    // They wait for the campaign, as workers do.
    const started = Array.from({ length: width }, () =>
      spawn(process.execPath, [cli, 'fleet', 'work', address, '-j', '1', '--control', control], options),
    )
    try {
      const args = ['fleet', 'run', list, planFile, '--approve', '--engine', address, '--control', control]
      const { ms } = place.plan(args, { env: state() })
      expectAll('plan/change', 'Completed: Change')
      return ms
    } finally {
      for (const each of [...started, redis]) {
        each.kill('SIGTERM')
        await new Promise((resolve) => (each.exitCode === null ? each.once('exit', resolve) : resolve()))
      }
    }
  },
}

const ways = {
  '`xargs -P` of raw Git': withXargs('raw.sh', 'change', 'Change'),
  '`xargs -P` of `git plan start`': withXargs('plan.sh', 'plan/change', 'Completed: Change'),
  '`git plan fleet`, in memory': embedded,
  '`git plan fleet`, BullMQ on Redis': bullmq,
}

try {
  makeSeed()
  const rows = []
  for (const [form, size] of Object.entries(forms)) {
    if (size.repositories === 0) continue
    for (const [name, way] of Object.entries(ways)) {
      if (!name.includes(values.only)) continue
      const cells = []
      for (const width of size.workers) {
        reset(size)
        const ms = await way.run(size, width)
        cells.push(ms)
        process.stderr.write(`${form}, ${name}, ${width}: ${(ms / 1000).toFixed(1)} s\n`)
      }
      rows.push([`${size.repositories} repositories, ${form}`, name, ...cells.map((ms) => (ms / 1000).toFixed(1))])
    }
  }
  const head = ['', 'by', ...workers.map((count) => (count === 1 ? '1 worker, s' : `${count} workers, s`))]
  const line = (cells) => `| ${cells.join(' | ')} |\n`
  process.stdout.write(line(head) + line(head.map((_, at) => (at < 2 ? '---' : '---:'))) + rows.map(line).join(''))
} finally {
  place.remove()
}
