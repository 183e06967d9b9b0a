import { expect, test } from 'vitest'
import { createUser } from '../../../../src/users/create-user.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { PASSWORD } from '../../../setup/service/users.ts'
import { type OpenedConsole, ownEmail, signIn } from '../opened-console.ts'

const CAUSE = 'the engine at http://gpu:8095 answered 500'
const MANY = 9

/** The way to what went wrong. */
export function faultyJobJourneys(opened: () => OpenedConsole): void {
  test('cancelled jobs hide no failure in the overview and on the page of an account', async () => {
    const { service, browser, owner, at } = opened()
    const { db } = service.runtime
    const account = await service.createAccount()
    const system = service.runtime.as({ kind: 'system' })
    const email = ownEmail('faults')
    await createUser(system, { account, email, password: PASSWORD, role: 'owner' })
    const failed = await insertJob(db, account, { status: 'failed', errorCode: 'PROVIDER_BUSY', cause: CAUSE })
    for (let made = 0; made < MANY; made++)
      await insertJob(db, account, { status: 'failed', errorCode: 'JOB_CANCELLED' })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at(''))
    await signIn(page, email)
    const card = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Failures, last 24 h' }) })
    await card.locator(`a[href$="/jobs/${failed}"]`).waitFor()
    expect(await card.getByText('cancelled').count()).toBe(0)
    await page.getByText(`1 failed, ${MANY} cancelled`).waitFor()
    await page.goto(at(`jobs/${failed}`))
    await page.getByText('PROVIDER_BUSY').waitFor()
    expect([await page.getByRole('link', { name: 'See the cause' }).count(), complaints]).toEqual([0, []])
    await context.close()
    const { page: own } = await openPage(owner, service.url)
    await own.goto(at(`operator/accounts/${account}`))
    const latest = own.locator('.card').filter({ has: own.getByRole('heading', { name: 'Latest failures' }) })
    await latest.getByText(CAUSE).waitFor()
    expect(await latest.locator('tbody tr').count()).toBe(1)
    await own.close()
  })

  test('the page of a failed job leads an operator to its true cause', async () => {
    const { service, owner, account, at } = opened()
    const fields = { status: 'failed', errorCode: 'PROVIDER_BUSY', cause: CAUSE } as const
    const id = await insertJob(service.runtime.db, account, fields)
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`jobs/${id}`))
    await page.getByRole('link', { name: 'See the cause' }).waitFor()
    expect(await flaws(page, 'true-cause')).toEqual([])
    await page.getByRole('link', { name: 'See the cause' }).click()
    await page.getByText(CAUSE).waitFor()
    expect([page.url(), complaints]).toEqual([at(`operator/jobs/${id}`), []])
    await page.close()
  })
}
