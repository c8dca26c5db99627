// SHA-1 of a short text, as `node:crypto` gives it, which takes longer to load than a small command does with a plan. A test holds one against the other.

const words = new Int32Array(80)

/** Written out, without a function for what is done again and again: it runs too seldom to be compiled. */
export function sha1(bytes: Uint8Array): string {
  const padded = Buffer.alloc((((bytes.length + 8) >>> 6) + 1) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  padded.writeUInt32BE(bytes.length * 8, padded.length - 4)
  let [one, two, three, four, five] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
  for (let block = 0; block < padded.length; block += 64) {
    let [a, b, c, d, e] = [one, two, three, four, five]
    for (let at = 0; at < 80; at++) {
      let word: number
      if (at < 16) word = padded.readInt32BE(block + at * 4)
      else {
        word = words[at - 3]! ^ words[at - 8]! ^ words[at - 14]! ^ words[at - 16]!
        word = (word << 1) | (word >>> 31)
      }
      words[at] = word
      let next = word + e + ((a << 5) | (a >>> 27))
      if (at < 20) next += ((b & c) | (~b & d)) + 0x5a827999
      else if (at < 40) next += (b ^ c ^ d) + 0x6ed9eba1
      else if (at < 60) next += ((b & c) | (d & (b | c))) + 0x8f1bbcdc
      else next += (b ^ c ^ d) + 0xca62c1d6
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next | 0
    }
    one = (one + a) | 0
    two = (two + b) | 0
    three = (three + c) | 0
    four = (four + d) | 0
    five = (five + e) | 0
  }
  return [one, two, three, four, five].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}
