// SHA-256 of short text, as `node:crypto` gives it, which takes longer to load than a small command does with a plan. A test holds one against the other.

const constants = new Uint32Array(64)
const initial = new Uint32Array(8)

/** The first 32 bits of the roots of the first primes, behind the point. */
function fill(): void {
  const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32)
  for (let candidate = 2, found = 0; found < 64; candidate++) {
    let divisor = 2
    while (divisor * divisor <= candidate && candidate % divisor !== 0) divisor++
    if (divisor * divisor <= candidate) continue
    if (found < 8) initial[found] = fraction(Math.sqrt(candidate))
    constants[found++] = fraction(Math.cbrt(candidate))
  }
}

export function sha256(bytes: Uint8Array): string {
  if (initial[0] === 0) fill()
  const padded = new Uint8Array((((bytes.length + 8) >>> 6) + 1) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(padded.length - 4, bytes.length << 3)
  const state = Uint32Array.from(initial)
  const words = new Uint32Array(64)
  for (let block = 0; block < padded.length; block += 64) {
    for (let at = 0; at < 16; at++) words[at] = view.getUint32(block + at * 4)
    for (let at = 16; at < 64; at++) {
      const a = words[at - 15]!
      const b = words[at - 2]!
      words[at] = words[at - 16]! + (turned(a, 7) ^ turned(a, 18) ^ (a >>> 3)) + words[at - 7]! + (turned(b, 17) ^ turned(b, 19) ^ (b >>> 10))
    }
    compress(state, words)
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

function compress(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let at = 0; at < 64; at++) {
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + constants[at]! + words[at]!) | 0
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at]! += word
}
