import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import settings from '../examples/dashboard/vite.config.ts'
import { possibleTypes, typesWithoutId } from '../examples/graphql-clients/schema-types.ts'
import { deleteApiKey } from '../src/api-keys/change-api-key.ts'
import { notifyJob } from '../src/jobs/live/notify-job.ts'
import { newId } from '../src/values/id.ts'
import { startWorker } from '../src/worker/start-worker.ts'
import { flaws, hasBrowser, openShell } from './setup/browser.ts'
import { call } from './setup/http.ts'
import { insertJob } from './setup/jobs/jobs.ts'
import { submitText } from './setup/jobs/voice-jobs.ts'
import { openFront } from './setup/servers/cuttable-front.ts'
import { createOwner, openWebhookFixture, type WebhookFixture } from './setup/service/webhooks.ts'

const ROOT = fileURLToPath(new URL('../examples/dashboard/', import.meta.url))
const SCOPES = ['generate:voice', 'job:read', 'account:admin']
const OLDER_JOBS = 12
const TYPES: Readonly<Record<string, string>> = { '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript' }

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

test('the dashboard pins the versions that are tested here', () => {
  const root = readJson(fileURLToPath(new URL('../package.json', import.meta.url)))
  const known = { ...root.dependencies, ...root.devDependencies }
  const { dependencies, devDependencies } = readJson(join(ROOT, 'package.json'))
  for (const [name, version] of Object.entries<string>({ ...dependencies, ...devDependencies })) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
    if (name in known) expect([name, version]).toEqual([name, known[name]])
  }
  expect(Object.keys(dependencies).every((name) => name in known)).toBe(true)
})

test("the dashboard's cache knows the types of the schema", () => {
  const client = readFileSync(join(ROOT, 'src/client.ts'), 'utf8')
  const listOf = (name: string): string[] =>
    [...(new RegExp(`${name}.*?\\[(.*?)\\]`, 's').exec(client)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(
      ([, type = '']) => type,
    )
  expect(listOf('Job:').sort()).toEqual([...possibleTypes.Job].sort())
  const embedded = [...listOf('EMBEDDED'), ...listOf('RESULTS')]
  expect(embedded.filter((type) => !typesWithoutId.includes(type))).toEqual([])
  expect(embedded.length).toBeGreaterThan(5)
})

test("the dashboard's days are there where midnight comes twice, or not at all", () => {
  const daysIn = (zone: string, now: string, starts: readonly string[]): [string, number][] => {
    const program = `
      import { byDay } from ${JSON.stringify(`${ROOT}src/days.ts`)}
      const groups = ${JSON.stringify(starts)}.map((day, index) => ({ day, jobs: index + 1 }))
      const days = byDay(groups, 3, new Date('${now}'))
      console.log(JSON.stringify(days.map(({ day, group }) => [day.toDateString(), group?.jobs ?? 0])))`
    const env = { ...process.env, TZ: zone }
    return JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '--eval', program], { env, encoding: 'utf8' }),
    )
  }
  const azores = [
    ['Sat Oct 24 2026', 1],
    ['Sun Oct 25 2026', 2],
    ['Mon Oct 26 2026', 3],
  ]
  const [before, after] = ['2026-10-24T00:00:00Z', '2026-10-26T01:00:00Z']
  for (const midnight of ['2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z'])
    expect(daysIn('Atlantic/Azores', '2026-10-26T12:00:00Z', [before, midnight, after])).toEqual(azores)
  // Beirut's clocks go from midnight to one o'clock.
  expect(daysIn('Asia/Beirut', '2026-03-29T12:00:00Z', ['2026-03-28T22:00:00Z'])).toEqual([
    ['Fri Mar 27 2026', 0],
    ['Sat Mar 28 2026', 0],
    ['Sun Mar 29 2026', 1],
  ])
})

/** Serves the built files, which are there once the address is known. */
async function serveFiles(open: AsyncDisposableStack): Promise<{ origin: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sonant-dashboard-'))
  open.defer(() => rm(folder, { recursive: true, force: true }))
  const server = createServer(async ({ url = '/' }, response) => {
    const name = url === '/' ? 'index.html' : url.slice(1)
    const content = await readFile(join(folder, name)).catch(() => null)
    response
      .writeHead(content === null ? 404 : 200, { 'content-type': TYPES[extname(name)] ?? 'text/plain' })
      .end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.defer(() => void server.closeAllConnections())
  open.defer(() => void server.close())
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, folder }
}

describe.skipIf(!hasBrowser())('the dashboard in a browser', () => {
  const open = new AsyncDisposableStack()
  let fixture: WebhookFixture
  let front: Awaited<ReturnType<typeof openFront>>
  let browser: Browser
  let page: Page
  let account: string
  let key: string
  let keyId: string
  const complaints: string[] = []
  const jobs: string[] = []
  const hook = '/dashboard'
  beforeAll(async () => {
    const { origin, folder } = await serveFiles(open)
    fixture = await openWebhookFixture({ webhooks: true, env: { CORS_ORIGINS: origin } })
    open.defer(() => fixture.close())
    const { service, receiver } = fixture
    front = await openFront(service.url)
    open.defer(() => front.cut())
    await build({
      ...settings,
      root: ROOT,
      configFile: false,
      logLevel: 'warn',
      define: { 'import.meta.env.VITE_SONANT_URL': JSON.stringify(front.url) },
      build: { outDir: folder, emptyOutDir: true, reportCompressedSize: false },
    })
    account = (await createOwner(service, receiver.url + hook)).account
    ;({ apiKey: key, apiKeyId: keyId } = await service.createKey(account, SCOPES))
    for (let nth = 1; nth <= OLDER_JOBS; nth++)
      jobs.push(await submitText(service.url, key, 'tts', `Older text ${nth}.`, 'aria'))
    browser = await openShell()
    open.defer(() => browser.close())
    page = await browser.newPage({
      timezoneId: 'Pacific/Apia',
      viewport: { width: 1280, height: 900 },
      colorScheme: 'light',
    })
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(`${origin}/`)
  })
  afterAll(() => open.disposeAsync())

  const card = (name: string) => page.getByRole('region', { name })
  const rows = (name: string) => card(name).getByRole('listitem')
  const cancelOldest = async () => {
    const [oldest] = jobs
    const query = `mutation { cancelJob(jobId: "${oldest}") { __typename } }`
    const { status } = await call(`${fixture.service.url}/graphql`, { method: 'POST', key, body: { query } })
    expect(status).toBe(200)
  }
  const signIn = async (given: string) => {
    await page.getByLabel('API key').fill(given)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  test('a wrong key, and one that cannot read jobs, stays outside with the reason', async () => {
    await signIn('sk_wrong')
    await expect.poll(() => page.getByRole('alert').textContent()).toBe('The service does not accept this key.')
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')])
    await signIn((await fixture.service.createKey(account, ['generate:voice'])).apiKey)
    await expect.poll(() => page.getByRole('alert').textContent()).toBe('This key lacks the scope job:read.')
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    expect(await flaws(page, 'dashboard-sign-in')).toEqual([])
  })

  test('a text that is refused says why, and one that is submitted appears in the live list, which outlives a lost connection, and leaves it when it is spoken', async () => {
    await signIn(key)
    await expect.poll(() => rows('Unfinished now').count()).toBe(OLDER_JOBS)
    await page.getByRole('textbox', { name: 'Text' }).fill(' ')
    await page.getByRole('button', { name: 'Speak' }).click()
    await page.getByText('The text must hold a character that is not white space.').waitFor()
    await page.getByRole('textbox', { name: 'Text' }).fill('Live from the dashboard.')
    await page.getByRole('button', { name: 'Speak' }).click()
    const row = card('Unfinished now').getByRole('link', { name: 'Live from the dashboard.' })
    await row.waitFor()
    await expect.poll(() => page.getByText(`${OLDER_JOBS + 1} queued`).count()).toBe(1)
    const credits = page.getByRole('status', { name: 'Credits' })
    const before = await credits.textContent()
    expect(await flaws(page, 'dashboard-live')).toEqual([])
    await front.cut()
    const lost = page.getByRole('alert').getByText('The connection is lost.')
    await lost.waitFor()
    await cancelOldest()
    await front.restore()
    await lost.waitFor({ state: 'detached' })
    await expect.poll(() => rows('Unfinished now').count()).toBe(OLDER_JOBS)
    await row.waitFor()
    // The browser says that it lost the connection.
    complaints.splice(0)
    const worker = await startWorker(fixture.service.runtime)
    open.defer(() => worker.stop())
    await row.waitFor({ state: 'detached' })
    await card('Unfinished now').getByText('Nothing waits or runs.').waitFor()
    await expect.poll(() => credits.textContent()).not.toBe(before)
  })

  test('all jobs are listed page by page and filtered', async () => {
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await expect.poll(() => rows('All jobs').count()).toBe(10)
    expect(await rows('All jobs').first().textContent()).toContain('Live from the dashboard.')
    await page.getByRole('button', { name: 'Older' }).click()
    await expect.poll(() => rows('All jobs').count()).toBe(3)
    expect(await rows('All jobs').last().textContent()).toContain('Older text 1.')
    expect(await page.getByRole('button', { name: 'Older' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Newer' }).click()
    await expect.poll(() => rows('All jobs').count()).toBe(10)
    await page.getByLabel('Status').selectOption('FAILED')
    await expect.poll(() => rows('All jobs').count()).toBe(1)
    await page.getByLabel('Id begins with').fill('job_nothing')
    await card('All jobs').getByText('No job fits.').waitFor()
    await page.getByLabel('Id begins with').fill('')
    await page.getByLabel('Status').selectOption('COMPLETED')
    await expect.poll(() => rows('All jobs').count()).toBe(10)
    expect(await flaws(page, 'dashboard-jobs')).toEqual([])
  })

  test('a job shows its attempts and plays its audio', async () => {
    await page.getByRole('link', { name: 'Live from the dashboard.' }).click()
    await expect.poll(() => rows('Attempts').count()).toBe(1)
    expect(await rows('Attempts').textContent()).toContain('completed')
    const played = "document.querySelector('audio').play().then(() => document.querySelector('audio').duration)"
    await card('Artifacts').locator('audio').waitFor()
    expect(await page.evaluate(played)).toBeGreaterThan(0.5)
  })

  test('a webhook is sent again, and its new attempt appears', async () => {
    await expect.poll(() => rows('Webhook deliveries').count()).toBe(1)
    await card('Webhook deliveries').getByText('succeeded').first().waitFor()
    const sent = fixture.receiver.received(hook).length
    await page.getByRole('button', { name: 'Send again' }).click()
    await expect.poll(() => rows('Webhook deliveries').count()).toBe(2)
    await expect.poll(() => rows('Webhook deliveries').last().textContent()).toMatch(/Round 2.*204/)
    expect(fixture.receiver.received(hook).length).toBe(sent + 1)
    expect(await flaws(page, 'dashboard-job')).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    const url = page.getByText(fixture.receiver.url + hook, { exact: true })
    expect((await url.boundingBox())!.width).toBeGreaterThan(190)
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test('jobs and credits are charted by day', async () => {
    await page.getByRole('link', { name: 'Overview' }).click()
    const today = card('Last 14 days').getByRole('listitem')
    await expect.poll(() => today.count()).toBe(28)
    await expect.poll(() => today.nth(13).textContent()).toMatch(new RegExp(`: ${OLDER_JOBS + 1}$`))
    expect(Number((await today.nth(27).textContent())!.split(': ')[1])).toBeGreaterThan(OLDER_JOBS)
    expect(await flaws(page, 'dashboard-overview')).toEqual([])
    expect(complaints.splice(0)).toEqual([])
  })

  /** A page of another account's, signed in. */
  const openAs = async (apiKey: string, prepare: (other: Page) => Promise<void> = async () => undefined) => {
    const other = await browser.newPage()
    onTestFinished(() => other.close())
    await prepare(other)
    await other.goto(page.url().split('#')[0]!)
    await other.getByLabel('API key').fill(apiKey)
    await other.getByRole('button', { name: 'Sign in' }).click()
    return other
  }

  test('a job that ended leaves the live list for good, however many others end after it', async () => {
    const { runtime, createAccount, createKey } = fixture.service
    const owner = await createAccount()
    const put = (status: 'queued' | 'completed', count: number) =>
      Promise.all(Array.from({ length: count }, () => insertJob(runtime.db, owner, { status })))
    const tellOf = (ids: readonly string[]) => {
      for (const jobId of ids) notifyJob(runtime, { accountId: owner, jobId })
    }
    const ended = await put('queued', 3)
    const other = await openAs((await createKey(owner, SCOPES)).apiKey)
    const list = other.getByRole('region', { name: 'Unfinished now' }).getByRole('listitem')
    await expect.poll(() => list.count()).toBe(3)
    await runtime.db.pool.query(`update job set status = 'completed', completed_at = now() where account_id = $1`, [
      owner,
    ])
    tellOf(ended)
    await other.getByText('Nothing waits or runs.').waitFor()
    tellOf(await put('completed', 1100))
    tellOf(await put('queued', 1))
    await expect.poll(() => list.count()).toBeGreaterThan(0)
    expect(await list.count()).toBe(1)
  })

  test('a delivery that ended before the page follows it is shown as it ended', async () => {
    const { runtime, createAccount, createKey } = fixture.service
    const owner = await createAccount()
    const job = await insertJob(runtime.db, owner)
    const delivery = newId('msg')
    await runtime.db.pool.query(
      `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, state, next_attempt_at, created_at)
       values ($1, $2, 'test', $3, 'https://hooks.example.com/', 0, '', '', 'pending', now() + interval '1 hour', now())`,
      [delivery, owner, job],
    )
    const subscribed = Promise.withResolvers<void>()
    const other = await openAs((await createKey(owner, SCOPES)).apiKey, (opened) =>
      opened.routeWebSocket(/graphql/, (socket) => {
        const server = socket.connectToServer()
        socket.onMessage(async (message) => {
          if (String(message).includes('deliveryChanges')) await subscribed.promise
          server.send(message)
        })
      }),
    )
    await other.getByText('Nothing waits or runs.').waitFor()
    await other.goto(`${other.url().split('#')[0]}#/jobs/${job}`)
    const deliveries = other.getByRole('region', { name: 'Webhook deliveries' })
    await deliveries.getByText('pending').waitFor()
    await runtime.db.pool.query(`update webhook_delivery set state = 'succeeded', finished_at = now() where id = $1`, [
      delivery,
    ])
    subscribed.resolve()
    await deliveries.getByText('succeeded').waitFor()
  })

  test('an account without jobs is told so on each page', async () => {
    const { service } = fixture
    const { apiKey } = await service.createKey(await service.createAccount(), SCOPES)
    const other = await openAs(apiKey)
    await other.getByText('Nothing waits or runs.').waitFor()
    await other.getByText('No jobs in these days.').waitFor()
    expect(await flaws(other, 'dashboard-empty')).toEqual([])
    await other.getByRole('link', { name: 'Jobs', exact: true }).click()
    await other.getByText('No jobs yet.').waitFor()
    expect(await other.getByRole('link', { name: 'Jobs', exact: true }).getAttribute('aria-current')).toBe('page')
    await other.goto(`${other.url()}/job_01hzzzzzzzzzzzzzzzzzzzzzzz`)
    await other.getByText('No job with this id.').waitFor()
  })

  test('a key that is revoked signs the page out', async () => {
    await deleteApiKey(fixture.service.runtime.as({ kind: 'account', accountId: account, credits: 1n }), {
      apiKeyId: keyId,
    })
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByLabel('API key').waitFor()
    expect(await page.getByRole('alert').textContent()).toMatch(/key/i)
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })
})
