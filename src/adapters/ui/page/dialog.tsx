// A dialog of the browser: it keeps the focus inside, ends with Escape, and gives the focus back.

import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly isWide?: boolean
  readonly children: ComponentChildren
}

export function Dialog({ title, onClose, isWide, children }: DialogProps): VNode {
  const box = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const before = document.activeElement
    box.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog ref={box} class={isWide === true ? 'wide' : ''} aria-labelledby={heading} onClose={onClose}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={() => box.current?.close()}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  )
}
