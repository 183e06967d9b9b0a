import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import type { OpenedConsole } from '../opened-console.ts'

/** Where help and the version of the service are found. */
export function helpJourneys(opened: () => OpenedConsole): void {
  test('the foot of the rail has help and the version, and on a phone the menu has both', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const width of [1440, 800, 360]) {
      await page.setViewportSize({ width, height: 740 })
      await page.goto(at('profile'))
      await page.getByRole('heading', { name: 'Profile' }).waitFor()
      if (width === 360) await page.locator('.account-button').click()
      await page
        .getByText(/v\d+\.\d+\.\d+$/)
        .filter({ visible: true })
        .waitFor()
      expect([width, await flaws(page, `help-${width}`)]).toEqual([width, []])
      await page.getByRole('button', { name: 'Help' }).click()
      await dialog.getByText(/^Sonant \d/).waitFor()
      expect([width, await flaws(page)]).toEqual([width, []])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    // Where its owner was.
    await page.locator('.account-button:focus').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the menu of the account lies over what is sticky on the page', async () => {
    const { service, owner, account, at } = opened()
    for (let made = 0; made < 20; made++) await insertJob(service.runtime.db, account)
    const { page } = await openPage(owner, service.url)
    await page.goto(at('jobs'))
    await page.locator('tbody tr[data-job]').nth(19).waitFor()
    await page.locator('.account-button').click()
    const menu = page.locator('.menu')
    const covered = await menu.evaluate((element) => {
      const { top, bottom, right } = element.getBoundingClientRect()
      const heights = Array.from({ length: 20 }, (_, part) => top + 12 + ((bottom - top - 24) * part) / 19)
      return heights.filter((y) => !element.contains(document.elementFromPoint(right - 6, y)))
    })
    expect(covered).toEqual([])
    await page.close()
  })
}
