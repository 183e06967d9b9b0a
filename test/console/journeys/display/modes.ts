import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createUser } from '../../../../src/users/create-user.ts'
import { setOperator } from '../../../../src/users/update-user.ts'
import { openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { PASSWORD } from '../../../setup/service/users.ts'
import { type OpenedConsole, ownEmail, signIn } from '../opened-console.ts'

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
    const moved = [
      ...(await moves(page, at, 1280, ['', 'jobs', 'statistics', 'credits', 'keys', 'people', 'webhooks'])),
      ...(await moves(page, at, 390, ['statistics', 'credits', 'webhooks'])),
    ]
    expect([moved, complaints]).toEqual([[], []])
    await context.close()
  })

  test('nothing moves where the first steps stand above the figures, and the playground lists what was spoken before', async () => {
    const { service, browser, at } = opened()
    const account = await service.createAccount()
    const system = service.runtime.as({ kind: 'system' })
    const email = ownEmail('beginner')
    const { id: userId } = await createUser(system, { account, email, password: PASSWORD, role: 'owner' })
    await setOperator(system, { user: userId, operator: true })
    await insertJob(service.runtime.db, account, { userId, status: 'failed' })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at(''))
    await signIn(page, email)
    const moved: Moved[] = []
    for (const width of [1280, 390])
      for (const [path, last] of [
        ['', '.cards:has(.first-steps) > .halves'],
        ['playground', '.take'],
      ] as const)
        moved.push(...(await moves(page, at, width, [path], last)))
    expect([moved, complaints]).toEqual([[], []])
    await context.close()
  })
}

type Moved = readonly [path: string, by: number]

/** The paths on which something moves, each opened until nothing loads and `last` is there. */
async function moves(
  page: Page,
  at: OpenedConsole['at'],
  width: number,
  paths: readonly string[],
  last = 'h1',
): Promise<Moved[]> {
  const moved: Moved[] = []
  await page.setViewportSize({ width, height: 800 })
  for (const path of paths) {
    await page.goto(at(path))
    await page.locator(last).first().waitFor()
    await expect.poll(() => page.locator('.skeletons').count()).toBe(0)
    const by = await page.evaluate(layoutShift)
    if (by > MOST_SHIFT) moved.push([`${path} ${width}`, by])
  }
  return moved
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
