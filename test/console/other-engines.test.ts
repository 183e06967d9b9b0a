import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser } from '../../src/users/create-user.ts'
import { setOperator } from '../../src/users/update-user.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { OTHER_ENGINES, type OtherBrowser } from '../setup/other-browsers.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { PASSWORD } from '../setup/service/users.ts'
import { copyConsole } from './journeys/describe-console.ts'

const EMAIL = 'everywhere@example.com'
const SIGN_IN = `fetch('/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    query: 'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { __typename } }',
    variables: { email: '${EMAIL}', password: '${PASSWORD}' },
  }),
}).then((reply) => reply.json()).then(({ data }) => data.signIn.__typename)`
/** Errors that nothing catches, and those that the page itself reports. */
const LISTEN = `(() => {
  globalThis.faults = []
  addEventListener('error', ({ message }) => faults.push(message))
  addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason)))
  const report = console.error
  console.error = (...words) => { faults.push(words.join(' ')); report(...words) }
  return true
})()`
const LINKS = `[...document.querySelectorAll('.rail a, .tabs a, nav a')].map((one) => one.getAttribute('href'))`
/** The screen is there: its heading is not that of the one before, and it loads nothing. */
const IS_SHOWN = `document.querySelector('h1:not([data-left])') !== null && document.querySelector('[aria-busy=true]') === null`

/** As a press of a link: the page stays, and with it those that listen for errors. */
const press = (href: string): string => `(() => {
  document.querySelector('h1')?.setAttribute('data-left', '')
  const link = document.createElement('a')
  link.href = ${JSON.stringify(href)}
  document.body.append(link)
  link.click()
  link.remove()
  return true
})()`

const missing = OTHER_ENGINES.flatMap(({ name, missing: why }) => {
  const what = why()
  return what === null ? [] : [`${name} opens no screen here: ${what}.\n`]
})
if (missing.length > 0) process.stderr.write(missing.join(''))

describe.skipIf(missing.length === OTHER_ENGINES.length)('the console in other engines', () => {
  let service: TestRuntime
  let folder: string
  let jobId: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sonant-console-'))
    await copyConsole(folder)
    service = await startTestRuntime({ consoleFolder: folder })
    const account = await service.createAccount()
    const system = service.runtime.as({ kind: 'system' })
    await createUser(system, { account, email: EMAIL, password: PASSWORD, role: 'owner' })
    await setOperator(system, { user: EMAIL, operator: true })
    jobId = await insertJob(service.runtime.db, account, { status: 'completed' })
  })
  afterAll(async () => {
    await service?.close()
    await rm(folder, { recursive: true, force: true })
  })

  for (const { name, missing: why, open } of OTHER_ENGINES)
    test.skipIf(why() !== null)(`${name} opens every screen without an error`, async () => {
      const browser = await open()
      try {
        const home = `${service.url}/console`
        await browser.open(home)
        expect(await browser.read(SIGN_IN)).toBe('User')
        await browser.open(home)
        await browser.read(LISTEN)
        const titles = await openAll(browser, [
          '/console/help',
          '/console',
          `/console/jobs/${jobId}`,
          '/console/operator',
        ])
        expect(titles.length).toBeGreaterThan(35)
        expect(titles.filter(([, title]) => ['', 'Not found', 'Not loaded', 'Not shown'].includes(title))).toEqual([])
        expect(await browser.read('faults')).toEqual([])
        process.stderr.write(`${name} opened ${titles.length} screens\n`)
      } finally {
        await browser.close()
      }
    })
})

/** Opens these screens, and every one that a navigation of theirs leads to. @returns each with its title */
async function openAll(browser: OtherBrowser, first: readonly string[]): Promise<(readonly [string, string])[]> {
  const waiting = [...first]
  const titles = new Map<string, string>()
  for (let href = waiting.shift(); href !== undefined; href = waiting.shift()) {
    await browser.read(press(href))
    await expect.poll(() => browser.read(`location.pathname + location.search`)).toBe(href)
    await expect.poll(() => browser.read(IS_SHOWN), { timeout: 20_000 }).toBe(true)
    titles.set(href, await browser.read<string>(`document.querySelector('h1').textContent`))
    const links = await browser.read<string[]>(LINKS)
    waiting.push(
      ...links.filter((link) => /^\/console(\/|$)/.test(link) && !titles.has(link) && !waiting.includes(link)),
    )
  }
  return [...titles]
}
