import { at } from '../api/base.ts'

const NAME = /\/assets\/[\w.-]+/g
const RELOADED = 'sonant-reloaded'
/** Where a page that was loaded anew lacks a file as well, loading it again does not help. */
const RELOAD_AGAIN_MS = 60_000

/** Tells if the service serves other files than this page loaded. File names change with their content. */
export async function isOutdated(): Promise<boolean> {
  const served = await servedFiles()
  const loaded = new Set([...document.querySelectorAll('head script[src], head link[href]')].flatMap(nameOf))
  // Stylesheets of screens that were opened later are in the head as well: what is served has to be there, not the other way round.
  return served.some((name) => !loaded.has(name))
}

/** Loads the page again after the file of a screen failed to load. */
export async function reloadForFiles(): Promise<void> {
  const reloadedAt = Number(sessionStorage.getItem(RELOADED))
  if (Date.now() - reloadedAt < RELOAD_AGAIN_MS) return
  if (await reloadWhereServed()) sessionStorage.setItem(RELOADED, String(Date.now()))
}

/** Loads the page anew where there is a service to load it from: false where none answers. */
export async function reloadWhereServed(): Promise<boolean> {
  if ((await servedFiles()).length === 0) return false
  location.reload()
  return true
}

/** The names of the page's own files as it is served now; none where no service answers. */
async function servedFiles(): Promise<string[]> {
  const response = await fetch(at('/'), { headers: { accept: 'text/html' }, cache: 'no-cache' }).catch(() => null)
  return response?.ok ? namesOf(await response.text()) : []
}

const namesOf = (text: string): string[] => (text.match(NAME) ?? []).filter((name) => /\.(js|css)$/.test(name))
const nameOf = (element: Element): string[] =>
  namesOf(element.getAttribute('src') ?? element.getAttribute('href') ?? '')
