import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import type { OpenedConsole } from '../opened-console.ts'

const HOUR_MS = 3_600_000

/** Journeys with users' system preferences, and on paper. */
export function modeJourneys(opened: () => OpenedConsole): void {
  test('forced colours tell what is current, less motion moves nothing, and paper has a light page without the rail', async () => {
    const { service, owner, account, at } = opened()
    await insertJob(service.runtime.db, account, { status: 'processing' })
    const { page, complaints } = await openPage(owner, service.url)
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce', colorScheme: 'dark' })
    await page.goto(at('jobs'))
    await page.locator('.pill.busy .dot').first().waitFor()
    const ink = (selector: string) => style(page, selector, 'color')
    const paper = (selector: string) => style(page, selector, 'backgroundColor')
    expect(await ink('.rail-link[aria-current]')).not.toBe(await ink('.rail-link:not([aria-current])'))
    expect(await ink('.segment.on')).not.toBe(await ink('.segment:not(.on)'))
    expect(await paper('.pill.busy .dot')).not.toBe(await paper('.pill.busy'))
    expect(await style(page, '.pill.busy .dot', 'animationName')).toBe('none')
    await page.evaluate('document.documentElement.dataset.theme = "dark"')
    await page.emulateMedia({ media: 'print', forcedColors: 'none' })
    expect([
      await page.locator('.rail').isVisible(),
      await style(page, 'html', 'colorScheme'),
      await style(page, '.top-bar', 'position'),
      complaints,
    ]).toEqual([false, 'light', 'static', []])
    await page.setViewportSize({ width: 900, height: 900 })
    const narrow = page.locator('th[class*=from-]')
    expect(await narrow.count()).toBe(2)
    for (const cell of await narrow.all()) expect(await cell.isVisible()).toBe(true)
    await service.runtime.db.pool.query("delete from job where account_id = $1 and status = 'processing'", [account])
    await page.close()
  })

  test('charts of a dark page are printed in light colours, and dark again afterwards', async () => {
    const { service, browser, owner, account, at } = opened()
    await insertJob(service.runtime.db, account, { status: 'failed' })
    const context = await browser.newContext({ storageState: await owner.storageState(), colorScheme: 'dark' })
    const { page, complaints } = await openPage(context, service.url)
    const [from, to] = [Date.now() - HOUR_MS, Date.now() + HOUR_MS].map((ms) => new Date(ms).toISOString())
    await page.goto(at(`statistics?from=${from}&to=${to}`))
    const chart = page.locator('.chart canvas').first()
    await chart.waitFor()
    const drawn = () => chart.evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())
    const fire = (name: string) => page.evaluate((type) => void window.dispatchEvent(new Event(type)), name)
    const dark = await drawn()
    await fire('beforeprint')
    const printed = await drawn()
    await fire('afterprint')
    expect([printed === dark, (await drawn()) === dark]).toEqual([false, true])
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(drawn).toBe(printed)
    // As on a page that was never dark, bars included.
    await page.reload()
    await chart.waitFor()
    await expect.poll(drawn).toBe(printed)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('nothing that is in sight moves while a page loads', async () => {
    const { service, browser, owner, account, at } = opened()
    await insertJob(service.runtime.db, account)
    const context = await browser.newContext({ storageState: await owner.storageState() })
    const { page, complaints } = await openPage(context, service.url)
    const moved: (readonly [path: string, by: number])[] = []
    for (const [width, paths] of [
      [1280, ['', 'jobs', 'statistics', 'credits', 'keys', 'people', 'webhooks']],
      [390, ['statistics', 'credits', 'webhooks']],
    ] as const)
      for (const path of paths) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(at(path))
        await page.locator('h1').waitFor()
        await page.locator('.skeletons').first().waitFor({ state: 'detached' })
        const by = await page.evaluate(layoutShift)
        if (by > MOST_SHIFT) moved.push([`${path} ${width}`, by])
      }
    expect([moved, complaints]).toEqual([[], []])
    await context.close()
  })
}

/** As browsers rate it: below this share of the page nobody sees it. */
const MOST_SHIFT = 0.02

/** Adds up how far what was in sight has moved since the page was opened, as a share of the window. */
async function layoutShift(): Promise<number> {
  let sum = 0
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
      if (!entry.hadRecentInput) sum += entry.value
  })
  observer.observe({ type: 'layout-shift', buffered: true })
  // The next frames bring what was buffered.
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame)
  await new Promise((resolve) => setTimeout(resolve, 0))
  return sum
}

const style = (
  page: Page,
  selector: string,
  name: 'backgroundColor' | 'color' | 'animationName' | 'colorScheme' | 'position',
) =>
  page
    .locator(selector)
    .first()
    .evaluate((element, property) => getComputedStyle(element)[property], name)
