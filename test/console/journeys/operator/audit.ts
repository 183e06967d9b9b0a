import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { mutation } from '../../../setup/service/graphql.ts'
import { usersOf } from '../../../setup/service/users.ts'
import { type OpenedConsole, ownName } from '../opened-console.ts'

/** What was changed, for owners and for operators. */
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
    const words = page.locator('tbody tr td:first-child')
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
}
