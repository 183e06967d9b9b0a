import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { notifyAccount } from '../../../../src/accounts/notify-account.ts'
import { createUser } from '../../../../src/users/create-user.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { type OpenedConsole, ownEmail, signIn } from '../opened-console.ts'

const DAY_MS = 86_400_000
const ADD_ENTRY = `with entry as (
    insert into credit_entry (account_id, kind, amount, job_id, created_at) values ($1, $2, $3, $4, now() - $5 * interval '1 day') returning amount
  ) update account set credits = credits + (select amount from entry) where id = $1`

/** Journeys through spent and granted credits. */
export function creditsJourneys(opened: () => OpenedConsole): void {
  test('credits are summed by day over the time that the ledger shows, with a table and its file', async () => {
    const { service, browser, at } = opened()
    const { db } = service.runtime
    const account = await service.createAccount(0n)
    const system = service.runtime.as({ kind: 'system' })
    const email = ownEmail('thrift')
    await createUser(system, { account, email, password: 'correct horse battery', role: 'owner' })
    for (const [kind, amount, days] of [
      ['grant', 9000, 20],
      ['charge', -1200, 20],
      ['charge', -70, 3],
      ['refund', 20, 3],
      ['grant', 500, 2],
      ['carried', -30, 9],
    ] as const) {
      const job = kind === 'grant' || kind === 'carried' ? null : await insertJob(db, account)
      await db.pool.query(ADD_ENTRY, [account, kind, amount, job, days])
    }
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('credits'))
    await signIn(page, email)
    const sums = page.getByRole('region', { name: 'Day by day' })
    await sums.getByText(/^\w+ \d+\s–\s\w+ \d+, in whole days$/).waitFor()
    await sums.getByText('Spent 1,250').waitFor()
    await sums.getByText('Granted 9,500').waitFor()
    await sums.getByText('Jobs deleted since 30, by month').waitFor()
    await page.getByLabel('Any time').selectOption('Last hour')
    await page.getByText('No entry matches').waitFor()
    expect(await page.getByRole('button', { name: 'Clear filters' }).count()).toBe(2)
    expect(await sums.count()).toBe(0)
    await page.getByLabel('Any time').selectOption('Last 7 days')
    await sums.getByText('Spent 50').waitFor()
    await sums.getByText('Granted 500').waitFor()
    await sums.getByText('As a table').click()
    const rows = page.getByLabel('Credits by day, as a table').locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(8)
    const cells = await rows.evaluateAll((lines) =>
      lines.map((line) => [...line.querySelectorAll('.end')].map((cell) => cell.textContent).join(' ')),
    )
    expect(cells.filter((cell) => cell !== '0 0 0')).toEqual(['50 0 0', '0 500 0'])
    expect([await flaws(page), complaints]).toEqual([[], []])
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as CSV: Credits by day' }).click()
    const lines = (await readFile(await (await file).path(), 'utf8')).split('\r\n')
    expect([lines[0], lines.length]).toEqual(['\uFEFFfrom,Spent,Granted,Deleted jobs', 10])
    const ends = [22, 18].map((days) => new Date(Date.now() - days * DAY_MS).toISOString())
    await page.goto(at(`credits?${new URLSearchParams({ from: ends[0] ?? '', to: ends[1] ?? '' })}`))
    await sums.getByText('Spent 1,200').waitFor()
    await expect.poll(() => page.locator('tbody .pill').allTextContents()).toEqual(['Charge', 'Grant'])
    expect(await flaws(page)).toEqual([])
    await page.getByRole('button', { name: /^from .* Remove this filter$/ }).click()
    await page.waitForURL((url) => !url.searchParams.has('from'))
    await expect.poll(() => page.locator('tbody .pill').allTextContents()).toEqual(['Charge', 'Grant'])
    await page.getByLabel('Any time').selectOption('Last 7 days')
    await page.waitForURL((url) => url.search === '?window=7d')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('the ledger says that there are newer entries once the balance has changed, and shows them at a press', async () => {
    const { service, owner, account, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('credits'))
    await page.getByLabel('Connection: Live').waitFor()
    await page.locator('tbody .pill').first().waitFor()
    const newer = page.getByRole('button', { name: 'Newer entries' })
    expect(await newer.count()).toBe(0)
    await service.runtime.db.pool.query(ADD_ENTRY, [account, 'grant', 4321, null, 0])
    notifyAccount(service.runtime, account)
    await newer.click()
    await page.getByText('+4,321').first().waitFor()
    await newer.waitFor({ state: 'detached' })
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })
}
