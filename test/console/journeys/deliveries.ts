import { expect, test } from 'vitest'
import { newId } from '../../../src/values/id.ts'
import { flaws, openPage } from '../../setup/browser.ts'
import { insertJob } from '../../setup/jobs.ts'
import type { OpenedConsole } from './opened-console.ts'

const ADD_ENDED = `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, attempt, next_attempt_at, created_at, state, outcome, finished_at)
  values ($1, $2, 'job', $3, 'https://hooks.example.com/sonant', 0, '', 1, now(), now(), $4, $5, now())`
const STILL_ENDED = `select d.id from webhook_delivery d join job j on j.id = d.job_id
  where j.endpoint_key like 'voice.sent%' and d.state <> 'pending' order by d.id`

/** What became of deliveries, filtered by the address, and sent again many at a time. */
export function deliveryJourneys(opened: () => OpenedConsole): void {
  test('deliveries are filtered by state, outcome, endpoint and time in the address, and those that match are sent again', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const add = async (endpointKey: string, state: string, outcome: string): Promise<string> => {
      const [id, job] = [newId('msg'), await insertJob(db, account, { endpointKey })]
      await db.pool.query(ADD_ENDED, [id, account, job, state, outcome])
      return id
    }
    for (let made = 0; made < 2; made++) await add('voice.sent', 'failed', 'timeout')
    const others = [
      await add('voice.sent', 'failed', 'status_503'),
      await add('voice.sent', 'succeeded', 'succeeded'),
      await add('voice.sent_too', 'failed', 'timeout'),
    ]
    const { page, complaints } = await openPage(owner, service.url)
    const rows = page.locator('tbody tr')
    await page.goto(at('webhooks'))
    await page.getByLabel('Endpoint, by its key').fill('voice.sent')
    await page.keyboard.press('Enter')
    await page.waitForURL(/endpoint=voice\.sent/)
    await expect.poll(() => rows.count()).toBe(4)
    await page.getByLabel('Any outcome').selectOption('The receiver took longer than 10 s')
    await page.waitForURL(/outcome=timeout/)
    await page.getByLabel('Any time').selectOption('Last hour')
    await page.waitForURL(/window=1h/)
    await page.locator('.segment', { hasText: 'Failed' }).click()
    await page.waitForURL(/state=failed/)
    await page.reload()
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByText('2 deliveries').waitFor()
    expect(await flaws(page)).toEqual([])
    await page.getByRole('button', { name: 'Send 2 matching failed again' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send 2 matching failed deliveries again?' })
    await dialog.getByText('Only those that match all filters').waitFor()
    expect(await flaws(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('2 sent again.').waitFor()
    await page.getByText('No delivery matches').waitFor()
    expect((await db.pool.query(STILL_ENDED)).rows.map(({ id }) => id)).toEqual(others)
    await page.goBack()
    await page.waitForURL((url) => !url.searchParams.has('state'))
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL((url) => url.search === '')
    await page.goto(at('webhooks?state=pending&endpoint=voice.sent'))
    await expect.poll(() => rows.count()).toBe(2)
    expect(await page.getByRole('button', { name: /^Send \d/ }).count()).toBe(0)
    await page.goto(at(`webhooks?outcome=status_999&endpoint=voice.sent`))
    await page.getByText('does not exist any more: outcome').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })
}
