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
  test('figures lead to the jobs that they count: of the same window, and of operators in their own list', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const other = await service.createAccount()
    for (const [whose, days] of [
      [account, 0.1],
      [other, 40],
      [other, 100],
    ] as const)
      await insertJob(db, whose, {
        id: idAt(new Date(Date.now() - days * DAY_MS)),
        status: 'failed',
        endpointKey: 'voice.figures',
        errorCode: 'QUEUE_FAILED',
      })
    const { page, complaints } = await openPage(owner, service.url)
    const rows = page.locator('tbody tr').filter({ has: page.getByText('voice.figures') })
    for (const [path, link, address] of [
      ['statistics', 'Queue failed', 'jobs?error=queue_failed&window=24h'],
      [`operator/statistics?account=${other}&range=90d`, 'voice.figures', 'operator/jobs?endpoint=voice.figures&from='],
    ] as const) {
      await page.goto(at(path))
      await page.getByRole('link', { name: link }).click()
      await page.waitForURL((url) => url.href.startsWith(at(address)))
      await expect.poll(() => rows.count()).toBe(1)
    }
    expect(new URL(page.url()).searchParams.get('account')).toBe(other)
    await page.getByRole('button', { name: /^from .*Remove this filter/ }).click()
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByLabel('Any time').selectOption('Last 24 hours')
    await page.waitForURL((url) => !url.searchParams.has('to'))
    await page.getByText('No job matches').waitFor()
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })
}
