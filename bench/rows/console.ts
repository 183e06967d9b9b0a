import type { Browser, BrowserContext, Page } from 'playwright-core'
import { request } from 'undici'
import { hasBrowser, openBrowser } from '../../test/setup/browser.ts'
import { atMost, storm } from '../console-storm.ts'
import type { Environment, Service } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { type Measure, median, type Row } from '../measure.ts'
import { connected, reseedJobs } from '../seed.ts'
import { SENTENCES } from '../sentences.ts'
import { within } from '../within.ts'

const MANY = 1_000_000
const FEW = 10_000
const { paintMs: PAINT_MS, rowsMs: ROWS_MS, filterMs: FILTER_MS, beyondDoorMs: SOUND_MS } = GOALS.console
const ANSWER_MS = 30_000
const STATUSES = ['Completed', 'Failed', 'Queued', 'Processing', 'All']

/**
 * The console in a browser, over the jobs of an account: from opening the page to its first paint and to its rows, from a press on another
 * status to its rows, 10,000 changes within 1.2 s, and from Speak to sound next to the first byte that the OpenAI door gives the same text.
 */
export const inConsole: Row = {
  name: 'console',
  what: 'the console in a browser, 1,000,000 jobs',
  reach: `first paint ${PAINT_MS} ms, rows ${ROWS_MS} ms, a filter p50 ${FILTER_MS} ms, sound the door + ${SOUND_MS} ms`,
  run: async (environment) => {
    if (!hasBrowser()) return { name: 'console', measures: [], notes: ['not measured: no Chromium was found'] }
    const database = await environment.database()
    await connected(database.url, async (client) => {
      await reseedJobs(client, database.accountId, environment.quick ? FEW : MANY)
      await client.query('vacuum analyze job')
    })
    const service = await environment.serve('start')
    const browser = await environment.open(openBrowser, (opened) => opened.close())
    const context = await signedIn(environment, browser, service, database.accountId)
    const page = await context.newPage()
    const loads = await loading(page, service, environment.quick ? 5 : 15)
    const filter = await filters(page, environment.quick ? 5 : 20)
    const seen = await storm(page, environment)
    const measures = [
      ...loads,
      filter,
      ...seen.measures,
      await sound(page, service, database.apiKey, environment.quick ? 5 : 15),
    ]
    return { name: 'console', measures, notes: [seen.note, ...(environment.quick ? [`over ${FEW} jobs`] : [])] }
  },
}

async function signedIn(
  environment: Environment,
  browser: Browser,
  service: Service,
  account: string,
): Promise<BrowserContext> {
  const email = 'bench@example.com'
  await environment.sonant('users', 'create', '--account', account, '--email', email)
  const { url } = await environment.sonant<{ url: string }>('users', 'sign-in-link', email)
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.goto(`${service.url}/console/enter${new URL(url).hash}`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.close()
  return context
}

async function loading(page: Page, { url }: Service, rounds: number): Promise<Measure[]> {
  const [paints, rows]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    await page.goto(`${url}/console/jobs`)
    rows.push(await answer(page, 'the rows of the jobs page', WAIT_FOR_ROWS))
    paints.push(await answer(page, 'the first paint', FIRST_PAINT))
  }
  return [
    atMost('first contentful paint, p50', median(paints), PAINT_MS),
    atMost('rows of the jobs page, p50', median(rows), ROWS_MS),
  ]
}

/** A page that draws no frames, or that shows an error, would be waited for without an end. */
const answer = (page: Page, what: string, script: string): Promise<number> =>
  within(ANSWER_MS, page.evaluate<number>(script), `${what} did not come within ${ANSWER_MS / 1000} s`)

const FIRST_PAINT = `new Promise((resolve) => {
  const look = () => {
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    return paint ? resolve(paint.startTime) : setTimeout(look, 10)
  }
  look()
})`
const WAIT_FOR_ROWS = `new Promise((resolve) => {
  const look = () => (document.querySelector('tbody tr') ? resolve(performance.now()) : requestAnimationFrame(look))
  look()
})`

async function filters(page: Page, rounds: number): Promise<Measure> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++)
    times.push(await answer(page, 'the rows of another status', pressStatus(STATUSES[round % STATUSES.length]!)))
  return atMost('another status to its rows, p50', median(times), FILTER_MS)
}

/** From the press until the answer has been drawn: the list is not being asked for, and its first row is another one. */
const pressStatus = (status: string): string => `new Promise((resolve) => {
  const firstRow = () => document.querySelector('tbody tr a')?.getAttribute('href')?.split('?')[0]
  const before = firstRow()
  const started = performance.now()
  ;[...document.querySelectorAll('.segment')].find((one) => one.textContent.trim().startsWith(${JSON.stringify(status)})).click()
  const look = () =>
    performance.now() - started > 5000 || (firstRow() !== before && document.querySelector('.refreshing') === null)
      ? resolve(performance.now() - started)
      : requestAnimationFrame(look)
  requestAnimationFrame(look)
})`

async function sound(page: Page, { url }: Service, apiKey: string, rounds: number): Promise<Measure> {
  const [ours, floors]: [number[], number[]] = [[], []]
  for (const { text } of SENTENCES.slice(0, rounds + 2)) {
    floors.push(await doorFirstByte(url, apiKey, text))
    await page.goto(`${url}/console/playground`)
    await page.getByLabel('Text', { exact: true }).fill(text)
    ours.push(await answer(page, 'sound', SPEAK))
  }
  // The first ones warm the engine and the page.
  return atMost('Speak to sound, p50', median(ours.slice(2)), SOUND_MS, median(floors.slice(2)))
}

const SPEAK = `new Promise((resolve) => {
  const started = performance.now()
  ;[...document.querySelectorAll('button')].find((one) => one.textContent.trim().startsWith('Speak')).click()
  const look = () =>
    document.querySelector('audio')?.currentTime > 0 ? resolve(performance.now() - started) : setTimeout(look, 2)
  look()
})`

async function doorFirstByte(url: string, apiKey: string, input: string): Promise<number> {
  const started = performance.now()
  const { body } = await request(`${url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input, voice: 'aria', response_format: 'mp3' }),
  })
  for await (const _chunk of body) break
  return performance.now() - started
}
