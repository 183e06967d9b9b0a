import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { flaws, openPage } from '../../setup/browser.ts'
import type { OpenedConsole } from './opened-console.ts'

const TEXT = 'The lighthouse had been dark for eleven years. Then somebody lit the lamp again.'
/** Seconds, as the player's element has them. */
const heardAt = (page: Page): Promise<number> => page.evaluate('document.querySelector("audio").currentTime')

/** What is spoken, along the audio. */
export function captionsJourneys(opened: () => OpenedConsole): void {
  test('words are marked as they are heard, lead to their place in the audio, and come as a file', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('playground'))
    await page.getByLabel('Text', { exact: true }).fill(TEXT)
    await page.keyboard.press('Control+Enter')
    await page.getByText('of audio').first().waitFor()
    const words = page.locator('.transcript [data-word]')
    await page.locator('.transcript .now').waitFor()
    expect(await words.allTextContents()).toContain('lamp')
    await page.getByRole('button', { name: /^Pause/ }).click()
    await page.getByText('Download').click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'VTT captions' }).click()
    const file = await readFile(await (await download).path(), 'utf8')
    expect([(await download).suggestedFilename(), file.slice(0, 6), file.includes('lamp')]).toEqual([
      expect.stringMatching(/^aria_.*\.vtt$/),
      'WEBVTT',
      true,
    ])
    await page.getByRole('link', { name: 'Open the job' }).click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await words.getByText('lamp').click()
    const atLamp = await heardAt(page)
    await page.locator('.transcript .now', { hasText: 'lamp' }).waitFor()
    expect(await flaws(page, 'job-captions')).toEqual([])
    await page.getByRole('button', { name: /^Then somebody/ }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => heardAt(page)).toBeLessThan(atLamp)
    expect(complaints).toEqual([])
    expect(await heardAt(page)).toBeGreaterThan(1)
    await page.close()
  })
}
