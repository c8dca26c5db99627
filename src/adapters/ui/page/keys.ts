// The keys of the page. `?` shows this table.

import { useEffect, useRef } from 'preact/hooks'

export const keyTable: readonly { readonly keys: string; readonly what: string; readonly where: string }[] = [
  { keys: '?', what: 'show the keys', where: 'everywhere' },
  { keys: 'u', what: 'up: from a step to its plan, from a plan to the list', where: 'everywhere' },
  { keys: 'm', what: 'light, dark, or as the system says', where: 'everywhere' },
  { keys: '/', what: 'search', where: 'list' },
  { keys: 'j  k', what: 'next, previous', where: 'list, steps' },
  { keys: 'g  l  h', what: 'graph, lines of the plan, history', where: 'plan' },
  { keys: 'a  x', what: 'approve, reject', where: 'plan' },
  { keys: 's', what: 'start or resume', where: 'plan' },
  { keys: 'b', what: 'roll back', where: 'plan' },
  { keys: 'd', what: 'unified or side by side', where: 'changes' },
  { keys: 'r', what: 'ask the repositories again', where: 'campaign' },
  { keys: 'n  p', what: 'next, previous file', where: 'changes' },
]

type Keys = Readonly<Record<string, () => void>>

/** While somebody types, or a dialog is open, keys are text. */
const isTyping = (target: EventTarget | null): boolean =>
  document.querySelector('dialog[open]') !== null ||
  (target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

export function useKeys(keys: Keys): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const act = Object.hasOwn(current.current, event.key) ? current.current[event.key] : undefined
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
