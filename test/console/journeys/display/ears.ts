import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import type { OpenedConsole } from '../opened-console.ts'

const GERMAN = 'Der Leuchtturm war seit elf Jahren dunkel. Dann zündete jemand die Lampe wieder an.'
const LISTS = ['jobs', 'people', 'audit', 'operator/accounts', 'operator/endpoints', 'operator/jobs', 'credits']

/** The accessibility tree tells screen readers of changes, and the focus stays with its user. */
export function earJourneys(opened: () => OpenedConsole): void {
  test('Speak keeps the focus while it is off, the end of a take is said once, its text has its language, and a removed one leaves the focus on the takes', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('playground'))
    const sheet = page.getByRole('textbox', { name: 'Text', exact: true })
    await sheet.fill(GERMAN)
    await expect.poll(() => sheet.getAttribute('lang')).toBe('de')
    const languages = await page
      .getByLabel(/^Language/)
      .locator('option')
      .allTextContents()
    expect(languages.filter((one) => /^auto/i.test(one))).toEqual(['Automatic'])
    const speak = page.getByRole('button', { name: /^Speak/ })
    await speak.focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('status')
      .filter({ hasText: /^The take by .* is done\.$/ })
      .waitFor({ state: 'attached' })
    expect(await speak.evaluate((button) => document.activeElement === button)).toBe(true)
    await page.locator('.take :is(.take-text, .transcript)[lang=de]').first().waitFor()
    await page.getByRole('button', { name: 'Hide this job here' }).first().click()
    await expect.poll(() => focused(page)).toMatch(/^(H2 Your latest jobs|H1 Playground)$/)
    await sheet.fill('')
    await speak.focus()
    await page.keyboard.press('Enter')
    expect([await focused(page), await page.getByRole('alert').count(), complaints]).toEqual([
      expect.stringMatching(/^BUTTON Speak/),
      0,
      [],
    ])
    await page.close()
  })

  test('every table has a name, heads for its columns and rows, and says how it is sorted', async () => {
    const { service, owner, account, at } = opened()
    await insertJob(service.runtime.db, account)
    const { page } = await openPage(owner, service.url)
    for (const list of LISTS) {
      await page.goto(at(list))
      await page.locator('tbody tr').first().waitFor()
      const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
      const named = page.getByRole('table', { name: /\w/ })
      expect([list, await named.count(), await rows.getByRole('rowheader').count()]).toEqual([
        list,
        await page.getByRole('table').count(),
        await rows.count(),
      ])
    }
    await page.goto(at('jobs?sort=shortest'))
    await page.locator('tbody tr').first().waitFor()
    const sorted = page.locator('th[aria-sort]')
    expect([await sorted.innerText(), await sorted.getAttribute('aria-sort')]).toEqual(['Run', 'ascending'])
    await page.close()
  })

  test('the account menu is reached by Tab from its button, and left by Escape', async () => {
    const { service, owner, at } = opened()
    const { page } = await openPage(owner, service.url)
    await page.goto(at('profile'))
    await page.locator('.account-button').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('.menu') !== null)).toBe(true)
    await page.keyboard.press('Escape')
    expect(await focused(page)).toMatch(/^BUTTON/)
    await page.close()
  })

  test('one outage speaks once, however many cards of the page notice it', async () => {
    const { service, owner, at } = opened()
    const { page } = await openPage(owner, service.url, /503|Failed to load/)
    await page.goto(at('jobs'))
    await page.getByLabel('Connection: Live').waitFor()
    await page.route('**/graphql', (route) => route.fulfill({ status: 503, body: 'away' }))
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await expect.poll(() => page.locator('.notice.bad').count()).toBeGreaterThan(1)
    expect(await page.getByRole('alert').count()).toBe(1)
    await page.close()
  })
}

/** The element that has the focus, and its words. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.textContent?.trim()}`)
