// Finds where one of many short texts may begin, at the speed of memory: the search of Wu and Manber over pairs of bytes. Case does not matter here; who finds looks closer.

/** What is looked at of each text. With less the search would not jump as far. */
const size = 4

/** Upper case, and some other bytes, become one with lower case. Two different bytes that become the same cost a closer look, and nothing else. */
const folded = (text: string, at: number): number => (text.charCodeAt(at) & 0xff) | 0x20

export class AnchorScan<T> {
  /** For the pair of bytes at the end of a window: how far the window can move on. 0: it may hold an anchor. */
  readonly #jump = new Uint8Array(0x10000).fill(size - 1)
  readonly #isStart = new Uint8Array(0x10000)
  readonly #found = new Map<number, T[]>()
  /** By the last three of the four bytes: what has no more than three. */
  readonly #short = new Map<number, T[]>()

  constructor(entries: Iterable<readonly [text: string, value: T]>) {
    for (const [text, value] of entries) this.#add(text, value)
  }

  #add(text: string, value: T): void {
    if (text.length < size - 1) throw new Error(`an anchor needs ${size - 1} characters: ${text}`)
    const isShort = text.length < size
    // Where a byte more is looked at, the anchor is one place further on.
    const [first, second, third, fourth] = isShort
      ? [0, folded(text, 0), folded(text, 1), folded(text, 2)]
      : [folded(text, 0), folded(text, 1), folded(text, 2), folded(text, 3)]
    for (let before = isShort ? 0 : first; before <= (isShort ? 255 : first); before += 1) {
      const pair = (before << 8) | second
      this.#jump[pair] = Math.min(this.#jump[pair]!, 2)
      this.#isStart[pair] = 1
    }
    this.#jump[(second << 8) | third] = Math.min(this.#jump[(second << 8) | third]!, 1)
    this.#jump[(third << 8) | fourth] = 0
    const [table, key] = isShort
      ? [this.#short, (second << 16) | (third << 8) | fourth]
      : [this.#found, ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0]
    const others = table.get(key)
    if (others === undefined) table.set(key, [value])
    else others.push(value)
  }

  /** The first place at or after `from` where the first four bytes of an anchor are, or one of three with the byte before it; or -1. */
  next(bytes: Uint8Array, from: number): number {
    const jump = this.#jump
    const isStart = this.#isStart
    const { length } = bytes
    for (let at = from + size - 1; at < length;) {
      const step = jump[(bytes[at - 1]! << 8) | bytes[at]! | 0x2020]!
      if (step !== 0) {
        at += step
        continue
      }
      if (isStart[(bytes[at - 3]! << 8) | bytes[at - 2]! | 0x2020] === 1 && this.at(bytes, at - 3) !== undefined) return at - 3
      at += 1
    }
    return -1
  }

  /** What may begin at a place; what has three bytes, one further on. */
  at(bytes: Uint8Array, at: number): readonly T[] | undefined {
    const key = ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]! | 0x20202020) >>> 0
    const found = this.#found.get(key)
    const short = this.#short.get(key & 0xffffff)
    return found !== undefined && short !== undefined ? [...found, ...short] : (found ?? short)
  }
}

/** Whether `text` is at a place, whatever its case. */
export function isAt(bytes: Uint8Array, text: string, at: number): boolean {
  if (at + text.length > bytes.length) return false
  for (let index = 0; index < text.length; index += 1) if ((bytes[at + index]! | 0x20) !== folded(text, index)) return false
  return true
}
