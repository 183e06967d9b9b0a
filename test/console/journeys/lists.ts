import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { notifyJob } from '../../../src/jobs/live/notify-job.ts'
import { openPage } from '../../setup/browser.ts'
import { insertJob } from '../../setup/jobs.ts'
import type { OpenedConsole } from './opened-console.ts'

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

/** What a list says of its rows, and where it leaves the reader. */
export function listJourneys(opened: () => OpenedConsole): void {
  test('rows of a filter that was left cannot be used while those of the next one load, and are no more selected', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    await insertJob(db, account, { status: 'failed', endpointKey: 'voice.held' })
    await insertJob(db, account, { status: 'queued', endpointKey: 'voice.held' })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('jobs?endpoint=voice.held&status=failed'))
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

  test('a job that does not belong in a list is not counted as newer, nor is any where the newest are not first', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    await insertJob(db, account, { status: 'failed', endpointKey: 'voice.counted', errorCode: 'PROVIDER_BUSY' })
    const { page, complaints } = await openPage(owner, service.url)
    for (const [query, newer] of [
      ['status=failed', 0],
      ['error=provider_busy', 0],
      ['sort=oldest', 0],
      ['', 1],
    ] as const) {
      await page.goto(at(`jobs?endpoint=voice.counted&${query}`))
      await page.locator('tbody tr[data-job]').first().waitFor()
      await page.getByLabel('Connection: Live').waitFor()
      await page.waitForTimeout(500)
      const jobId = await insertJob(db, account, { status: 'queued', endpointKey: 'voice.counted' })
      notifyJob(service.runtime, { accountId: account, jobId })
      await page.waitForTimeout(1500)
      expect([query, await page.getByRole('button', { name: /newer/ }).count()]).toEqual([query, newer])
    }
    expect(complaints).toEqual([])
    await page.close()
  })
}
