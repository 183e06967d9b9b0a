import { expect, test } from 'vitest'
import { openPage } from '../../../setup/browser.ts'
import { idAt, insertJob } from '../../../setup/jobs/jobs.ts'
import type { OpenedConsole } from '../opened-console.ts'

const HOUR_MS = 3_600_000
const HOURS_MS = 5 * HOUR_MS

const RUN = `update job set inputs = '{"text":"hello"}', cost = 30, started_at = created_at + interval '1 s', completed_at = created_at + interval '3 s'
  where id = $1`

type Labelled = Element & { labels?: [text: string, left: number][] }

/** In the page: each canvas has what is written on it, with where that stands, as it was drawn last. */
function noteLabels(): void {
  const { prototype } = CanvasRenderingContext2D
  const { clearRect, fillText } = prototype
  prototype.clearRect = function (...box) {
    const canvas: Labelled = this.canvas
    canvas.labels = []
    clearRect.apply(this, box)
  }
  prototype.fillText = function (text, x, y) {
    const canvas: Labelled = this.canvas
    canvas.labels = [...(canvas.labels ?? []), [text, x]]
    fillText.call(this, text, x, y)
  }
}

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

  test.each(['Europe/Berlin', 'Asia/Tokyo'])(
    'an axis of days of UTC names the day of the bar that it stands at, in %s',
    async (timezoneId) => {
      const { service, browser, owner, account, at } = opened()
      const { db } = service.runtime
      for (const days of [1, 9, 20]) {
        const id = await insertJob(db, account, { id: idAt(new Date(Date.now() - days * 24 * HOUR_MS)) })
        await db.pool.query(RUN, [id])
      }
      const context = await browser.newContext({ storageState: await owner.storageState(), timezoneId })
      const { page, complaints } = await openPage(context, service.url)
      await page.addInitScript(noteLabels)
      await page.goto(at('statistics?range=30d&compare=off'))
      const card = page.locator('.chart-card', { hasText: 'Characters, by day (UTC)' })
      const canvas = card.locator('canvas')
      await canvas.scrollIntoViewIfNeeded()
      const labels = () => canvas.evaluate((element) => (element as Labelled).labels ?? [])
      const days = async () => (await labels()).filter(([text]) => /^\w{3}, \w{3} \d+$/.test(text))
      await expect.poll(async () => (await days()).length).toBeGreaterThan(1)
      for (const [text, left] of await days()) {
        // Charts that are drawn later may move it.
        const valueAtLabel = async () => {
          const { x, y } = (await canvas.boundingBox())!
          await page.mouse.move(x + left, y + 60)
          return card.locator('.chart-value').textContent()
        }
        await expect.poll(valueAtLabel).toMatch(new RegExp(`^${text} ·`))
      }
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
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })
}
