import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import type { OpenedConsole } from '../opened-console.ts'

/** Journeys through folded parts of small screens. */
export function phoneJourneys(opened: () => OpenedConsole): void {
  test('on a phone the first jobs are in sight above their filters, which a button unfolds and counts', async () => {
    const { service, owner, account, at } = opened()
    await insertJob(service.runtime.db, account, { status: 'failed', errorCode: 'PROVIDER_BUSY' })
    const { page, complaints } = await openPage(owner, service.url)
    await page.setViewportSize({ width: 360, height: 740 })
    for (const [list, row] of [
      ['jobs', 'tr[data-job]'],
      ['operator/jobs', 'tbody tr'],
    ] as const) {
      await page.goto(at(list))
      const { y } = (await page.locator(row).first().boundingBox()) ?? { y: 740 }
      expect([list, y < 480]).toEqual([list, true])
      const error = page.getByLabel('Any error')
      expect(await error.isVisible()).toBe(false)
      const button = page.getByRole('button', { name: /^Filters/ })
      await button.click()
      await error.selectOption('provider_busy')
      await page.waitForURL(/error=provider_busy/)
      await expect.poll(() => button.innerText()).toBe('Filters · 1')
      expect(await button.getAttribute('aria-expanded')).toBe('true')
      expect([list, await flaws(page, `phone-${list.replace('/', '-')}`)]).toEqual([list, []])
      await page.setViewportSize({ width: 1280, height: 740 })
      expect([await button.isVisible(), await error.isVisible()]).toEqual([false, true])
      await page.setViewportSize({ width: 360, height: 740 })
    }
    expect(complaints).toEqual([])
    await page.close()
  })

  test('at 200 % the button of a long form is in sight', async () => {
    const { service, owner, at } = opened()
    const { page } = await openPage(owner, service.url)
    await page.setViewportSize({ width: 640, height: 400 })
    await page.goto(at('keys?new'))
    const create = page.getByRole('button', { name: 'Create', exact: true })
    await create.waitFor()
    const { y, height } = (await create.boundingBox())!
    expect(y + height).toBeLessThan(400)
    await page.close()
  })

  test('a banner on a phone begins next to its sign', async () => {
    const { service, owner, at } = opened()
    const { page } = await openPage(owner, service.url)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query Session{')) return route.fallback()
      const response = await route.fetch()
      const json = await response.json()
      json.data.me.user.hasPassword = false
      return route.fulfill({ response, json })
    })
    await page.goto(at('profile'))
    const [sign, text] = await Promise.all(
      ['.banner .icon', '.banner-text'].map((selector) => page.locator(selector).boundingBox()),
    )
    expect(text!.x).toBeGreaterThanOrEqual(sign!.x + sign!.width)
    expect(text!.y).toBeLessThan(sign!.y + sign!.height)
    await page.close()
  })
}
