import { expect, test } from 'vitest'
import { flaws, openPage } from '../../setup/browser.ts'
import { idAt, insertJob } from '../../setup/jobs.ts'
import type { OpenedConsole } from './opened-console.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Charts with their tables, the window before, and zooming that writes the address. */
export function statisticsJourneys(opened: () => OpenedConsole): void {
  test('charts have tables with the window before, and what is drawn or pressed becomes the address', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    for (const ms of [2 * HOUR_MS, 3 * HOUR_MS, DAY_MS + 3 * HOUR_MS])
      await insertJob(db, account, { id: idAt(new Date(Date.now() - ms)), status: 'failed' })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('statistics'))
    await page.locator('.chart canvas').first().waitFor()
    await page.locator('.chart-card', { hasText: 'Failures' }).getByText('As a table').click()
    const table = page.getByLabel('Failures, as a table')
    const columns = await table
      .locator('tbody tr')
      .evaluateAll((rows) =>
        [1, 2].map((column) => rows.reduce((sum, row) => sum + Number(row.children[column]?.textContent), 0)),
      )
    expect([columns[0]! >= 2, columns[1]]).toEqual([true, 1])
    const box = (await page.locator('.chart .u-over').first().boundingBox())!
    await page.mouse.move(box.x + box.width / 2, box.y + 40)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width - 2, box.y + 40, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/from=.*&to=/)
    await page.locator('.window-ends').waitFor()
    await page.getByRole('button', { name: 'Zoom in' }).press('Enter')
    const zoomed = page.url()
    await page.goBack()
    await expect.poll(() => page.url()).not.toBe(zoomed)
    await page.getByText('7 days').click()
    await page.waitForURL((url) => url.search === '?range=7d')
    await page.getByLabel('Compare with the window before').uncheck()
    await page.waitForURL(/compare=off/)
    await expect.poll(() => page.getByText('the window before', { exact: true }).count()).toBe(0)
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.goto(at(''))
    await page.locator('.sparkline').first().waitFor()
    await page.close()
  })
}
