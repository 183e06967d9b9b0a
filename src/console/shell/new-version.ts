import { at } from '../api/base.ts'

const NAME = /\/assets\/[\w.-]+/g
const RELOADED = 'sonant-reloaded'

/** Whether the service has other files than this page was made of. Their names change with their content. */
export async function isOutdated(): Promise<boolean> {
  const response = await fetch(at('/'), { headers: { accept: 'text/html' }, cache: 'no-cache' })
  if (!response.ok) return false
  const served = namesOf(await response.text())
  const loaded = new Set([...document.querySelectorAll('head script[src], head link[href]')].flatMap(nameOf))
  // Stylesheets of screens that were opened later are in the head as well: what is served has to be there, not the other way round.
  return served.length > 0 && served.some((name) => !loaded.has(name))
}

/** A screen whose file is gone belongs to an older version: the page is loaded anew, once. */
export function reloadWhereFilesAreGone(): void {
  addEventListener('vite:preloadError', (event) => {
    if (sessionStorage.getItem(RELOADED) !== null) return
    event.preventDefault()
    sessionStorage.setItem(RELOADED, 'yes')
    reloadWithNewVersion()
  })
}

export const reloadWithNewVersion = (): void => location.reload()

const namesOf = (text: string): string[] => (text.match(NAME) ?? []).filter((name) => /\.(js|css)$/.test(name))
const nameOf = (element: Element): string[] =>
  namesOf(element.getAttribute('src') ?? element.getAttribute('href') ?? '')
