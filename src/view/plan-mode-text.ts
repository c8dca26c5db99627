// Plan mode in a few words.

export const planModeText = (state: 'on' | 'left'): string =>
  state === 'on' ? 'on: agents only read in this work tree' : 'on, but not while a plan runs in this work tree'
