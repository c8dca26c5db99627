// A patch, unified or side by side.

import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { diffRows, splitRows, type DiffRow } from './diff-rows.ts'
import { bytes, plural } from './format.ts'
import { useKeys } from './keys.ts'
import { shown } from './shown.ts'
import { useKept } from './use-read.ts'
import { VirtualRows } from './virtual-rows.tsx'

type Highlight = typeof import('./highlight.ts')

/** Larger ones have no colors: nobody reads them line by line. */
const mostColored = 500_000

/** Characters that are read before anything is shown. */
const firstRead = 50_000

const signs: Readonly<Partial<Record<DiffRow['kind'], string>>> = { same: ' ', added: '+', removed: '-' }

export function DiffView({ patch, label }: { readonly patch: string; readonly label: string }): VNode {
  const [mode, setMode] = useKept<'unified' | 'split'>('diff', 'unified')
  const [target, setTarget] = useState<{ row: number; file: number }>()
  const [highlight, setHighlight] = useState<Highlight>()
  // The first screen does not wait for the rest.
  const [read, setRead] = useState('')
  const isWhole = patch.length <= firstRead || read === patch
  const { rows, files, columns } = useMemo(
    () => diffRows(isWhole ? patch : patch.slice(0, patch.lastIndexOf('\n', firstRead) + 1)),
    [patch, isWhole],
  )
  useEffect(() => {
    const timer = setTimeout(() => setRead(patch), 50)
    return () => clearTimeout(timer)
  }, [patch])
  const pairs = useMemo(() => (mode === 'split' ? splitRows(rows) : undefined), [rows, mode])
  const isColored = patch.length <= mostColored
  useEffect(() => {
    // Without it the code is black and white.
    if (isColored) import('./highlight.ts').then(setHighlight).catch(() => {})
  }, [isColored])
  const languages = useMemo(
    () => (highlight === undefined || !isColored ? [] : files.map(({ path }) => highlight.languageOf(path))),
    [files, highlight, isColored],
  )
  const showFile = (file: number): void => {
    const start = files[file]
    if (start === undefined) return
    const row =
      pairs === undefined ? start.row : pairs.findIndex(({ left }) => left?.kind === 'file' && left.file === file)
    setTarget({ row, file })
  }
  const current = target?.file ?? 0
  useKeys({
    d: () => setMode(mode === 'split' ? 'unified' : 'split'),
    n: () => showFile(Math.min(files.length - 1, current + (target === undefined ? 0 : 1))),
    p: () => showFile(Math.max(0, current - 1)),
  })
  const code = ({ text: raw, file }: DiffRow): VNode | string => {
    const text = shown(raw)
    const language = languages[file]
    if (language === undefined || highlight === undefined) return text
    return (
      <>
        {highlight
          .piecesOf(text, language)
          .map((piece) => (piece.class === '' ? piece.text : <span class={piece.class}>{piece.text}</span>))}
      </>
    )
  }
  if (patch === '') return <p class="empty">No file was changed.</p>
  const [added, removed] = [sum(files.map((file) => file.added)), sum(files.map((file) => file.removed))]
  return (
    <section class="diff">
      <div class="toolbar">
        <label>
          <span class="hidden">File</span>
          <select value={String(current)} onChange={(event) => showFile(Number(event.currentTarget.value))}>
            {files.map((file, at) => (
              <option key={at} value={String(at)}>
                {shown(file.path)} (+{file.added} −{file.removed})
              </option>
            ))}
          </select>
        </label>
        <span class="totals">
          {isWhole ? (
            <>
              {plural(files.length, 'file')}, <span class="good">+{added}</span> <span class="bad">−{removed}</span>
            </>
          ) : (
            'Reading the changes'
          )}
          {patch.length > 100_000 ? `, ${bytes(patch.length)}` : ''}
        </span>
        <span class="choice" role="group" aria-label="View of the changes">
          {(['unified', 'split'] as const).map((each) => (
            <button key={each} type="button" aria-pressed={mode === each} onClick={() => setMode(each)}>
              {each === 'split' ? 'side by side' : each}
            </button>
          ))}
        </span>
      </div>
      {pairs === undefined ? (
        <VirtualRows
          label={label}
          class="unified"
          count={rows.length}
          columns={columns + 16}
          target={target}
          row={(at) => {
            const row = rows[at]!
            return (
              <div key={at} class={`row ${row.kind}`}>
                <span class="no">{row.old === 0 ? '' : row.old}</span>
                <span class="no">{row.new === 0 ? '' : row.new}</span>
                <span class="sign">{signs[row.kind]}</span>
                <span class="code">{code(row)}</span>
              </div>
            )
          }}
        />
      ) : (
        <VirtualRows
          label={label}
          class="split"
          count={pairs.length}
          columns={2 * Math.min(columns, 160) + 20}
          target={target}
          row={(at) => {
            const { left, right } = pairs[at]!
            if (left !== undefined && left === right && left.kind !== 'same')
              return (
                <div key={at} class={`row ${left.kind}`}>
                  <span class="code">{shown(left.text)}</span>
                </div>
              )
            return (
              <div key={at} class="row pair">
                {[left, right].map((row, side) => (
                  <span key={side} class={`side ${row?.kind ?? 'none'}`}>
                    <span class="no">{row === undefined ? '' : side === 0 ? row.old : row.new}</span>
                    <span class="sign">{row === undefined ? '' : signs[row.kind]}</span>
                    <span class="code">{row === undefined ? '' : code(row)}</span>
                  </span>
                ))}
              </div>
            )
          }}
        />
      )}
    </section>
  )
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
