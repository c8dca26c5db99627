// The lanes of the forges, and how fast each may go. Two per host: one for Git, and one for pull requests, whose limits are
// much lower; so work goes on while requests wait.

import type { Lane, Rate, Tuning } from './dispatch/port.ts'

/** By host, or `default`. */
export type Limits = Readonly<Record<string, HostLimits>>

export interface HostLimits {
  /** The most looks at repositories at the same time. */
  readonly clones?: number | undefined
  /** The most looks that may begin, such as `60/min`. */
  readonly pushes?: string | undefined
  readonly pull_requests?: string | undefined
  /** The most open pull requests of the campaign. */
  readonly open?: number | undefined
}

const units: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 }

export function parseRate(text: string): Rate | undefined {
  const [, most, unit = ''] = /^([1-9]\d{0,5})\/(s|min|h|d)$/.exec(text) ?? []
  return most === undefined ? undefined : { most: Number(most), perMs: units[unit] ?? 0 }
}

export const localHost = 'local'

/** The host of an address; paths and `file:` are `local`. */
export function hostOf(address: string): string {
  if (address.startsWith('/') || address.startsWith('file:')) return localHost
  const url = /^\w+:\/\/(?:[^@/]*@)?([^/]+)/.exec(address)?.[1]
  const scp = /^(?:[\w.+-]+@)?([^:/]+):/.exec(address)?.[1]
  return (url ?? scp ?? localHost).toLowerCase()
}

export const gitLane = (host: string): Lane => host
export const requestLane = (host: string): Lane => `${host}/pr`
export const isRequestLane = (lane: Lane): boolean => lane.endsWith('/pr')
export const hostOfLane = (lane: Lane): string => lane.replace(/\/pr$/, '')

/**
 * Gentle: GitHub allows 500 requests per hour that create something, and a pull request takes two. A disk is not a forge.
 */
export const usualLimits = (host: string): HostLimits =>
  host === localHost ? {} : { clones: 4, pushes: '60/min', pull_requests: '4/min', open: 200 }

export function tuningOf(lane: Lane, limits: HostLimits): Tuning {
  const rate = parseRate((isRequestLane(lane) ? limits.pull_requests : limits.pushes) ?? '')
  const width = isRequestLane(lane) ? (limits.pull_requests === undefined ? undefined : 1) : limits.clones
  return { rate: rate ?? null, width: width ?? null }
}
