// A smaller input with which the same promise is broken: pieces are left out, halves first, for as long as that helps.

export async function shrink(
  bytes: Uint8Array,
  isStillBad: (bytes: Uint8Array) => Promise<boolean>,
  tries = 400,
): Promise<Uint8Array> {
  let best = bytes
  let left = tries
  for (let size = Math.ceil(best.length / 2); size >= 1 && left > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.length && left > 0; left -= 1) {
      const less = Buffer.concat([best.subarray(0, at), best.subarray(at + size)])
      if (less.length < best.length && (await isStillBad(less))) best = less
      else at += size
    }
  }
  return best
}
