// The source of a recorded approval in words.

export const sourceText = (source: string): string => (source === 'signature' ? 'signed' : source)
