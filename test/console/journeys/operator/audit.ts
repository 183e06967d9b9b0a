import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { mutation } from '../../../setup/service/graphql.ts'
import { usersOf } from '../../../setup/service/users.ts'
import { type OpenedConsole, ownName } from '../opened-console.ts'

const ADD_ENTRY = `insert into audit_entry (account_id, action, subject_name, actor_kind, created_at)
  values ($1, 'key_created', $2, 'operator', $3::timestamptz)`

/** Journeys of owners and operators through the audit log. */
export function auditJourneys(opened: () => OpenedConsole): void {
  test('an owner finds a change by what it was, in an address that can be shared; operators those of all accounts', async () => {
    const { service, owner, at } = opened()
    const users = usersOf(service)
    const other = await users.user('owner')
    const name = ownName('of another <b>account</b>')
    const made = await users.ask(
      mutation(`createApiKey(name: "${name}")`, '... on NewApiKey { apiKeyId }'),
      {},
      other.cookie,
    )
    expect(made.errors).toBeUndefined()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('audit'))
    await page.getByLabel('Any change').selectOption('user_added')
    await page.waitForURL(/\/audit\?action=user_added$/)
    const words = page.locator('tbody tr > :first-child')
    await expect.poll(async () => new Set(await words.allTextContents())).toEqual(new Set(['Person added']))
    await page.reload()
    await page.getByText('member@example.com').waitFor()
    expect(await page.getByLabel('Any change').inputValue()).toBe('user_added')
    await page.goto(at('audit?action=endpoint_painted'))
    await page.getByText('does not exist any more: action').waitFor()
    expect(await page.getByText('of another').count()).toBe(0)
    expect(await flaws(page, 'audit')).toEqual([])
    await page.goto(at('operator/audit?action=key_created'))
    const row = page.getByRole('row', { name })
    await row.getByText(other.email).waitFor()
    await row.getByRole('link').click()
    await page.waitForURL(new RegExp(`account=${other.account}`))
    expect([await flaws(page, 'operator-audit'), complaints]).toEqual([[], []])
    await page.close()
  })

  test.each(['audit', 'operator/audit'])(
    '%s is narrowed to a time by its ends, which its address keeps',
    async (path) => {
      const { service, owner, account, at } = opened()
      const name = ownName('of a winter')
      for (const day of ['2001-01-01', '2001-01-02', '2001-01-03'])
        await service.runtime.db.pool.query(ADD_ENTRY, [account, `${name} ${day}`, day])
      const context = await opened().browser.newContext({
        storageState: await owner.storageState(),
        timezoneId: 'Asia/Kolkata',
      })
      const { page, complaints } = await openPage(context, service.url)
      await page.goto(at(`${path}?window=7d`))
      await page.getByRole('button', { name: 'Custom time…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Custom time' })
      await dialog.getByLabel('From').fill('2001-01-02T05:30')
      await dialog.getByLabel('Until').fill('2001-01-02T05:30')
      await dialog.getByRole('button', { name: 'Show' }).click()
      await dialog.getByText('Choose a later time than the beginning.').waitFor()
      expect(await flaws(page, 'own-time')).toEqual([])
      const until = dialog.getByLabel('Until')
      await until.fill('9999-12-31T00:00')
      expect(await until.evaluate((field: HTMLInputElement) => field.validity.rangeOverflow)).toBe(true)
      await until.fill('2001-01-03T05:30')
      await dialog.getByRole('button', { name: 'Show' }).click()
      const ends = { from: '2001-01-02T00:00:00.000Z', to: '2001-01-03T00:00:00.000Z' }
      await page.waitForURL((url) => url.search === `?${new URLSearchParams(ends)}`)
      const names = page.locator('tbody').getByText(name)
      await expect.poll(() => names.allTextContents()).toEqual([`${name} 2001-01-02`])
      await page.getByRole('button', { name: /^until .* Remove this filter$/ }).waitFor()
      await page.getByRole('button', { name: /^from .* Remove this filter$/ }).click()
      await expect.poll(() => names.count()).toBe(2)
      await page.getByLabel('Any time').selectOption('1h')
      await page.waitForURL((url) => url.search === '?window=1h')
      expect(complaints).toEqual([])
      await context.close()
    },
  )
}
