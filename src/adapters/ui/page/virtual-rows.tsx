// Rows of one height in a box that scrolls. Only those on the screen exist.

import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

const rowHeight = 20
const more = 20

interface RowsProps {
  readonly count: number
  readonly row: (at: number) => VNode
  readonly label: string
  /** Width of the longest row, in characters. */
  readonly columns: number
  readonly class?: string
  /** Scroll there when it changes. */
  readonly target?: { readonly row: number } | undefined
}

export function VirtualRows({ count, row, label, columns, class: name = '', target }: RowsProps): VNode {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  useLayoutEffect(() => {
    const measure = (): void => setHeight(box.current?.clientHeight ?? 600)
    measure()
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [count])
  useEffect(() => {
    if (target !== undefined && box.current !== null) box.current.scrollTop = target.row * rowHeight
  }, [target])
  const first = Math.max(0, Math.floor(top / rowHeight) - more)
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + more)
  return (
    <div
      class={`rows ${name}`}
      ref={box}
      role="region"
      aria-label={label}
      // A box that scrolls is reached by the keyboard.
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="all" style={{ height: `${count * rowHeight}px`, minWidth: `${columns}ch` }}>
        <div class="shown" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {Array.from({ length: Math.max(0, last - first) }, (_, at) => row(first + at))}
        </div>
      </div>
    </div>
  )
}
