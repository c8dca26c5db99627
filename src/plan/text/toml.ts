// Reads TOML. Loaded where there is any.

/** Rejects with a message that has line and column. */
export async function readToml(text: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse } = await import('smol-toml')
  return parse(text)
}
