// Light, dark, or as the system says.

export const themes = { auto: 'as the system says', light: 'light', dark: 'dark' } as const
export type Theme = keyof typeof themes

const order: readonly Theme[] = ['auto', 'light', 'dark']
export const nextTheme = (theme: Theme): Theme => order[(order.indexOf(theme) + 1) % order.length]!

export function showTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}
