import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { writeWav } from '../../../../src/audio/wav.ts'
import { deleteEndpoint } from '../../../../src/catalog/change-catalog.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { applyEndpoint } from '../../../setup/jobs/voice-jobs.ts'
import { sweep } from '../../../setup/speech/sound.ts'
import type { OpenedConsole } from '../opened-console.ts'

const ENGINE = { kind: 'openai-speech', base_url: 'http://127.0.0.1:9', model: 'm', pool: 'none' }
const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'audio/wav', buffer })
/** So long that a press on it is seen to be heard on a busy machine as well. */
const TONE = file('host_one.wav', Buffer.from(writeWav(sweep(6, 16_000).samples, 16_000)))

const REFUSED = { errors: [{ message: 'Not now.', extensions: { code: 'INTERNAL_ERROR' } }] }

/** The voice library, from an empty one to a voice that is spoken with. */
export function voicesJourneys(opened: () => OpenedConsole): void {
  test('a recording becomes a voice once its speaker has agreed; it is heard, renamed, picked and deleted; a take becomes one as well', async () => {
    const { service, owner, account, at } = opened()
    // Those of an attempt before.
    await service.runtime.db.pool.query('delete from account_voice where account_id = $1', [account])
    // The browser itself reports what the service refuses below.
    const { page, complaints } = await openPage(owner, service.url, /status of 400/)
    await applyEndpoint(service.runtime, 'tts-own', ENGINE, { library_voices: true, name: 'Cloning' })
    onTestFinished(async () => {
      await deleteEndpoint(service.runtime.as({ kind: 'system' }), { slug: 'tts-own' })
    })
    await page.goto(at('voices'))
    await page.getByText('No voices of your own yet').waitFor()
    expect(await flaws(page, 'voices-empty')).toEqual([])
    const dialog = page.getByRole('dialog', { name: 'Add a voice' })
    const add = async (consent: string) => {
      await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
      await dialog.getByLabel('Recording', { exact: true }).setInputFiles(TONE)
      await dialog.getByText(/^6\.0 s/).waitFor()
      await dialog.getByLabel('How the speaker has agreed').fill(consent)
      await dialog.getByLabel('I confirm').check()
    }
    await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
    await dialog.getByLabel('Recording', { exact: true }).setInputFiles(file('empty.wav', Buffer.alloc(0)))
    await dialog.getByText('This file is empty.').waitFor()
    await dialog.getByLabel('Name').fill('')
    expect(await flaws(page, 'voices-upload')).toEqual([])
    await page.keyboard.press('Escape')
    await add('My own voice')
    expect(await dialog.getByLabel('Name').inputValue()).toBe('host one')
    await dialog.getByLabel('I confirm').uncheck()
    expect(await dialog.getByRole('button', { name: 'Add the voice' }).isDisabled()).toBe(true)
    await dialog.getByLabel('I confirm').check()
    await dialog.getByLabel('Transcript').fill('A tone that rises.')
    await dialog.getByRole('button', { name: 'Add the voice' }).click()
    await page.getByRole('button', { name: 'Play host one' }).click()
    await page.getByRole('button', { name: 'Stop host one' }).waitFor()
    await add('Again')
    await dialog.getByRole('button', { name: 'Add the voice' }).click()
    await dialog.getByText('The name is taken by another voice.').waitFor()
    await dialog.getByLabel('Name').fill('second')
    await dialog.getByRole('button', { name: 'Add the voice' }).click()
    await page.getByRole('button', { name: 'Rename second' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('guest')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Delete guest' }).waitFor()
    expect(await flaws(page, 'voices')).toEqual([])
    await page.getByRole('button', { name: 'Delete guest' }).click()
    await page.getByRole('button', { name: 'Delete the voice' }).click()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('link', { name: 'Speak as host one' }).click()
    await expect.poll(() => page.getByRole('radio', { name: /host one/ }).isChecked()).toBe(true)
    await speaksAsItself(page)
    await page.getByLabel('Kind of the voices').selectOption('Preset')
    await expect.poll(() => page.getByRole('radio', { name: /host one/ }).count()).toBe(0)
    await page.getByLabel('Kind of the voices').selectOption('Cloned')
    await page.waitForURL(/[?&]kind=cloned/)
    await page.reload()
    await expect.poll(() => page.locator('.voice').allTextContents()).toEqual([expect.stringContaining('host one')])
    expect(await flaws(page, 'playground-kinds')).toEqual([])
    await becomesVoice(page, at)
    expect(complaints).toEqual([])
    await page.close()
  })
}

/** A take as the recording of another voice: what was spoken is its transcript. */
async function becomesVoice(page: Page, at: (path: string) => string): Promise<void> {
  await page.goto(at('playground?endpoint=tts'))
  await page.getByLabel('Text', { exact: true }).fill('This is how I sound.')
  await page.keyboard.press('Control+Enter')
  const take = page.locator('.take').first()
  await take.getByText('of audio').waitFor()
  await take.getByRole('button', { name: 'Make a voice of this' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a voice' })
  await dialog.getByText(/^\d+\.\d s/).waitFor()
  expect(await dialog.getByLabel('Transcript').inputValue()).toBe('This is how I sound.')
  // With the styles of the screen of voices, which this page has not opened.
  expect(await dialog.locator('.drop-zone').evaluate((zone) => getComputedStyle(zone).borderTopStyle)).toBe('dashed')
  expect(await flaws(page, 'reference')).toEqual([])
  await dialog.getByLabel('Name').fill('echo')
  await dialog.getByLabel('How the speaker has agreed').fill('A voice of this service')
  await dialog.getByLabel('I confirm').check()
  await dialog.getByRole('button', { name: 'Add the voice' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.goto(at('voices'))
  await page.getByRole('button', { name: 'Play echo' }).waitFor()
}

/** A link to a voice of the account speaks by no other one while those are loaded, nor where they cannot be. */
async function speaksAsItself(page: Page): Promise<void> {
  await page.getByLabel('Text', { exact: true }).fill('By nobody else.')
  const speak = page.getByRole('button', { name: /^Speak/ })
  await expect.poll(() => speak.isEnabled()).toBe(true)
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('query OwnVoices') ? route.fulfill({ json: REFUSED }) : route.fallback(),
  )
  await page.reload()
  await page.getByText('Not now.').waitFor()
  await page.getByLabel('Text', { exact: true }).fill('By nobody else.')
  expect([await speak.isEnabled(), await page.getByText('asks for the voice').count()]).toEqual([false, 0])
  await page.unroute('**/graphql')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => speak.isEnabled()).toBe(true)
}
