// Owners of whom nobody has agreed yet.

export interface OwnedPath {
  readonly path: string
  /** One of them is enough. */
  readonly owners: readonly string[]
}

/** In words, for each set of owners of which nobody has agreed. */
export function openOwners(owned: readonly OwnedPath[], hasAgreed: (owner: string) => boolean): string[] {
  const open = new Map<string, string>()
  for (const { path, owners } of owned)
    if (!owners.some(hasAgreed)) open.set(owners.join(' or '), open.get(owners.join(' or ')) ?? path)
  return [...open].map(([owners, path]) => `an approval by ${owners}, owner of ${path}`)
}
