import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { notifyAccount } from '../../../../src/accounts/notify-account.ts'
import { notifyJob } from '../../../../src/jobs/live/notify-job.ts'
import { createUser } from '../../../../src/users/create-user.ts'
import { updateUser } from '../../../../src/users/update-user.ts'
import { newId } from '../../../../src/values/id.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob, type JobFields } from '../../../setup/jobs/jobs.ts'
import { PASSWORD } from '../../../setup/service/users.ts'
import { ADD_DELIVERY, ahead, type OpenedConsole, ownEmail, signIn, whenFollowed } from '../opened-console.ts'

/** Requests of an account whose one endpoint has unusual names. */
const REACHED = {
  data: {
    myEndpoints: [
      {
        slug: 'reader',
        voiceInput: 'speaker',
        voices: [{ slug: 'nora' }],
        schema: {
          required: ['text', 'speaker', 'mood'],
          properties: { text: { type: 'string' }, speaker: { type: 'string' }, mood: { type: 'string' } },
        },
      },
    ],
  },
}

/** Screens that are empty at first, and what goes on after its subscription has ended. */
export function followingJourneys(opened: () => OpenedConsole): void {
  test('empty screens fill by themselves, and the numbers in the tabs count on', async () => {
    const { service, browser, at } = opened()
    const { account, email, submit } = await openAccount(opened(), 'empty')
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await context.clock.install()
    await page.goto(at(''))
    await signIn(page, email)
    await page.getByRole('heading', { name: 'Hear two voices' }).waitFor()
    const jobs = await context.newPage()
    await jobs.route('**/graphql', (route) =>
      route.request().postData()?.includes('query CallExample') ? route.fulfill({ json: REACHED }) : route.fallback(),
    )
    await jobs.goto(at('jobs'))
    await jobs.getByText('Nothing has been spoken yet').waitFor()
    const line = await jobs.locator('pre', { hasText: 'curl -sS' }).textContent()
    expect(line).toContain(`${service.url}/api/v1/voice/reader `)
    expect(JSON.parse(line?.split("'").at(-2) ?? '')).toEqual({
      inputs: { text: 'Hello!', speaker: 'nora', mood: 'MOOD' },
    })
    expect(await flaws(jobs)).toEqual([])
    const webhooks = await context.newPage()
    await webhooks.goto(at('webhooks'))
    await webhooks.getByText('Nothing has been delivered').waitFor()
    for (const open of [page, jobs, webhooks]) await open.getByLabel('Connection: Live').waitFor()

    const jobId = await submit({ status: 'queued' })
    await expect.poll(ahead(page, () => page.getByText('Running now').isVisible())).toBe(true)
    const queued = jobs.locator(`[data-job=${jobId}]`).getByText('Queued')
    await expect.poll(ahead(jobs, () => queued.isVisible())).toBe(true)
    const tabs = ahead(jobs, () => jobs.locator('.segment .figure').allTextContents())
    await expect.poll(tabs).toEqual(['1', '1', '0', '0', '0'])
    const { pool } = service.runtime.db
    await pool.query(
      "update job set status = 'completed', started_at = created_at, completed_at = created_at where id = $1",
      [jobId],
    )
    notifyJob(service.runtime, { accountId: account, jobId })
    await expect.poll(tabs).toEqual(['1', '0', '0', '1', '0'])
    expect(await page.getByText('Running now').count()).toBe(1)
    const delivery = newId('msg')
    await pool.query(ADD_DELIVERY, [delivery, account, jobId])
    notifyAccount(service.runtime, account, delivery)
    const link = webhooks.locator(`[data-delivery=${delivery}]`)
    await expect.poll(ahead(webhooks, () => link.isVisible())).toBe(true)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a hidden tab asks for nothing by a clock or for changes, and once when it is looked at', async () => {
    const { service, browser, at } = opened()
    const { email, submit } = await openAccount(opened(), 'hidden')
    const waiting = await submit({ status: 'queued', endpointKey: 'voice.unserved' })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    let asked: string[] = []
    page.on('request', (request) => {
      const name = /^query (JobDetail|JobCounts)\(/.exec(request.postDataJSON()?.query ?? '')?.[1]
      if (name !== undefined) asked.push(name)
    })
    await page.clock.install()
    for (const [path, name, change] of [
      [`jobs/${waiting}`, 'JobDetail', async () => {}],
      ['jobs', 'JobCounts', () => submit({ status: 'queued', endpointKey: 'voice.unserved' })],
    ] as const) {
      await page.goto(at(path))
      if (name === 'JobDetail') await signIn(page, email)
      await page.getByText('voice.unserved').first().waitFor()
      await page.getByLabel('Connection: Live').waitFor()
      await page.clock.runFor(3000)
      await look(page, false)
      asked = []
      await change()
      // Step by step, so that the socket is heard of meanwhile.
      for (let nth = 0; nth < 12; nth++) await ahead(page, () => page.evaluate(() => fetch('/health/live')))()
      expect(asked).toEqual([])
      await look(page, true)
      await expect.poll(() => asked[0]).toBe(name)
      // Not once for each step: the clock may tick again meanwhile.
      expect(asked.length).toBeLessThan(3)
    }
    expect(complaints).toEqual([])
    await context.close()
  })

  test('an old job that fails now is counted as newer among the failed ones', async () => {
    const { service, browser, at } = opened()
    const { account, email, submit } = await openAccount(opened(), 'failing')
    const [, waiting] = [await submit({ status: 'failed' }), await submit({ status: 'queued' })]
    await submit({ status: 'failed' })
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url)
    const isFollowed = whenFollowed(page)
    await page.goto(at('jobs?status=failed'))
    await signIn(page, email)
    await page.locator('tbody tr[data-job]').first().waitFor()
    await isFollowed
    await service.runtime.db.pool.query(
      "update job set status = 'failed', error_code = 'RENDER_FAILED', started_at = created_at, completed_at = created_at where id = $1",
      [waiting],
    )
    notifyJob(service.runtime, { accountId: account, jobId: waiting })
    await page.getByRole('button', { name: '1 newer' }).click()
    await page.locator(`[data-job=${waiting}]`).waitFor()
    await context.close()
  })

  test('a job that ends between its list and what that follows has ended there, or is counted as newer', async () => {
    const { service, browser, at } = opened()
    const { email, submit } = await openAccount(opened(), 'between')
    await submit({ status: 'failed' })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    let held = Promise.withResolvers<void>()
    await page.routeWebSocket('**/graphql', (socket) => {
      const server = socket.connectToServer()
      socket.onMessage(async (message) => {
        if (String(message).includes('subscription JobsLive(')) await held.promise
        server.send(message)
      })
    })
    await page.goto(at('profile'))
    await signIn(page, email)
    for (const list of ['jobs', 'jobs?status=failed']) {
      held = Promise.withResolvers()
      const waiting = await submit({ status: 'queued' })
      await page.goto(at(list))
      await page.locator('tbody tr[data-job]').first().waitFor()
      await page.getByLabel('Connection: Live').waitFor()
      await service.runtime.db.pool.query(
        "update job set status = 'failed', error_code = 'RENDER_FAILED', started_at = now(), completed_at = now() where id = $1",
        [waiting],
      )
      await submit({ status: 'failed' })
      held.resolve()
      const newer = page.getByRole('button', { name: /newer$/ })
      await newer.waitFor()
      if (list === 'jobs') await page.locator(`[data-job=${waiting}]`).getByText('Failed').waitFor()
      expect([list, await newer.textContent()]).toEqual([list, list === 'jobs' ? '1 newer' : '2 newer'])
    }
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a delivery that fails now is counted as newer among the failed ones, and fills a list of none', async () => {
    const { service, browser, at } = opened()
    const { pool } = service.runtime.db
    const { account, email, submit } = await openAccount(opened(), 'undelivered')
    const fail = async () => {
      const delivery = newId('msg')
      await pool.query(ADD_DELIVERY, [delivery, account, await submit({ status: 'completed' })])
      await pool.query(
        "update webhook_delivery set state = 'failed', outcome = 'timeout', finished_at = now() where id = $1",
        [delivery],
      )
      notifyAccount(service.runtime, account, delivery)
    }
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.clock.install()
    await page.goto(at('webhooks/deliveries?state=failed'))
    await signIn(page, email)
    await page.getByText('No delivery has failed').waitFor()
    await page.getByLabel('Connection: Live').waitFor()
    const rows = page.locator('tbody tr')
    const none = page.getByText('No delivery has failed')
    // Until it is followed nothing is heard.
    await expect
      .poll(async () => {
        if ((await none.count()) > 0) await fail()
        return ahead(page, () => rows.count())()
      })
      .toBeGreaterThan(0)
    // While it was empty it may have planned to be asked for once more, with what is not counted then.
    await page.clock.runFor(3000)
    await expect.poll(() => page.locator('.refreshing').count()).toBe(0)
    const newer = page.getByRole('button', { name: /^\d+ newer$/ })
    await expect
      .poll(async () => {
        if ((await newer.count()) === 0) await fail()
        return ahead(page, () => newer.count())()
      })
      .toBe(1)
    const before = await rows.count()
    await newer.click()
    await expect.poll(() => rows.count()).toBeGreaterThan(before)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a list is followed on where its user has got another role', async () => {
    const { service, browser, at } = opened()
    const { email, submit } = await openAccount(opened(), 'demoted', 'remaining')
    await submit({ status: 'failed' })
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url, /./)
    const ended = Promise.withResolvers<void>()
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (/"type":"(error|complete)"/.test(String(payload))) ended.resolve()
      }),
    )
    await page.clock.install()
    await page.goto(at('jobs'))
    await signIn(page, email)
    await page.locator('tbody tr[data-job]').waitFor()
    await page.getByLabel('Connection: Live').waitFor()
    await updateUser(service.runtime.as({ kind: 'system' }), { user: email, role: 'member' })
    await ended.promise
    const jobId = await submit({ status: 'queued' })
    const seen = page.locator(`[data-job=${jobId}]`).or(page.getByRole('button', { name: '1 newer' }))
    await expect.poll(ahead(page, () => seen.count())).toBe(1)
    await context.close()
  })
}

/** An account of its own with owners, the first one's address, and `submit`, which makes a job of it, which its followers hear of. */
async function openAccount({ service }: OpenedConsole, ...names: [string, ...string[]]) {
  const account = await service.createAccount()
  const [email, ...others] = names.map(ownEmail) as [string, ...string[]]
  for (const one of [email, ...others])
    await createUser(service.runtime.as({ kind: 'system' }), { account, email: one, password: PASSWORD, role: 'owner' })
  const submit = async (job: JobFields): Promise<string> => {
    const jobId = await insertJob(service.runtime.db, account, job)
    notifyJob(service.runtime, { accountId: account, jobId })
    return jobId
  }
  return { account, email, submit }
}

/** As the browser says it of a tab that is behind another one, and in front again. */
const look = (page: Page, isLookedAt: boolean): Promise<void> =>
  page.evaluate((isShown) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => !isShown })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isLookedAt)
