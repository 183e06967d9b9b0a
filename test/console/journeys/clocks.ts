import { expect, test } from 'vitest'
import { openPage } from '../../setup/browser.ts'
import { insertJob } from '../../setup/jobs.ts'
import type { OpenedConsole } from './opened-console.ts'

const HOUR_MS = 3_600_000
const HOURS_MS = 5 * HOUR_MS

/** Browsers whose clock or time zone is another one than the service's. */
export function clockJourneys(opened: () => OpenedConsole): void {
  test.each([
    ['ahead', HOURS_MS, 'Asia/Kolkata'],
    ['behind', -HOURS_MS, 'America/St_Johns'],
  ])(
    'a browser whose clock is hours %s finds the jobs of the last hour, and says how long ago they were',
    async (_, off, timezoneId) => {
      const { service, browser, owner, account, at } = opened()
      const job = await insertJob(service.runtime.db, account)
      const context = await browser.newContext({ storageState: await owner.storageState(), timezoneId })
      const { page, complaints } = await openPage(context, service.url)
      await page.clock.setFixedTime(Date.now() + off)
      await page.goto(at('jobs?window=1h'))
      const row = page.locator(`tr[data-job="${job}"]`)
      await row.getByText(/^(now|\d+s ago|1m ago)$/).waitFor()
      await page.goto(at('statistics?range=1h'))
      const jobs = page.locator('.tile').filter({ hasText: /^Jobs/ }).locator('.tile-value')
      await expect.poll(async () => Number(await jobs.innerText())).toBeGreaterThan(0)
      expect(complaints).toEqual([])
      await context.close()
    },
  )

  test('hosts of the service whose own clocks are an hour apart show the same times, and no page asks again and again', async () => {
    const { service, browser, owner, account, at } = opened()
    const job = await insertJob(service.runtime.db, account)
    const context = await browser.newContext({ storageState: await owner.storageState() })
    const { page, complaints } = await openPage(context, service.url)
    const asked: string[] = []
    await page.route('**/graphql', async (route) => {
      const nth = asked.push(route.request().postData() ?? '')
      const response = await route.fetch()
      const date = new Date(Date.now() + (nth % 2) * HOUR_MS).toUTCString()
      await route.fulfill({ response, headers: { ...response.headers(), date } })
    })
    await page.goto(at('jobs?window=1h'))
    await page
      .locator(`tr[data-job="${job}"]`)
      .getByText(/^(now|\d+s ago|1m ago)$/)
      .waitFor()
    await page.goto(at('statistics?range=1h'))
    await page.locator('.tile').first().waitFor()
    for (let nth = 0; nth < 20; nth++) await page.evaluate(() => fetch('/health/live'))
    expect(asked.filter((body) => body.includes('query Statistics(')).length).toBeLessThan(3)
    expect(complaints).toEqual([])
    await context.close()
  })
}
