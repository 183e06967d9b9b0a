import { effect, signal } from '@preact/signals'

type Theme = 'system' | 'light' | 'dark'
const KEY = 'sonant-theme'

/** The user's choice. The colours follow at once and at the next visit. */
export const theme = signal<Theme>(readTheme())

effect(() => {
  document.documentElement.dataset.theme = theme.value
  try {
    localStorage.setItem(KEY, theme.value)
  } catch {
    // Without storage it lasts as long as the page.
  }
})

// Paper has no theme. Before all that draws hears of it, as styles for paper hold only afterwards.
addEventListener('beforeprint', () => {
  document.documentElement.dataset.theme = 'light'
})
addEventListener('afterprint', () => {
  document.documentElement.dataset.theme = theme.peek()
})

/** Draws anew what took its colours from the styles: when the system's theme changes, before printing and after it. @returns how to stop */
export function whenRecoloured(draw: () => void): () => void {
  const stop = new AbortController()
  const options = { signal: stop.signal }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw, options)
  for (const name of ['beforeprint', 'afterprint']) addEventListener(name, draw, options)
  return () => stop.abort()
}

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    return 'system'
  }
}
