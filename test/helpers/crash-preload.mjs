// Loaded into the executor with NODE_OPTIONS=--import: counts what it does to the world (files written, renamed, removed; processes started; refs
// moved) and dies with SIGKILL at the one that CRASH_AT names. Every moment at which a crash can leave something half done can be reached so.

import cp from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { CRASH_AT, CRASH_MODE = 'before', CRASH_LOG } = process.env
if (CRASH_AT !== undefined && process.argv[1]?.endsWith('cli.cjs')) arm(Number(CRASH_AT))

function arm(at) {
  let count = 0
  const append = fs.appendFileSync
  const isNow = (what) => {
    count += 1
    if (CRASH_LOG !== undefined) append(CRASH_LOG, `${count} ${what}\n`)
    return count === at
  }
  /** `group`: with the child that it has just started, which may have a group of its own. Otherwise the executor alone, and the child goes on. */
  const die = (child) => {
    for (const pid of CRASH_MODE === 'group' && child?.pid !== undefined ? [-child.pid, child.pid, process.pid] : [process.pid]) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // No group of its own.
      }
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }

  for (const name of ['rename', 'unlink', 'link', 'writeFile', 'copyFile', 'rm', 'rmdir', 'symlink', 'open', 'cp']) {
    const original = fs.promises[name]
    fs.promises[name] = (...args) => {
      const isWriting = name !== 'open' || (args[1] !== 'r' && args[1] !== undefined)
      if (isWriting && isNow(`${name} ${args[0]}`)) die()
      return original(...args)
    }
  }

  const spawn = cp.spawn
  cp.spawn = (file, args, options) => {
    const words = (args ?? []).filter((arg, index, all) => arg !== '-c' && all[index - 1] !== '-c')
    const isNowHere = isNow(`spawn ${file} ${words.slice(0, 4).join(' ').slice(0, 100).replaceAll('\n', ' ')}`)
    if (isNowHere && CRASH_MODE === 'before') die()
    const child = spawn(file, args, options)
    if (isNowHere) die(child)
    if (words[0] === 'update-ref') watchTransactions(child)
    return child
  }

  /** A transaction is a moment of its own: before it, or with its locks taken (`group`), or done and not yet heard of (`alone`). */
  function watchTransactions(child) {
    const write = child.stdin.write.bind(child.stdin)
    child.stdin.write = (text, ...rest) => {
      if (!isNow(`transaction ${String(text).split('\n')[1]}`)) return write(text, ...rest)
      if (CRASH_MODE === 'before') die()
      const [sent, heard] = CRASH_MODE === 'group' ? [String(text).replace('commit\n', ''), 'prepare: ok'] : [text, 'commit: ok']
      child.stdout.removeAllListeners('data')
      child.stdout.on('data', (chunk) => {
        if (chunk.toString().includes(heard)) die(child)
      })
      return write(sent)
    }
  }
  syncBuiltinESMExports()
}
