// The proof that a campaign was approved for one repository: the signed commit of the campaign, which names the root of
// the manifest, the line of this repository, and the hashes that lead from the line to the root. A repository learns
// nothing about the other lines. Pure: store/campaign-approval.ts verifies the signature.

import { digestOf } from '../../plan/file/digest.ts'

/** One target of a campaign. */
export interface ManifestLine {
  readonly address: string
  readonly base: string
  /** Of the text of the plan there. */
  readonly digest: string
  /** `NAME=VALUE` */
  readonly params: readonly string[]
}

export interface CampaignProof {
  /** The bytes of the approving commit in the control repository, in base64. */
  readonly commit: string
  readonly line: string
  /** From the line up: each hash with the side on which it stands. */
  readonly path: readonly string[]
}

export const formatLine = ({ address, base, digest, params }: ManifestLine): string =>
  [address, base, digest, JSON.stringify(params)].join('\t')

/** undefined: not a line of a manifest. */
export function parseLine(line: string): ManifestLine | undefined {
  const [address = '', base = '', digest = '', text = '', ...more] = line.split('\t')
  const params = parseJson(text)
  const isLine =
    more.length === 0 &&
    isAddress(address) &&
    /^[^\s~^:?*[\\]{1,250}$/.test(base) &&
    /^[0-9a-f]{64}$/.test(digest) &&
    isTexts(params)
  return isLine ? { address, base, digest, params } : undefined
}

/** An address that Git may be given: no option, no command such as `ext::`, and no password, since everybody reads it. */
export const isAddress = (text: string): boolean =>
  text.length <= 1000 &&
  // oxlint-disable-next-line no-control-regex -- an address holds no control characters
  !/[\s\u0000-\u001f\u007f]/.test(text) &&
  withoutPassword(text) === text &&
  (/^(https?|ssh|git|file):\/\/(?![^/]*@-)[^-]/.test(text) ||
    /^\/[^\s]/.test(text) ||
    /^(\w[\w.+-]*@)?[A-Za-z0-9][\w.-]*:(?!:|\/\/)[^-]/.test(text))

/** In an address of HTTP also without the user: its name may be a token. Git asks the credential helpers. */
export const withoutPassword = (address: string): string =>
  address.replace(/^(https?:\/\/)[^/]*@/, '$1').replace(/^(\w+:\/\/[^/:@]*):[^/]*@/, '$1@')

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// A leaf and a node never hash to the same value, so that no inner hash can be presented as a line.
const leaf = (line: string): string => digestOf(`line\n${line}\n`)
const node = (left: string, right: string): string => digestOf(`node\n${left}\n${right}\n`)

/** The hash that stands for all lines, in their order. */
export const manifestRoot = (lines: readonly string[]): string => levelsOf(lines).at(-1)?.[0] ?? leaf('')

export function pathTo(lines: readonly string[], index: number): string[] {
  const path: string[] = []
  let at = index
  for (const level of levelsOf(lines).slice(0, -1)) {
    const beside = level[at ^ 1]
    // The last of an odd number moves up as it is.
    if (beside !== undefined) path.push(`${at % 2 === 0 ? 'R' : 'L'}${beside}`)
    at >>= 1
  }
  return path
}

function levelsOf(lines: readonly string[]): string[][] {
  const levels = [lines.map(leaf)]
  for (let level = levels[0] ?? []; level.length > 1;) {
    const next: string[] = []
    for (let at = 0; at < level.length; at += 2) {
      const [left = '', right] = [level[at], level[at + 1]]
      next.push(right === undefined ? left : node(left, right))
    }
    levels.push(next)
    level = next
  }
  return levels
}

/** undefined: not such a path. */
export function rootFrom({ line, path }: Pick<CampaignProof, 'line' | 'path'>): string | undefined {
  if (path.length > 40 || path.some((each) => !/^[LR][0-9a-f]{64}$/.test(each))) return undefined
  let hash = leaf(line)
  for (const each of path) hash = each.startsWith('R') ? node(hash, each.slice(1)) : node(each.slice(1), hash)
  return hash
}

/** As it stands in a trailer. */
export const encodeProof = ({ commit, line, path }: CampaignProof): string =>
  Buffer.from(JSON.stringify({ commit, line, path })).toString('base64')

const mostProof = 64 * 1024

export function decodeProof(text: string): CampaignProof | undefined {
  if (text.length > mostProof) return undefined
  const value = parseJson(Buffer.from(text, 'base64').toString()) as Partial<Record<string, unknown>> | null | undefined
  const { commit, line, path } = value ?? {}
  return typeof commit === 'string' && typeof line === 'string' && isTexts(path) ? { commit, line, path } : undefined
}

/**
 * A repository by its address, whichever of its forms: `git@host:a/b.git`, `https://host/a/b` and `ssh://git@host/a/b` are
 * the same. Other users of SSH have other directories, and there `host:a` is not `host:/a`.
 */
export function canonicalAddress(address: string): string {
  const [, scheme, user = '', host = '', path = ''] = /^(\w+):\/\/(?:([^@/]*)@)?([^/]*)\/(.*)$/.exec(address) ?? []
  const [, login = '', name = '', place = ''] =
    (scheme === undefined ? /^(?:([\w.+-]+)@)?([A-Za-z0-9][\w.-]*):(?!\/\/)(.*)$/.exec(address) : null) ?? []
  if (scheme === undefined && name === '') return `/${trimmed(address)}`
  if (scheme === 'file') return `${host === '' ? '' : `file:${host}`}/${trimmed(path)}`
  const isPerson = scheme === undefined ? !['', 'git'].includes(login) : scheme === 'ssh' && !['', 'git'].includes(user)
  const at = (scheme === undefined ? name : host).toLowerCase()
  if (!isPerson) return `${at}/${trimmed(scheme === undefined ? place : path)}`
  const isAbsolute = scheme !== undefined || place.startsWith('/')
  return `${scheme === undefined ? login : user}@${at}:${isAbsolute ? '/' : ''}${trimmed(scheme === undefined ? place : path)}`
}

const trimmed = (path: string): string =>
  path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')

export const isSameRepository = (one: string, other: string): boolean =>
  canonicalAddress(one) === canonicalAddress(other)
