// SHA-1 of a short text, as `node:crypto` gives it, which takes longer to load than a small command does with a plan. A test holds one against the other.

const words = new Int32Array(80)

export function sha1(bytes: Uint8Array): string {
  const padded = new Uint8Array((((bytes.length + 8) >>> 6) + 1) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(padded.length - 4, bytes.length << 3)
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
  for (let block = 0; block < padded.length; block += 64) {
    for (let at = 0; at < 16; at++) words[at] = view.getInt32(block + at * 4)
    for (let at = 16; at < 80; at++) words[at] = turned(words[at - 3]! ^ words[at - 8]! ^ words[at - 14]! ^ words[at - 16]!, 1)
    compress(state)
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

const turned = (word: number, by: number): number => (word << by) | (word >>> (32 - by))

function compress(state: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state
  for (let at = 0; at < 80; at++) {
    let mixed = (b ^ c ^ d) + (at < 40 ? 0x6ed9eba1 : 0xca62c1d6)
    if (at < 20) mixed = ((b & c) | (~b & d)) + 0x5a827999
    else if (at >= 40 && at < 60) mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
    const next = (turned(a, 5) + mixed + e + words[at]!) | 0
    e = d
    d = c
    c = turned(b, 30)
    b = a
    a = next
  }
  for (const [at, word] of [a, b, c, d, e].entries()) state[at]! += word
}
