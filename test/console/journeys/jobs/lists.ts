import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { notifyJob } from '../../../../src/jobs/live/notify-job.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { idAt, insertJob } from '../../../setup/jobs/jobs.ts'
import { type OpenedConsole, ownName } from '../opened-console.ts'

/** Keeps the answers to a query waiting until the returned function is called. */
async function hold(page: Page, operation: string): Promise<() => void> {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes(`query ${operation}(`)) await held
    return route.fallback()
  })
  return release
}

/** In the page: pauses a list as soon as its button is there, and selects its first row as soon as that is, both before they are drawn. */
function pressAtOnce(): void {
  const presses = new Map<string, () => void>([
    ['[aria-pressed]', () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'l', bubbles: true }))],
    ['tbody [type=checkbox]', () => document.querySelector<HTMLElement>('tbody [type=checkbox]')?.click()],
  ])
  const observer = new MutationObserver(() => {
    for (const [shown, press] of presses) if (document.querySelector(shown) !== null && presses.delete(shown)) press()
  })
  observer.observe(document, { childList: true, subtree: true })
}

/** Journeys through a list's rows and the place where it leaves the reader. */
export function listJourneys(opened: () => OpenedConsole): void {
  test('rows of a filter that was left cannot be used while those of the next one load, and are no more selected', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const endpointKey = ownName('voice.held')
    for (const status of ['failed', 'queued'] as const) await insertJob(db, account, { status, endpointKey })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`jobs?endpoint=${endpointKey}&status=failed`))
    const rows = page.locator('tbody tr[data-job]')
    await rows.first().getByRole('checkbox').check()
    await page.getByText('1 selected').waitFor()
    const release = await hold(page, 'Jobs')
    await page.locator('.segment').filter({ hasText: 'Queued' }).click()
    await page.locator('[aria-busy=true]').waitFor()
    expect(await page.evaluate(() => document.querySelector('tbody')?.closest('[inert]') !== null)).toBe(true)
    await expect.poll(() => page.getByText('1 selected').count()).toBe(0)
    release()
    await rows.first().getByText('Queued').waitFor()
    expect([await page.locator('[inert]').count(), await rows.count(), complaints]).toEqual([0, 1, []])
    await page.close()
  })

  test('a letter and a tick count as soon as the button or the row is there that they are for', async () => {
    const { service, owner, account, at } = opened()
    const endpointKey = ownName('voice.at_once')
    await insertJob(service.runtime.db, account, { status: 'failed', endpointKey })
    const { page, complaints } = await openPage(owner, service.url)
    await page.addInitScript(pressAtOnce)
    await page.goto(at(`jobs?endpoint=${endpointKey}`))
    await page.waitForURL(at(`jobs?endpoint=${endpointKey}&live=off`))
    await page.getByText('1 selected').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a job that does not belong in a list is not counted as newer, nor is any where the newest are not first', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const endpointKey = ownName('voice.counted')
    await insertJob(db, account, { status: 'failed', endpointKey, errorCode: 'PROVIDER_BUSY' })
    // A subscription begins with the unfinished jobs.
    await insertJob(db, account, { status: 'queued', endpointKey })
    const { page, complaints } = await openPage(owner, service.url)
    const heard: string[] = []
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => void heard.push(String(payload))))
    const hasHeard = (text: string) => expect.poll(() => heard.some((frame) => frame.includes(text))).toBe(true)
    for (const [query, newer] of [
      ['status=failed', 0],
      ['error=provider_busy', 0],
      ['sort=oldest', 0],
      ['', 1],
    ] as const) {
      heard.length = 0
      await page.goto(at(`jobs?endpoint=${endpointKey}&${query}`))
      await page.locator('tbody tr[data-job]').first().waitFor()
      await hasHeard('jobChanges')
      const jobId = await insertJob(db, account, { status: 'queued', endpointKey })
      notifyJob(service.runtime, { accountId: account, jobId })
      await hasHeard(jobId)
      // By then the page has taken it up.
      await page.evaluate(() => fetch('/health/live'))
      await expect
        .poll(async () => [query, await page.getByRole('button', { name: /newer/ }).count()])
        .toEqual([query, newer])
    }
    await page.getByRole('status').filter({ hasText: 'There are newer entries.' }).waitFor({ state: 'attached' })
    await page.getByRole('button', { name: '1 newer' }).click()
    await expect.poll(() => page.getByRole('button', { name: /newer/ }).count()).toBe(0)
    await page.locator('h1:focus').waitFor()
    await page.getByLabel('Select all on this page').check()
    await page.getByRole('button', { name: /^Cancel [1-9]/ }).click()
    await page.getByRole('button', { name: 'Cancel jobs' }).click()
    await page.getByText('cancelled.').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the way back from a job leads to its row, where the list was left', async () => {
    const { service, owner, account, at } = opened()
    const endpointKey = ownName('voice.place')
    for (let made = 0; made < 45; made++)
      await insertJob(service.runtime.db, account, { status: 'failed', endpointKey })
    const { page, complaints } = await openPage(owner, service.url)
    for (const list of ['jobs', 'operator/jobs']) {
      await page.goto(at(`${list}?endpoint=${endpointKey}`))
      const link = page.locator('tbody tr').nth(39).getByRole('link').first()
      await link.scrollIntoViewIfNeeded()
      const [top, href] = [await page.evaluate('scrollY'), await link.getAttribute('href')]
      expect(top).toBeGreaterThan(200)
      await link.click()
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await page.goBack()
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe(href)
      await expect.poll(() => page.evaluate('scrollY')).toBe(top)
    }
    expect(complaints).toEqual([])
    await page.close()
  })

  test('jobs are narrowed to a time by its ends, in fields that are loaded once they are wanted, with what their window was', async () => {
    const { service, browser, owner, account, at } = opened()
    const endpointKey = ownName('voice.in_time')
    for (const time of ['2001-01-01T12:00Z', '2001-01-02T12:00Z', '2001-01-03T12:00Z'])
      await insertJob(service.runtime.db, account, { id: idAt(new Date(time)), endpointKey })
    const context = await browser.newContext({ storageState: await owner.storageState(), timezoneId: 'Asia/Kolkata' })
    const { page, complaints } = await openPage(context, service.url)
    const files: string[] = []
    page.on('request', (request) => void files.push(new URL(request.url()).pathname))
    const areLoaded = () => files.some((file) => file.includes('own-window-dialog'))
    const dialog = page.getByRole('dialog', { name: 'Custom time' })
    for (const list of ['jobs', 'operator/jobs']) {
      await page.goto(at(`${list}?endpoint=${endpointKey}`))
      const rows = page.locator('tbody tr')
      await expect.poll(() => rows.count()).toBe(3)
      expect([list, areLoaded()]).toEqual([list, list !== 'jobs'])
      await page.getByRole('button', { name: 'Custom time…' }).click()
      await dialog.getByLabel('From').fill('2001-01-02T05:30')
      await dialog.getByLabel('Until').fill('2001-01-03T05:30')
      await page.keyboard.press('Enter')
      const ends = { from: '2001-01-02T00:00:00.000Z', to: '2001-01-03T00:00:00.000Z' }
      await page.waitForURL((url) => url.search === `?${new URLSearchParams({ endpoint: endpointKey, ...ends })}`)
      await expect.poll(() => rows.count()).toBe(1)
      await page.getByRole('button', { name: 'Custom time…' }).click()
      expect(await dialog.getByLabel('From').inputValue()).toBe('2001-01-02T05:30')
      await dialog.getByLabel('From').fill('')
      await dialog.getByRole('button', { name: 'Show' }).click()
      await expect.poll(() => rows.count()).toBe(2)
    }
    for (const list of ['webhooks/deliveries', 'credits']) {
      await page.goto(at(`${list}?window=last-month`))
      await page.getByRole('button', { name: 'Custom time…' }).click()
      expect(await dialog.getByLabel('Until').inputValue()).toMatch(/-01T00:00$/)
      await dialog.getByLabel('From').fill('2001-01-02T05:30')
      await dialog.getByLabel('Until').fill('')
      await dialog.getByRole('button', { name: 'Show' }).click()
      await page.waitForURL(at(`${list}?from=2001-01-02T00%3A00%3A00.000Z`))
    }
    expect(complaints).toEqual([])
    await context.close()
  })

  test('tabs say how many jobs they have once that is known', async () => {
    const { service, owner, account, at } = opened()
    const endpointKey = ownName('voice.tabs')
    await insertJob(service.runtime.db, account, { status: 'failed', endpointKey })
    const { page, complaints } = await openPage(owner, service.url)
    const release = await hold(page, 'JobCounts')
    await page.goto(at(`jobs?endpoint=${endpointKey}`))
    await page.locator('tbody tr[data-job]').first().waitFor()
    expect(await page.locator('.segment .figure').count()).toBe(0)
    release()
    await expect.poll(() => page.locator('.segment .figure').allTextContents()).toEqual(['1', '0', '0', '0', '1'])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a link to an endpoint or a voice that is gone says so', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('playground?endpoint=gone&voice=nix'))
    await page.getByText('This link asks for the endpoint gone, which is not there.').waitFor()
    expect(await page.getByText('asks for the voice').count()).toBe(0)
    await page.goto(at('playground?endpoint=tts&voice=nix'))
    await page.getByText('This link asks for the voice nix, which is not there.').waitFor()
    expect(await flaws(page)).toEqual([])
    await page.locator('.voice', { hasText: 'Clara' }).first().click()
    await expect.poll(() => page.getByText('asks for the voice').count()).toBe(0)
    expect(complaints).toEqual([])
    await page.close()
  })
}
