// The last lines of the steps that run, as they come.

import { useEffect, useState } from 'preact/hooks'
import { listen } from './live.ts'

const most = 200

export function useOutput(plan: string): (step: string) => readonly string[] {
  const [lines, setLines] = useState<Readonly<Record<string, readonly string[]>>>({})
  useEffect(
    () =>
      listen(({ output }) => {
        if (output === undefined || output.plan !== plan) return
        const news = output.text.replace(/\n$/, '').split('\n')
        setLines((last) => ({ ...last, [output.step]: [...(last[output.step] ?? []), ...news].slice(-most) }))
      }),
    [plan],
  )
  return (step) => lines[step] ?? []
}
