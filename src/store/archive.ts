// Plans that are out of the way: a tag says that the plan was archived, and the next one that it no longer is. They are
// numbered like other records, so that two clones which do both keep both.

import { instantOf, parsePerson } from '../git/write/commit.ts'
import type { Ref, Repository } from '../git/repository.ts'
import { ObjectWriter } from '../git/write/objects.ts'
import { archiveRefs, type Oid, type PlanId } from '../plan/model/ids.ts'
import { nextNumber, numberedRefs } from '../plan/record/numbered-refs.ts'
import { formatMessage, parseMessage } from '../plan/record/trailers.ts'

export interface Archived {
  readonly at: string
  readonly by: string
  readonly reason: string | null
}

/** undefined: the plan is not archived, or has moved since, because a rollback has reopened it. */
export async function readArchived(
  repo: Repository,
  id: PlanId,
  { refs, tip }: { readonly refs: readonly Ref[]; readonly tip: string | undefined },
): Promise<Archived | undefined> {
  const newest = numberedRefs(id, refs)
    .filter(({ kind }) => kind === 'archive')
    .toSorted((a, b) => b.number - a.number)[0]
  const tag = newest === undefined ? undefined : await repo.readObject(newest.ref.oid)
  if (tag?.type !== 'tag') return undefined
  const text = tag.bytes.toString()
  const split = text.indexOf('\n\n')
  const { trailers } = parseMessage(text.slice(split + 2))
  if (trailers.get('Plan-Event') !== 'archived' || /^object (\S+)$/m.exec(text)?.[1] !== tip) return undefined
  const tagger = parsePerson(/^tagger (.*)$/m.exec(text.slice(0, split))?.[1] ?? '')
  return {
    at: instantOf(tagger),
    by: `${tagger.name} <${tagger.email}>`,
    reason: trailers.get('Plan-Reason') ?? null,
  }
}

export async function writeArchived(
  repo: Repository,
  id: PlanId,
  {
    tip,
    event,
    reason,
  }: { readonly tip: Oid; readonly event: 'archived' | 'unarchived'; readonly reason: string | undefined },
): Promise<string> {
  const prefix = archiveRefs(id)
  const numbers = numberedRefs(id, await repo.refs(prefix)).map(({ number }) => number)
  const ref = `${prefix}${nextNumber(Math.max(0, ...numbers), (highest) => `${prefix}${highest}`)}`
  const objects = new ObjectWriter(repo)
  const message = formatMessage({
    subject: `${event} ${id}`,
    trailers: [
      ['Plan-Id', id],
      ['Plan-Event', event],
      ...(reason === undefined ? [] : [['Plan-Reason', reason] as const]),
    ],
  })
  await repo.store.withKeptObjects(async () => {
    const oid = await objects.tag({
      object: tip,
      name: `plan-${id}-${event}-${numbers.length + 1}`,
      message,
      tagger: await objects.committer(),
    })
    await objects.flush()
    await repo.moveRefs([{ ref, from: undefined, to: oid }])
  })
  return ref
}
