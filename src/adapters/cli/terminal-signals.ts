// What makes a terminal ring, or show a message outside of its window: OSC 9 (iTerm2, Windows Terminal, WezTerm) and
// OSC 777 (urxvt, foot, Ghostty). Others ignore what they do not know.

import type { RunEvent } from '../../engine/run/events.ts'

export type TerminalNotification = Extract<RunEvent, { kind: 'notification' }>

export function terminalSignals({ text, bell, desktop }: TerminalNotification): string {
  // A title must not end the sequence and begin another; `;` separates its fields.
  const safe = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' ').replaceAll(';', ',')
  const shown = desktop ? `\u001b]9;git plan: ${safe}\u0007\u001b]777;notify;git plan;${safe}\u0007` : ''
  return `${shown}${bell ? '\u0007' : ''}`
}
