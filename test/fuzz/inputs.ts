// Input number n of a seed: always the same one.

import fc from 'fast-check'
import { block, key, line, scalar } from '../helpers/yaml-pieces.ts'
import { gentleMutations, largeMutations, mutations, spoilBytes } from './mutations.ts'
import { Random } from './random.ts'
import type { Seeds } from './seeds.ts'

export const kinds = ['mutated plan', 'generated plan', 'configuration'] as const
export type Kind = (typeof kinds)[number]

export interface Input {
  readonly kind: Kind
  readonly bytes: Uint8Array
}

const gentle = Object.values(gentleMutations)
const small = [...gentle, ...Object.values(mutations)]
const large = Object.values(largeMutations)

/** Numbers go round by sevens: five mutated plans, a generated one, a configuration. */
export class Inputs {
  readonly #seeds: Seeds
  readonly #seed: number
  readonly #generated = new Map<number, readonly string[]>()

  constructor(seeds: Seeds, seed: number) {
    this.#seeds = seeds
    this.#seed = seed
  }

  at(n: number): Input {
    const random = new Random(this.#seed, n)
    const turn = n % 7
    if (turn < 5) return { kind: 'mutated plan', bytes: mutated(this.#seeds.plans, random) }
    if (turn === 5) return { kind: 'generated plan', bytes: Buffer.from(this.#document(Math.floor(n / 7))) }
    return { kind: 'configuration', bytes: mutated(this.#seeds.configs, random) }
  }

  /** fast-check gives a hundred for little more than the cost of one. */
  #document(n: number): string {
    const batch = Math.floor(n / 100)
    if (!this.#generated.has(batch)) {
      this.#generated.clear()
      this.#generated.set(batch, fc.sample(document, { seed: this.#seed * 1_000_003 + batch, numRuns: 100 }))
    }
    return this.#generated.get(batch)![n % 100]!
  }
}

function mutated(seeds: readonly string[], random: Random): Uint8Array {
  // The first ones are whole and hold every key; the others are many and short, and most are wrong already.
  const seed = (): string =>
    random.below(4) > 0 ? seeds[random.below(Math.min(16, seeds.length))]! : random.from(seeds)
  let text = seed()
  // A file with one thing wrong gets further than one with many.
  for (let left = random.upTo(8); left >= 1; left -= 1)
    text = (random.below(3) > 0 ? random.from(gentle) : random.from(small))(text, random, seed())
  if (random.below(150) === 0) text = random.from(large)(text, random, seed())
  const bytes = Buffer.from(text)
  return random.below(20) === 0 ? spoilBytes(bytes, random) : bytes
}

const step = fc
  .tuple(
    fc.constantFrom('run: a', 'create: x\ncontent: a', 'edit: x\nappend: a', 'delete: x', 'move: x\nto: y', 'gate: a'),
    fc.array(fc.tuple(key, scalar), { maxLength: 2 }),
  )
  .map(
    ([verb, more]) =>
      `  - ${[...verb.split('\n'), ...more.map(([name, value]) => `${name}: ${value}`)].join('\n    ')}\n`,
  )
const lines = fc.array(line, { maxLength: 12 }).map((all) => `${all.join('\n')}\n`)
const matter = fc.oneof(
  block(3, ''),
  lines,
  fc
    .tuple(fc.oneof(fc.constant(''), lines, block(1, '')), fc.array(step, { maxLength: 4 }))
    .map(([top, steps]) => `${top}steps:\n${steps.join('')}`),
  // Any value at all, as YAML has it in braces.
  fc.jsonValue({ maxDepth: 8 }).map((value) => `${JSON.stringify(value)}\n`),
  fc
    .jsonValue({ maxDepth: 4 })
    .map((value) => `steps: ${JSON.stringify([value])}\nmeta: ${JSON.stringify({ value })}\n`),
  fc.array(fc.nat(0xd7ff), { maxLength: 200 }).map((codes) => String.fromCodePoint(...codes)),
)
const document = fc.tuple(matter, fc.string({ maxLength: 20 })).map(([front, prose]) => `---\n${front}---\n${prose}`)
