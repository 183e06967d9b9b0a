import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import type { OpenedConsole } from '../opened-console.ts'

const EMPTIED = `update lexicon set entries = '[]', revision = revision + 1 where account_id = $1`
const TEXT = 'Dr. Lee paid $1.50 on 11/28/2026, and ran 5 km. She was glad.\n\nCO₂ fell by 3 %.'

/** For eyes, into the folder CONSOLE_PICTURES where it is set. */
async function pictures(page: Page): Promise<void> {
  const folder = process.env.CONSOLE_PICTURES
  if (!folder) return
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1440]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      await page.screenshot({ path: join(folder, `reading-${width}-${colorScheme}.png`), fullPage: true })
    }
}

/** The playground's text as it will be read. */
export function readingJourneys(opened: () => OpenedConsole): void {
  test('a text is shown as it will be read, and a press on a part of it makes a lexicon entry, by keyboard too', async () => {
    const { service, owner, account, at } = opened()
    await service.runtime.db.pool.query(EMPTIED, [account])
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('playground'))
    const sheet = page.getByLabel('Text', { exact: true })
    await sheet.fill('Good morning to you and to all of your friends.')
    const toggle = page.getByRole('button', { name: 'How it will be read' })
    expect(await toggle.getAttribute('aria-expanded')).toBe('false')
    await toggle.focus()
    await page.keyboard.press('Enter')
    const reading = page.getByRole('region', { name: 'How it will be read' })
    await reading.getByText('Everything is spoken as it is written.').waitFor()
    expect(await toggle.getAttribute('aria-expanded')).toBe('true')
    await sheet.fill(TEXT)
    const money = reading.getByRole('button', { name: '$1.50 is read as one dollar fifty cents' })
    await money.waitFor()
    await reading.getByText('6 parts are spoken in other words.').waitFor()
    expect(await reading.getByText('English').count()).toBe(1)
    const written = await reading
      .locator('.reading-text')
      .evaluate((box) =>
        [...box.childNodes]
          .map(
            (node) => ('querySelector' in node ? (node as Element).querySelector('.read-written') : node)?.textContent,
          )
          .join(''),
      )
    expect(written).toBe(TEXT)
    expect(await flaws(page, 'reading')).toEqual([])
    await pictures(page)
    await page.setViewportSize({ width: 1440, height: 900 })
    await money.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Add a word' })
    await dialog.waitFor()
    expect([
      await dialog.getByRole('textbox', { name: 'Word' }).inputValue(),
      await dialog.getByLabel('Spoken as').inputValue(),
      await dialog.getByLabel('Language').inputValue(),
    ]).toEqual(['$1.50', 'one dollar fifty cents', 'English'])
    expect(await flaws(page, 'reading-word')).toEqual([])
    await dialog.getByLabel('Spoken as').fill('a buck fifty')
    await page.keyboard.press('Control+Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.locator('.read-part:focus').waitFor()
    // The form around it has spoken nothing.
    expect(await page.locator('.take').count()).toBe(0)
    const { rows } = await service.runtime.db.pool.query('select entries from lexicon where account_id = $1', [account])
    expect(rows).toEqual([{ entries: [{ language: 'English', grapheme: '$1.50', alias: 'a buck fifty' }] }])
    // The text is read anew, and the entry is changed where it is.
    await reading.getByRole('button', { name: '$1.50 is read as a buck fifty' }).click()
    const again = page.getByRole('dialog', { name: 'Change the word' })
    await again.waitFor()
    expect(await again.getByLabel('Spoken as').inputValue()).toBe('a buck fifty')
    await page.keyboard.press('Escape')
    await again.waitFor({ state: 'detached' })
    await toggle.click()
    await reading.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await page.close()
  })
}
