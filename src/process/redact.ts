// Masks secret values in a stream, also where a value is split over two chunks or written in base64 or as part of a URL.

const mask = Buffer.from('[secret]')

export class Redactor {
  readonly #needles: readonly Buffer[]
  readonly #longest: number
  #held: Buffer = Buffer.alloc(0)

  constructor(values: readonly string[]) {
    const needles = new Map<string, Buffer>()
    for (const value of values.filter((each) => each.length >= 4)) {
      for (const form of formsOf(value)) needles.set(form, Buffer.from(form))
    }
    // Longest first, so that a secret that contains another is masked whole.
    this.#needles = [...needles.values()].toSorted((a, b) => b.length - a.length)
    this.#longest = this.#needles[0]?.length ?? 0
  }

  /** What is safe to show now; the end is held back while it may be the beginning of a secret. */
  push(chunk: Uint8Array): Buffer {
    if (this.#longest === 0) return Buffer.from(chunk)
    const { text, open } = this.#mask(Buffer.concat([this.#held, chunk]))
    this.#held = text.subarray(open)
    return text.subarray(0, open)
  }

  end(): Buffer {
    const { text } = this.#mask(this.#held)
    this.#held = Buffer.alloc(0)
    return text
  }

  text(value: string): string {
    return this.#longest === 0 ? value : this.#mask(Buffer.from(value)).text.toString()
  }

  #mask(bytes: Buffer): { text: Buffer; open: number } {
    const parts: Buffer[] = []
    let from = 0
    let length = 0
    for (let at = 0; at < bytes.length;) {
      const needle = this.#needles.find((each) => each[0] === bytes[at] && bytes.subarray(at, at + each.length).equals(each))
      if (needle === undefined) {
        at += 1
        continue
      }
      parts.push(bytes.subarray(from, at), mask)
      length += at - from + mask.length
      at += needle.length
      from = at
    }
    const rest = bytes.subarray(from)
    parts.push(rest)
    return { text: Buffer.concat(parts), open: length + this.#firstOpen(rest) }
  }

  #firstOpen(rest: Buffer): number {
    for (let at = Math.max(0, rest.length - this.#longest + 1); at < rest.length; at += 1) {
      const tail = rest.subarray(at)
      if (this.#needles.some((needle) => needle.length > tail.length && needle.subarray(0, tail.length).equals(tail))) return at
    }
    return rest.length
  }
}

function formsOf(value: string): string[] {
  const encoded = Buffer.from(value).toString('base64')
  // The last characters of base64 depend on what follows the value: leave them out.
  const stable = encoded.replace(/=+$/, '').slice(0, -1)
  return [value, encodeURIComponent(value), ...(stable.length >= 6 ? [encoded, stable] : [])]
}
