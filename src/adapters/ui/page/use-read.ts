// Reads for components: the answer, and again when the plan has changed.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Refusal } from '../../library/refusal.ts'
import { asRefusal, get } from './api.ts'
import { listen } from './live.ts'

export interface Reading<T> {
  readonly data: T | undefined
  readonly refusal: Refusal | undefined
  readonly again: () => void
}

/** `path` undefined: nothing to read yet. `plan`: read again when it changes; `*`: when any does. */
export function useRead<T>(path: string | undefined, plan?: string): Reading<T> {
  const [state, setState] = useState<{ path?: string; data?: T; refusal?: Refusal }>({})
  const isReading = useRef(false)
  const isWanted = useRef(false)
  const wanted = useRef(path)
  wanted.current = path

  const read = useCallback((): void => {
    const asked = wanted.current
    if (asked === undefined) return
    if (isReading.current) {
      isWanted.current = true
      return
    }
    isReading.current = true
    get<T>(asked)
      .then(
        (data) => wanted.current === asked && setState({ path: asked, data }),
        (error: unknown) => wanted.current === asked && setState({ path: asked, refusal: asRefusal(error) }),
      )
      .finally(() => {
        isReading.current = false
        if (isWanted.current || wanted.current !== asked) {
          isWanted.current = false
          read()
        }
      })
      .catch(() => {})
  }, [])

  useEffect(read, [path])
  useEffect(() => {
    if (plan === undefined) return undefined
    return listen(({ changed, output, run, isConnected }) => {
      if (output !== undefined || run !== undefined || isConnected === false) return
      if (changed === undefined || plan === '*' || changed.includes(plan)) read()
    })
  }, [plan])
  return {
    data: state.path === path ? state.data : undefined,
    refusal: state.path === path ? state.refusal : undefined,
    again: read,
  }
}

/** The time, every second while `isRunning`. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isRunning) return undefined
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}

/** A choice of the person, kept in this browser. */
export function useKept<T extends string>(name: string, first: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => (localStorage.getItem(name) as T | null) ?? first)
  return [
    value,
    (next) => {
      localStorage.setItem(name, next)
      setValue(next)
    },
  ]
}
