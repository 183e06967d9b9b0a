import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { flaws, openPage } from '../../../setup/browser.ts'
import { finishedJob } from '../../../setup/jobs/fixtures.ts'
import { applyEndpoint, submitText } from '../../../setup/jobs/voice-jobs.ts'
import { type OpenedConsole, ownName } from '../opened-console.ts'

const TEXT = 'The lighthouse had been dark for eleven years. Then somebody lit the lamp again.'
/** Seconds, as the player's element has them. */
const heardAt = (page: Page): Promise<number> => page.evaluate('document.querySelector("audio").currentTime')

/** Journeys through the text along the audio. */
export function captionsJourneys(opened: () => OpenedConsole): void {
  test('words are marked as they are heard, lead to their place in the audio, and come as a file', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('playground'))
    await page.getByLabel('Text', { exact: true }).fill(TEXT)
    await page.keyboard.press('Control+Enter')
    // It is still heard when it is paused below, however busy the machine is.
    await page.locator('.take audio').evaluate((audio: HTMLAudioElement) => {
      audio.defaultPlaybackRate = audio.playbackRate = 0.25
    })
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

  test('takes of two voices stand side by side, one is heard at a time, and all as loud as one says', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('playground'))
    await page.getByLabel('Text', { exact: true }).fill(TEXT)
    const takes = page.locator('.take')
    for (const voice of ['Aria', 'Clara']) {
      await page.locator('.voice', { hasText: voice }).first().click()
      await page.getByRole('button', { name: /^Speak/ }).click()
      await takes.first().getByText('of audio').waitFor()
    }
    await page.getByText('Side by side').click()
    // The newer one moves to its place for a moment.
    await expect
      .poll(async () => {
        const [one, other] = [await takes.nth(0).boundingBox(), await takes.nth(1).boundingBox()]
        return [Math.round((one?.y ?? 0) - (other?.y ?? 1)), (one?.x ?? 0) < (other?.x ?? 0)]
      })
      .toEqual([0, true])
    const playing = () =>
      page.evaluate<boolean[]>('[...document.querySelectorAll("audio")].map(({ paused }) => !paused)')
    /** A take that begins by itself may do so at any moment: it is pressed for as long as it is still. */
    const played = (take: number) => async () => {
      await page.evaluate('document.querySelectorAll("audio").forEach((audio) => { audio.loop = true })')
      if (!(await playing())[take]) await takes.nth(take).getByRole('button', { name: /^Play/ }).click()
      return playing()
    }
    await expect.poll(played(0)).toEqual([true, false])
    await expect.poll(played(1)).toEqual([false, true])
    await takes.nth(1).getByLabel('Volume').fill('0.25')
    await expect
      .poll(() => page.evaluate('[...document.querySelectorAll("audio")].map(({ volume }) => volume)'))
      .toEqual([0.25, 0.25])
    expect([await flaws(page, 'takes'), complaints]).toEqual([[], []])
    await page.close()
  })

  // Its endpoint is the first one of the playground from here on.
  test('a job has an audiobook among its downloads if it is stored as one', async () => {
    const { service, owner, account, at } = opened()
    const { apiKey } = await service.createKey(account)
    const slug = ownName('books')
    await applyEndpoint(service.runtime, slug, {}, { audio: { formats: ['m4b'] } })
    const { page, complaints } = await openPage(owner, service.url)
    const formatsOf = async (endpoint: string, voice: string) => {
      const jobId = await submitText(service.url, apiKey, endpoint, TEXT, voice)
      await finishedJob(service.url, apiKey, jobId)
      await page.goto(at(`jobs/${jobId}`))
      await page.getByText('Download', { exact: true }).click()
      return page.locator('a.menu-item[download]').allTextContents()
    }
    expect(await formatsOf('tts', 'aria')).toEqual(['WAV', 'MP3', 'OPUS', 'FLAC'])
    expect(await formatsOf(slug, 'calm')).toEqual(['WAV', 'MP3', 'OPUS', 'FLAC', 'M4B'])
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'M4B' }).click()
    const file = await readFile(await (await download).path())
    expect([(await download).suggestedFilename(), file.toString('latin1', 4, 12)]).toEqual([
      expect.stringMatching(/\.m4b$/),
      'ftypM4B ',
    ])
    expect(complaints).toEqual([])
    await page.close()
  })
}
