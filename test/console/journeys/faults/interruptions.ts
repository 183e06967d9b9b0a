import type { Page, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { ahead, type OpenedConsole, signIn } from '../opened-console.ts'

const UNREACHED = 'The service cannot be reached: check the connection.'
const SENTENCE = 'A sentence that takes some seconds until all of it has been heard. '
/** The browser's own error for an answer that is cut off. */
const CUT_OFF = /ERR_FAILED/

const variablesOf = (request: Request): unknown => JSON.parse(request.postData() ?? '{}').variables
const isOf = (request: Request, operation: string): boolean =>
  request.postData()?.includes(`mutation ${operation}`) === true

/** The service carries the next operation of this name out, and its answer is lost. */
async function loseAnswer(page: Page, operation: string): Promise<void> {
  let isLost = false
  await page.route('**/graphql', async (route) => {
    if (isLost || !isOf(route.request(), operation)) return route.fallback()
    isLost = true
    await route.fetch()
    return route.abort()
  })
}

const isQuery = (request: Request, operation: string): boolean =>
  request.postData()?.includes(`query ${operation}(`) === true

/** Journeys with a lost answer, a second key, a pause or a new signature: nothing is lost or done twice. */
export function interruptionJourneys(opened: () => OpenedConsole): void {
  test('a key stays in sight however often Escape is pressed', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('keys'))
    await page.getByRole('button', { name: 'Create a key' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).fill('often')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const key = page.locator('.secret code')
    await key.waitFor()
    for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
    // As a browser does, which lets a page keep a dialog open once.
    await page.evaluate(() => document.querySelector('dialog')?.close())
    await expect.poll(() => page.evaluate(() => document.querySelector('dialog')?.open)).toBe(true)
    expect(await key.isVisible()).toBe(true)
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a file picker that is cancelled leaves its form as it was', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('voices'))
    await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add a voice' })
    await dialog.getByLabel('How the speaker has agreed').fill('In writing')
    await page.evaluate(() =>
      document.querySelector('dialog input[type=file]')?.dispatchEvent(new Event('cancel', { bubbles: true })),
    )
    expect(await dialog.getByLabel('How the speaker has agreed').inputValue()).toBe('In writing')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await page.close()
  })

  test('jobs whose retry was carried out and not answered are retried as the same request', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    for (let made = 0; made < 2; made++)
      await insertJob(db, account, { status: 'failed', errorCode: 'QUEUE_FAILED', inputs: { text: 'Again.' } })
    const { page, complaints } = await openPage(owner, service.url, CUT_OFF)
    const asked: unknown[] = []
    page.on('request', (request) => isOf(request, 'RetryJobs') && asked.push(variablesOf(request)))
    await loseAnswer(page, 'RetryJobs')
    await page.goto(at('jobs?error=queue_failed'))
    const rows = page.locator('tbody tr[data-job]')
    await rows.nth(1).waitFor()
    for (const row of [0, 1]) await rows.nth(row).getByRole('checkbox').check()
    await page.getByRole('button', { name: /^Retry 2/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Retry 2 jobs?' })
    await dialog.getByRole('button', { name: 'Retry jobs' }).click()
    await dialog.getByText(UNREACHED).waitFor()
    await dialog.getByRole('button', { name: 'Retry jobs' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(asked).toHaveLength(2)
    expect(asked[1]).toEqual(asked[0])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('each retry of a job is a new job, and one whose answer was lost is the same when it is pressed again', async () => {
    const { service, owner, account, at } = opened()
    const id = await failedSpeech(opened())
    const { page, complaints } = await openPage(owner, service.url, CUT_OFF)
    const dialog = page.getByRole('dialog')
    const retry = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Retry' }).click()
      await dialog.getByRole('button', { name: 'Retry the job' }).click()
    }
    await loseAnswer(page, 'RetryJob(')
    await page.goto(at(`jobs/${id}`))
    await retry()
    await dialog.getByText(UNREACHED).waitFor()
    await page.keyboard.press('Escape')
    await retry()
    await page.getByText('The new job had been submitted before.').waitFor()
    await page.waitForURL((url) => url.href !== at(`jobs/${id}`))
    const first = page.url()
    await page.goto(at(`jobs/${id}`))
    await retry()
    await page.getByText('A new job was submitted.').waitFor()
    await page.waitForURL((url) => ![at(`jobs/${id}`), first].includes(url.href))
    const { rows } = await service.runtime.db.pool.query(
      'select id from job where account_id = $1 and id > $2 and type = $3',
      [account, id, 'voice'],
    )
    expect([rows.length, complaints]).toEqual([2, []])
    await page.close()
  })

  test('a secret is not rotated again after a lost answer before its reader has seen what that rotation did', async () => {
    const { service, owner, account, at } = opened()
    const { page, complaints } = await openPage(owner, service.url, CUT_OFF)
    const secrets = async () =>
      (await service.runtime.db.pool.query('select id from webhook_secret where account_id = $1', [account])).rows
    await loseAnswer(page, 'RotateSecret')
    await page.goto(at('webhooks'))
    await page.getByRole('button', { name: 'Rotate' }).click()
    const dialog = page.getByRole('dialog')
    const rotate = dialog.getByRole('button', { name: 'Rotate' })
    await rotate.click()
    await dialog.getByText(UNREACHED).waitFor()
    const after = await secrets()
    await dialog.getByText('which was shown to nobody. Your receivers use the one before it').waitFor()
    expect(await rotate.isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.keyboard.press('Enter')
    expect([await rotate.isDisabled(), await secrets()]).toEqual([true, after])
    await dialog.getByLabel('I have read what it did').check()
    expect([await rotate.isDisabled(), await flaws(page), complaints]).toEqual([false, [], []])
    await page.close()
  })

  test('a session that could not be ended is said to be open', async () => {
    const { service, owner, browser, at } = opened()
    const context = await browser.newContext()
    const other = await openPage(context, service.url)
    await other.page.goto(at(''))
    await signIn(other.page, 'owner@example.com')
    const { page, complaints } = await openPage(owner, service.url, CUT_OFF)
    await page.route('**/graphql', (route) => (isOf(route.request(), 'EndSession') ? route.abort() : route.fallback()))
    await page.goto(at('profile'))
    await page.getByRole('button', { name: 'End', exact: true }).first().click()
    await page.getByRole('dialog', { name: 'End this session?' }).waitFor()
    expect(await flaws(page)).toEqual([])
    await page.getByRole('button', { name: 'End the session' }).click()
    await page.getByText(UNREACHED).waitFor()
    expect(complaints).toEqual([])
    await page.close()
    await context.close()
  })

  test('a job that ended while the list was paused has ended when the list goes on', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const id = await insertJob(db, account, { status: 'processing', endpointKey: 'voice.paused' })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('jobs?endpoint=voice.paused'))
    const row = page.locator('tbody tr[data-job]').first()
    await row.getByText('Processing').waitFor()
    await page.keyboard.press('l')
    await page.waitForURL(/live=off/)
    await page.getByLabel('Connection: Paused').waitFor()
    await db.pool.query(
      `update job set status = 'failed', error_code = 'RENDER_FAILED', started_at = created_at, completed_at = created_at where id = $1`,
      [id],
    )
    await page.keyboard.press('l')
    await page.getByLabel('Connection: Live').waitFor()
    await row.getByText('Failed').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a screen that cannot be paused says so of itself by no address', async () => {
    const { service, owner, account, at } = opened()
    const id = await insertJob(service.runtime.db, account, { status: 'failed', endpointKey: 'voice.paused_nowhere' })
    const { page, complaints } = await openPage(owner, service.url)
    for (const path of ['', `jobs/${id}`, 'statistics', 'webhooks', 'profile', 'operator']) {
      await page.goto(at(`${path}?live=off`))
      await page.getByLabel('Connection: Live').waitFor()
    }
    await page.goto(at('jobs?live=off'))
    await page.getByLabel('Connection: Paused').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('speech that is being heard goes on when its file is there, and is heard once', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('playground'))
    await page.getByLabel('Text', { exact: true }).fill(SENTENCE.repeat(2))
    await page.keyboard.press('Control+Enter')
    const audio = page.locator('.take audio').first()
    // The position in its current source.
    await audio.evaluate((element: HTMLAudioElement) => {
      element.defaultPlaybackRate = element.playbackRate = 2
    })
    const stateOf = () =>
      audio.evaluate(({ ended, currentTime, readyState }: HTMLAudioElement) => ({ ended, currentTime, readyState }))
    const positions: number[] = []
    const hasEnded = async () => {
      const { ended, currentTime, readyState } = await stateOf()
      // A source that has just replaced another one knows no position.
      if (readyState > 1) positions.push(currentTime)
      return ended
    }
    await expect.poll(hasEnded, { interval: 50 }).toBe(true)
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
    expect(positions.at(-1)).toBeGreaterThan(4)
    await page.waitForTimeout(500)
    expect(await audio.evaluate((element: HTMLAudioElement) => element.paused)).toBe(true)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a screen that failed while the network was gone for a moment loads when it is back, and is not said to be live', async () => {
    const { service, browser, account, at } = opened()
    // Without any, the overview shows first steps.
    await insertJob(service.runtime.db, account)
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url, /ERR_INTERNET_DISCONNECTED/)
    await page.goto(at('jobs'))
    await signIn(page, 'owner@example.com')
    await page.getByLabel('Connection: Live').waitFor()
    await context.setOffline(true)
    await page.locator('.rail-link[title=Overview]').click()
    await page.getByText(UNREACHED).waitFor()
    await page.getByLabel('Connection: Offline').waitFor()
    await context.setOffline(false)
    await page.getByText('Running now').waitFor()
    await page.getByLabel('Connection: Live').waitFor()
    await expect.poll(() => page.getByText(UNREACHED).count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a question that was lost on its way is asked again, though the socket is there', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url, CUT_OFF)
    let lost = 0
    await page.route('**/graphql', (route) =>
      isQuery(route.request(), 'Jobs') && lost++ === 0 ? route.abort() : route.fallback(),
    )
    await page.clock.install()
    await page.goto(at('jobs'))
    await page.getByText(UNREACHED).waitFor()
    await expect.poll(ahead(page, () => page.getByText(UNREACHED).count())).toBe(0)
    expect([lost, complaints]).toEqual([2, []])
    await page.close()
  })
}

/** A job that was spoken, and counts as one that failed. */
async function failedSpeech({ service, account }: OpenedConsole): Promise<string> {
  const { apiKey } = await service.createKey(account)
  const answer = await fetch(`${service.url}/api/v1/voice/tts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: { text: 'Once more.', voice: 'aria' } }),
  })
  const { job_id: id } = (await answer.json()) as { job_id: string }
  const fail = () =>
    service.runtime.db.pool.query(
      "update job set status = 'failed', error_code = 'JOB_TIMEOUT' where id = $1 and status = 'completed'",
      [id],
    )
  await expect.poll(async () => (await fail()).rowCount).toBe(1)
  return id
}
