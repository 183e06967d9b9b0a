import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { until } from './wait.ts'

/** The same engine without a window's parts: it takes half the processor time. */
const SHELL = 'chromium-headless-shell'
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge']
const OF_MACOS = ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
)

/** The browser of this machine: $CHROMIUM, then what is usually installed. Null: there is none. */
function findBrowser(env: NodeJS.ProcessEnv = process.env): string | null {
  const places = [env.CHROMIUM ?? '', ...placesOf(NAMES, env), ...OF_MACOS]
  return places.find((place) => place !== '' && existsSync(place)) ?? null
}

/** Null where $CHROMIUM names a browser, and where none is installed. */
function findShell(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.CHROMIUM ? null : (placesOf([SHELL], env).find((place) => existsSync(place)) ?? null)
}

const placesOf = (names: readonly string[], { PATH = '' }: NodeJS.ProcessEnv): string[] =>
  names.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)))

/** Tells if tests in a browser run here. Without one they are skipped with a line, or fail if BROWSER_TESTS says `required`. */
export function hasBrowser(): boolean {
  if (findBrowser() !== null) return true
  if (process.env.BROWSER_TESTS === 'required')
    throw new Error('BROWSER_TESTS is "required", and no Chromium was found')
  process.stderr.write('Browser tests are skipped: install Chromium, or set CHROMIUM to one.\n')
  return false
}

/** The browser reaches this machine and no other one: a route over every request would do the same, but it switches the browser's cache off. */
const HERE_ALONE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1'
/** Pages of one context share a process, so that what one has compiled no other one compiles again. */
const ONE_PROCESS = '--process-per-site'

/** The browser that people have. `withheld`: switches of the driver's that it does without. */
export const openBrowser = (withheld: string[] = [], further: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: findBrowser() ?? '', args: [HERE_ALONE, ...further], ignoreDefaultArgs: withheld })

/** The same with microphones that hear a WAV file, anew each time a page turns one on. The shell has none. */
export const openHearing = (file: string): Promise<Browser> =>
  openBrowser([], ['--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${file}`])

/** The headless shell where it is installed as well: alike in all but a few features, such as pages kept for a way back. */
export const openShell = (): Promise<Browser> =>
  chromium.launch({ executablePath: findShell() ?? findBrowser() ?? '', args: [HERE_ALONE, ONE_PROCESS] })

/** A page, and all that is wrong with it: errors of its console and scripts, and requests to other servers, which are stopped. */
interface Watched {
  readonly page: Page
  readonly complaints: string[]
}

/** `expected`: what the browser itself says of an answer that the test provokes. */
export async function openPage(context: BrowserContext, origin: string, expected = /^$/): Promise<Watched> {
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected.test(message.text()))
      complaints.push(`${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    const { origin: asked, protocol } = new URL(request.url())
    if (asked !== origin && !/^(data|blob):$/.test(protocol)) complaints.push(`asked ${request.url()}`)
  })
  // The browser draws an endless animation anew for each frame, which costs processor time without a graphics card.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  return { page, complaints }
}

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** A button that has just become usable is on its way from the colours of one that is not. */
const END_TRANSITIONS = 'document.getAnimations().forEach((one) => one instanceof CSSTransition && one.finish())'
/** Colours decide these; everything else is alike in both themes. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Without its white space: a page reads it in two thirds of the time. */
const axeSource = (): string => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Runs axe on the page. It runs as an expression, because the page's policy allows no further script. */
async function axeViolations(page: Page, rules: readonly string[]): Promise<string[]> {
  const isThere = await page.evaluate('typeof axe === "object"')
  if (!isThere) await page.evaluate(axeSource())
  // It lists nothing that passes, and makes no selectors: neither is read here.
  const options = { runOnly: rules, resultTypes: ['violations'], selectors: false }
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const violations = (await page.evaluate(run)) as readonly Violation[]
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  )
}

/** By how many pixels the page scrolls sideways, or a list whose rows are cards on a phone: what ends its rows is out of sight then. */
const sideways = (page: Page): Promise<number> =>
  page.evaluate(`Math.max(
    ...[document.documentElement, ...document.querySelectorAll('.as-cards')].map((box) => box.scrollWidth - box.clientWidth),
  )`) as Promise<number>

/** Presses a key until it has shown something: a page that has just been drawn may not listen yet. */
export async function pressUntil(page: Page, key: string, shown: Locator): Promise<void> {
  const press = async () => {
    await page.keyboard.press(key)
    return shown.waitFor({ timeout: 1000 }).then(
      () => true,
      () => undefined,
    )
  }
  await until(press, 30_000, `what ${key} shows`)
}

/** The flaws of the page: axe's findings in both themes, and sideways scrolling on a phone, a tablet or a small screen. */
export async function flaws(page: Page, name?: string): Promise<string[]> {
  const found: string[] = []
  const themes = { light: TAGS, dark: COLOUR_RULES }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate(END_TRANSITIONS)
    found.push(...(await axeViolations(page, themes[colorScheme])).map((violation) => `${colorScheme}: ${violation}`))
    await picture(page, `${name}-${colorScheme}`)
  }
  const size = page.viewportSize() ?? { width: 1440, height: 900 }
  await page.setViewportSize({ width: 360, height: 740 })
  await picture(page, `${name}-phone`)
  found.push(...(await widthFlaws(page, 360)))
  for (const width of [768, 1100]) {
    await page.setViewportSize({ width, height: 900 })
    found.push(...(await widthFlaws(page, width)))
  }
  await page.setViewportSize(size)
  return found
}

/** Charts follow the width of their box some frames later. Returns the excess that stays for two seconds. */
async function widthFlaws(page: Page, width: number): Promise<string[]> {
  let wide = await sideways(page)
  for (let tries = 0; wide > 0 && tries < 20; tries++) {
    await page.waitForTimeout(100)
    wide = await sideways(page)
  }
  return wide > 0 ? [`scrolls sideways by ${wide} pixels at ${width}`] : []
}

/** For eyes, into the folder CONSOLE_PICTURES where it is set. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.CONSOLE_PICTURES
  if (folder && !name.startsWith('undefined')) await page.screenshot({ path: join(folder, `${name}.png`) })
}
