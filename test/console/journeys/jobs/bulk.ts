import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { type OpenedConsole, ownName } from '../opened-console.ts'

const END = `update job set status = 'failed', error_code = 'PROVIDER_BUSY', completed_at = now() where id = $1`
const MANY = 30

/** Journeys through the messages of an action on several rows. */
export function bulkJourneys(opened: () => OpenedConsole): void {
  test('what came of selected jobs stays above their list, refused ones linked with their reasons, until it is dismissed or another action follows', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const endpointKey = ownName('voice.bulk')
    const ids: string[] = []
    for (let made = 0; made < 3; made++)
      ids.push(await insertJob(db, account, { status: 'queued', endpointKey, inputs: { text: 'Again.' } }))
    const { page, complaints } = await openPage(owner, service.url)
    const notice = page.getByRole('status').filter({ has: page.getByRole('button', { name: 'Dismiss' }) })
    const act = async (opener: string, confirmation: string): Promise<void> => {
      await page.getByRole('button', { name: opener }).click()
      await page.getByRole('button', { name: confirmation }).click()
    }
    await page.goto(at(`jobs?endpoint=${endpointKey}`))
    await page.getByLabel('Select all on this page').check()
    await page.getByRole('button', { name: 'Cancel 3' }).waitFor()
    await db.pool.query(END, [ids[1]])
    await act('Cancel 3', 'Cancel jobs')
    await notice.getByText('2 cancelled, 1 refused.').waitFor()
    const refused = notice.getByRole('list', { name: 'Refused' }).getByRole('listitem')
    expect(await refused.allInnerTexts()).toEqual([
      expect.stringMatching(/^Again\.\s+It had failed before it could be cancelled\.$/),
    ])
    await notice.getByText('Cancelled jobs').click()
    expect(await notice.getByRole('link').count()).toBe(3)
    expect(await flaws(page, 'bulk')).toEqual([])
    await refused.getByRole('link').click()
    await page.waitForURL(at(`jobs/${ids[1]}`))
    await page.goBack()
    await notice.getByText('2 cancelled, 1 refused.').waitFor()
    await page.locator('.segment').filter({ hasText: 'Failed' }).click()
    await page.waitForURL(/status=failed/)
    await page.getByLabel(`Select ${ids[1]}`).check()
    await act('Retry 1', 'Retry jobs')
    await notice.getByText(/^(1 retried|0 retried, 1 refused)\.$/).waitFor()
    expect([await page.getByText('2 cancelled').count(), await notice.count()]).toEqual([0, 1])
    await notice.getByRole('button', { name: 'Dismiss' }).click()
    await notice.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('what came of jobs far down a list comes into sight, on a phone as well', async () => {
    const { service, owner, account, at } = opened()
    const endpointKey = ownName('voice.far-down')
    for (let made = 0; made < MANY; made++)
      await insertJob(service.runtime.db, account, { status: 'queued', endpointKey })
    const { page, complaints } = await openPage(owner, service.url)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(at(`jobs?endpoint=${endpointKey}`))
    const rows = page.locator('tbody tr[data-job]')
    await rows.nth(MANY - 1).scrollIntoViewIfNeeded()
    for (const row of [MANY - 2, MANY - 1]) await rows.nth(row).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Cancel 2' }).click()
    await page.getByRole('button', { name: 'Cancel jobs' }).click()
    const said = page.getByText('2 cancelled.')
    await said.waitFor()
    const isUncovered = () =>
      said.evaluate((element) => {
        const { left, top } = element.getBoundingClientRect()
        return element.contains(document.elementFromPoint(left + 4, top + 4))
      })
    await expect.poll(isUncovered).toBe(true)
    expect(complaints).toEqual([])
    await page.close()
  })
}
