import { expect, test } from 'vitest'
import { createUser } from '../../../../src/users/create-user.ts'
import { createSignInLink } from '../../../../src/users/sign-in-link.ts'
import { setOperator } from '../../../../src/users/update-user.ts'
import { flaws, openPage, pressUntil } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { PASSWORD } from '../../../setup/service/users.ts'
import { type OpenedConsole, ownEmail, ownName } from '../opened-console.ts'

/** Names that only programs know. */
const API_NAMES = /reauthenticate|completePerson/
const CAUSE = 'the engine at http://gpu:8093 is out of memory'

/** Journeys of operators through one account and its grants. */
export function accountJourneys(opened: () => OpenedConsole): void {
  test("an account's page has its balance, people, keys, jobs and true causes, and leads to its filtered jobs", async () => {
    const { service, owner, at } = opened()
    const { db } = service.runtime
    const other = await service.createAccount(500n)
    const name = (await db.pool.query('select name from account where id = $1', [other])).rows[0].name
    const { apiKeyId } = await service.createKey(other, ['job:read', 'voice:studio'])
    const email = ownEmail('ada')
    await createUser(service.runtime.as({ kind: 'system' }), { account: other, email, role: 'owner' })
    await insertJob(db, other, { status: 'failed', errorCode: 'RENDER_FAILED', cause: CAUSE, apiKeyId })
    await insertJob(db, other, { endpointKey: 'voice.studio' })
    await insertJob(db, other, { status: 'queued' })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`operator/accounts?search=${other}`))
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL(at('operator/accounts'))
    await page.goBack()
    await page.waitForURL(/search=/)
    await page.getByRole('link', { name, exact: true }).click()
    await page.waitForURL(at(`operator/accounts/${other}`))
    await page.getByRole('heading', { level: 1, name }).waitFor()
    const tile = (title: string) => page.locator('.tile', { hasText: title })
    await tile('Balance').getByText('500', { exact: true }).waitFor()
    await tile('Unfinished jobs').getByText('1 queued, 0 processing').waitFor()
    await tile('Without failure').getByText('1 of 2 failed or cancelled').waitFor()
    const card = (title: string) => page.locator('.card').filter({ has: page.getByRole('heading', { name: title }) })
    await card('Latest failures').getByText(CAUSE).waitFor()
    await expect.poll(() => card('Latest failures').locator('tbody tr').count()).toBe(1)
    await expect.poll(() => card('Latest jobs').locator('tbody tr').count()).toBe(3)
    await card('People').getByText(email).waitFor()
    await card('API keys').getByText('read jobs, voice:studio').waitFor()
    await card('Latest changes of the balance').getByText('+500').waitFor()
    expect(await flaws(page)).toEqual([])
    await page.getByRole('button', { name: 'Add credits' }).click()
    await page.getByRole('spinbutton', { name: 'Credits' }).fill('25')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await tile('Balance').getByText('525', { exact: true }).waitFor()
    await card('Latest changes of the balance').getByText('+25').waitFor()
    await tile('This month').getByText('no monthly limit').waitFor()
    await page.getByRole('button', { name: 'Limits' }).click()
    await page.getByRole('spinbutton', { name: 'Monthly limit' }).fill('3000')
    await page.getByRole('spinbutton', { name: 'Jobs at once' }).fill('5')
    await page.getByRole('button', { name: 'Save' }).click()
    await tile('Unfinished jobs')
      .getByText(/processing, at most 5$/)
      .waitFor()
    await tile('This month')
      .getByText(/^\d+ of 3,000$/)
      .waitFor()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Name', { exact: true }).fill(`${name} anew`)
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { level: 1, name: `${name} anew` }).waitFor()
    for (const [action, other] of [
      ['Disable', 'Enable'],
      ['Enable', 'Disable'],
    ] as const) {
      await page.getByRole('button', { name: action, exact: true }).click()
      expect(await flaws(page)).toEqual([])
      await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
      await page.getByRole('button', { name: other, exact: true }).waitFor()
    }
    const rows = page.locator('main > div tbody tr')
    for (const [link, address] of [
      [card('Latest failures').getByRole('link', { name: 'All failed jobs' }), `account=${other}&status=failed`],
      [card('API keys').locator('tbody a'), `account=${other}&key=${apiKeyId}`],
    ] as const) {
      await link.click()
      await page.waitForURL(at(`operator/jobs?${address}`))
      await page.getByRole('heading', { name: 'Jobs of one account' }).waitFor()
      await expect.poll(() => rows.count()).toBe(1)
      await page.goBack()
      await card('Latest jobs').locator('tbody tr').first().waitFor()
    }
    expect(complaints).toEqual([])
    await page.goto(at('operator/accounts/acct_nobody'))
    await page.getByText('NOT_FOUND').waitFor()
    await page.close()
  })
  test('a grant whose answer is lost is made once when it is pressed again, and the next one is another', async () => {
    const { service, owner, at } = opened()
    const other = await service.createAccount(500n)
    const { page, complaints } = await openPage(owner, service.url, /ERR_FAILED/)
    let lost = 0
    await page.route('**/graphql', async (route) => {
      if (lost > 0 || !route.request().postData()?.includes('mutation CreditAccount')) return route.fallback()
      lost++
      await route.fetch()
      await route.abort()
    })
    await page.goto(at(`operator/accounts/${other}`))
    const balance = page.locator('.tile', { hasText: 'Balance' })
    await balance.getByText('500', { exact: true }).waitFor()
    const amount = page.getByRole('spinbutton', { name: 'Credits' })
    const press = page.getByRole('button', { name: 'Add', exact: true })
    await page.getByRole('button', { name: 'Add credits' }).click()
    await amount.fill('25')
    await press.click()
    await page.getByText('it is added once').waitFor()
    await press.click()
    await page.getByText('The balance is changed.').waitFor()
    await amount.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add credits' }).click()
    await amount.fill('25')
    await press.click()
    await balance.getByText('550', { exact: true }).waitFor()
    // The page keeps its rows and adds the new entry.
    const ledger = page.locator('section', {
      has: page.getByRole('heading', { name: 'Latest changes of the balance' }),
    })
    await ledger.evaluate((section) => section.setAttribute('data-kept', ''))
    await page.getByRole('button', { name: 'Add credits' }).click()
    await amount.fill('-50')
    await page.getByRole('button', { name: 'Take back 50' }).click()
    await ledger.getByText('−50').waitFor()
    expect([lost, await page.locator('[data-kept]').count(), complaints]).toEqual([1, 1, []])
    await page.close()
  })

  test('an operator who signed in by a link is asked for a first password in one dialog, later for it again, and what was pressed goes on', async () => {
    const { service, browser, account, at } = opened()
    const system = service.runtime.as({ kind: 'system' })
    const email = ownEmail('linked')
    const { id } = await createUser(system, { account, email, role: 'owner' })
    await setOperator(system, { user: email, operator: true })
    const { page, complaints } = await openPage(await browser.newContext(), service.url)
    await page.goto((await createSignInLink(system, { user: id })).url)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto(at('operator/accounts'))
    const name = ownName('harbour')
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('spinbutton', { name: 'Credits' }).fill('500')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const first = page.getByRole('dialog', { name: 'Choose your password first' })
    await first.getByRole('button', { name: 'Go back' }).click()
    await page.getByText('Nothing was changed: that needs your password.').waitFor()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await first.getByLabel('New password').fill(PASSWORD)
    expect(await flaws(page)).toEqual([])
    await first.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('The account is created.').waitFor()
    expect(await page.locator('.banner').count()).toBe(0)
    await page.goto(at(`operator/accounts?search=${name}`))
    await page.getByRole('link', { name, exact: true }).click()
    // By now the password is an hour old.
    await service.runtime.db.pool.query(
      "update session set password_at = now() - interval '1 hour' where user_id = $1",
      [id],
    )
    await page.getByRole('button', { name: 'Add credits' }).click()
    await page.getByRole('spinbutton', { name: 'Credits' }).fill('25')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const again = page.getByRole('dialog', { name: 'Give your password again' })
    await again.getByLabel('Your password').fill('not the password')
    await again.getByRole('button', { name: 'Go on' }).click()
    await again.getByRole('alert').waitFor()
    expect([await page.getByText(API_NAMES).count(), await flaws(page)]).toEqual([0, []])
    await again.getByLabel('Your password').fill(PASSWORD)
    await again.getByRole('button', { name: 'Go on' }).click()
    await page.locator('.tile', { hasText: 'Balance' }).getByText('525', { exact: true }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  test('j and k walk through the rows of lists, and Enter opens one', async () => {
    const { service, owner, at } = opened()
    for (let made = 0; made < 2; made++) await service.createAccount()
    const { page, complaints } = await openPage(owner, service.url)
    const focused = (row: number) => page.locator(`tbody tr:nth-child(${row}):focus-within`)
    for (const list of ['people', 'operator/accounts']) {
      await page.goto(at(list))
      await page.locator('tbody tr').nth(1).waitFor()
      await pressUntil(page, 'k', focused(1))
      await page.keyboard.press('j')
      await focused(2).waitFor()
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(/operator\/accounts\/acct_/)
    expect(complaints).toEqual([])
    await page.close()
  })

  test("an account's page leads through its whole ledger", async () => {
    const { service, owner, at } = opened()
    const other = await service.createAccount(0n)
    await service.runtime.db.pool.query(
      `insert into credit_entry (account_id, kind, amount, created_at) select $1, 'grant', 7000 + n, now() + n * interval '1 ms' from generate_series(1, 12) n`,
      [other],
    )
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at(`operator/accounts/${other}`))
    const ledger = page.locator('section', {
      has: page.getByRole('heading', { name: 'Latest changes of the balance' }),
    })
    await ledger.getByText('+7,012').waitFor()
    expect([await ledger.getByText('+7,001').count(), await flaws(page)]).toEqual([0, []])
    await ledger.getByRole('button', { name: 'Next' }).click()
    await ledger.getByText('+7,001').waitFor()
    expect([await ledger.getByText('+7,012').count(), complaints]).toEqual([0, []])
    await page.close()
  })
}
