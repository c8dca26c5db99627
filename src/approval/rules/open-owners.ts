// Owners whose approval is still missing.

export interface OwnedPath {
  readonly path: string
  /** The approval of one of them is enough. */
  readonly owners: readonly string[]
}

/** Returns one text per set of owners of whom nobody has approved. */
export function openOwners(owned: readonly OwnedPath[], hasAgreed: (owner: string) => boolean): string[] {
  const open = new Map<string, string>()
  for (const { path, owners } of owned)
    if (!owners.some(hasAgreed)) open.set(owners.join(' or '), open.get(owners.join(' or ')) ?? path)
  return [...open].map(([owners, path]) => `an approval by ${owners}, owner of ${path}`)
}
