import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
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
    expect([await page.evaluate('document.activeElement.tagName'), complaints]).toEqual(['BUTTON', []])
    await page.close()
  })
}
