// Bugs that the other tests of this directory must catch. `find` is code of `src`, wherever its lines are broken, and
// must occur exactly once; `replace` is the bug.

export interface Mutant {
  readonly name: string
  readonly bug: string
  /** Below test/faults. */
  readonly caughtBy: string
  /** The calls that it is about. */
  readonly calls?: string
  /** What that test must say: one that fails for another reason has caught nothing. */
  readonly says: RegExp
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[]
}

export const mutants: readonly Mutant[] = [
  {
    name: 'attempt-number-reused',
    bug: 'An attempt gets the number of the one before it.',
    caughtBy: 'sweep/resume.test.ts',
    calls: String.raw`^run `,
    says: /moved in the meantime|exists|converges:/,
    edits: [
      {
        file: 'src/engine/record/restore.ts',
        find: `nextNumber(attempts.get(step) ?? 0, (number) => attemptRef(id, step, number))`,
        replace: `Math.max(1, attempts.get(step) ?? 0, id.length * 0)`,
      },
    ],
  },
  {
    name: 'branch-before-flush',
    bug: 'A checkpoint moves the branch before the name of its pack is on disk.',
    caughtBy: 'power.test.ts',
    says: /was moved to \w+ before its name was synced/,
    edits: [{ file: 'src/git/write/object-store.ts', find: `syncNow(directory)`, replace: `` }],
  },
  {
    name: 'effect-without-its-ref',
    bug: 'An external effect begins before a ref says that it was intended.',
    caughtBy: 'sweep/start.test.ts',
    calls: String.raw`^run o .*paid`,
    says: /no ref says that it was intended|pay is called|has no recorded intent/,
    edits: [
      {
        file: 'src/engine/step/effects.ts',
        find: `const effect = await write(run, {
ref: effectRef(run.id, step, number),
number,
step,
state: 'intended',
tree,
parent: run.at.tip,
from: undefined,
reason: '',
})
await run.publish?.()
return effect`,
        replace: `return { ref: effectRef(run.id, step, number), number, oid: run.at.tip, tree, state: 'intended' }`,
      },
      {
        file: 'src/engine/step/effects.ts',
        find: `from: effect.oid,`,
        replace: `from: effect.state === 'intended' ? undefined : effect.oid,`,
      },
    ],
  },
  {
    name: 'gc-not-kept-away',
    bug: 'git gc may take what no ref names yet.',
    caughtBy: 'other-gc.test.ts',
    says: /git gc --prune=now in a loop/,
    edits: [
      { file: 'src/git/write/object-store.ts', find: `if (this.#depth > 0) {`, replace: `if (this.#depth < 0) {` },
    ],
  },
  {
    name: 'intent-after-the-command',
    bug: 'The intent of a step is not on disk when its command runs.',
    caughtBy: 'sweep/start.test.ts',
    calls: String.raw`^run o `,
    says: /converges: exit/,
    edits: [
      {
        file: 'src/engine/workspace/intent.ts',
        find: `if (!this.#dir.fill('intent.json', text)) await this.#dir.write('intent.json', text)`,
        replace: `if (intention.kind !== 'step' && !this.#dir.fill('intent.json', text)) await this.#dir.write('intent.json', text)`,
      },
    ],
  },
  {
    name: 'no-lock-check',
    bug: 'A plan that somebody holds is taken all the same.',
    caughtBy: 'races.test.ts',
    says: /of two executors at once|who comes while a step runs/,
    edits: [
      {
        file: 'src/engine/run/lock.ts',
        find: `seen.push({ number, holder, liveness: holder === undefined ? 'dead' : await livenessOf(holder) })`,
        replace: `seen.push({ number, holder, liveness: 'dead' })`,
      },
    ],
  },
  {
    name: 'no-old-value',
    bug: 'A ref is moved without the value that it must still have.',
    caughtBy: 'races.test.ts',
    says: /in the last moment is not overwritten/,
    edits: [
      {
        file: 'src/git/read/refs.ts',
        find: `to === undefined ? \`delete \${ref} \${from ?? zero}\` : from === undefined ? \`create \${ref} \${to}\` : \`update \${ref} \${to} \${from}\`,`,
        replace: `to === undefined ? \`delete \${ref} \${from ?? zero}\` : from === undefined ? \`create \${ref} \${to}\` : \`update \${ref} \${to}\`,`,
      },
    ],
  },
  {
    name: 'pack-without-fsync',
    bug: 'A pack appears under its name before its bytes are on disk.',
    caughtBy: 'power.test.ts',
    says: /before it was synced/,
    edits: [
      {
        file: 'src/git/write/pack-file.ts',
        find: `const synced = await Promise.allSettled(files.map((file) => syncFile(file)))
for (const each of synced) if (each.status === 'rejected') throw each.reason`,
        replace: ``,
      },
    ],
  },
  {
    name: 'refs-without-sync',
    bug: 'A ref that was moved is not on disk under its name when the tree is restored.',
    caughtBy: 'power.test.ts',
    says: /before the name .* was synced/,
    edits: [
      {
        file: 'src/git/repository.ts',
        find: `for (const directory of new Set(moves.map(({ ref }) => dirname(ref)))) this.#syncRefs(directory)`,
        replace: ``,
      },
    ],
  },
  {
    name: 'restore-without-saving',
    bug: 'What a failed attempt left is thrown away instead of saved.',
    caughtBy: 'sweep/start.test.ts',
    calls: String.raw`^refs g open .git/refs/heads`,
    says: /five.txt was not saved/,
    edits: [
      {
        file: 'src/engine/record/restore.ts',
        find: `await run.moveWithNote(note, [{ ref, from, to: oid }])`,
        replace: `await run.moveWithNote(note, [{ ref, from, to: run.at.tip }])`,
      },
    ],
  },
  {
    name: 'rollback-without-a-tag',
    bug: 'A rollback does not keep the tip that it leaves.',
    caughtBy: 'sweep/rollback.test.ts',
    calls: String.raw`^refs g rename`,
    says: /nothing is left under/,
    edits: [
      {
        file: 'src/engine/rollback/rollback.ts',
        find: `const keep = [{ ref, from: undefined, to: oid }]`,
        replace: `const keep = oid === ref ? [{ ref, from: undefined, to: oid }] : []`,
      },
    ],
  },
  {
    name: 'stale-locks-blindly',
    bug: 'Every lock file is taken for the remains of our own dead.',
    caughtBy: 'sweep/start.test.ts',
    calls: String.raw`^index g rename|^refs g rename`,
    says: /a foreign lock is gone/,
    edits: [
      {
        file: 'src/git/write/stale-locks.ts',
        find: `if (isBorn && !intent.locksBefore.includes(lock)) born.push(lock)`,
        replace: `if (isBorn || facts !== undefined) born.push(lock)`,
      },
    ],
  },
  {
    name: 'stash-without-untracked',
    bug: 'Files that git does not know are put aside without being saved.',
    caughtBy: 'sweep/start.test.ts',
    calls: String.raw`^restore s rename`,
    says: /files: mine\/untracked.txt/,
    edits: [
      {
        file: 'src/engine/switch/autostash.ts',
        find: `const stash = await saveStash(tree, scan, message)`,
        replace: `const stash = await saveStash(tree, { ...scan, untracked: [] }, message)`,
      },
    ],
  },
  {
    name: 'survivors-left-alive',
    bug: 'What a dead run left alive goes on beside the next one.',
    caughtBy: 'races.test.ts',
    says: /a command that outlived its executor/,
    edits: [{ file: 'src/engine/run/recover.ts', find: `await endSurvivors(run, intent)`, replace: `` }],
  },
  {
    name: 'switch-not-taken-back',
    bug: "After a kill in the switch to the plan, the user's changes are not brought back.",
    caughtBy: 'sweep/start.test.ts',
    calls: String.raw`^restore (g|s) `,
    says: /files:|converges:/,
    edits: [
      {
        file: 'src/engine/switch/enter-and-leave.ts',
        find: `await restoreAutostash(run)
await removeOrigin(run)
run.forgetWorkspace()`,
        replace: `await removeOrigin(run)
run.forgetWorkspace()`,
      },
    ],
  },
  {
    name: 'unknown-taken-for-failed',
    bug: 'An effect that may have happened is run again.',
    caughtBy: 'sweep/start.test.ts',
    calls: String.raw`effects/pay|^run s .*pay`,
    says: /another end|the outcome of effect 1 of pay is unknown/,
    edits: [
      {
        file: 'src/engine/schedule/settle-unknown.ts',
        find: `if (effect.state === 'failed' && (step.idempotent || step.probe !== undefined)) return`,
        replace: `if (effect.state === 'intended' || (effect.state === 'failed' && (step.idempotent || step.probe !== undefined))) return`,
      },
    ],
  },
]
