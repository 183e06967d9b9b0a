import { effect, signal } from '@preact/signals'

type Theme = 'system' | 'light' | 'dark'
const KEY = 'sonant-theme'

/** What the user chose; the colours follow it at once, and with the next visit. */
export const theme = signal<Theme>(readTheme())

effect(() => {
  document.documentElement.dataset.theme = theme.value
  try {
    localStorage.setItem(KEY, theme.value)
  } catch {
    // Without storage it lasts as long as the page.
  }
})

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    return 'system'
  }
}
