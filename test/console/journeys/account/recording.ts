import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { writeWav } from '../../../../src/audio/wav.ts'
import { deleteEndpoint } from '../../../../src/catalog/change-catalog.ts'
import { flaws, openHearing, openPage } from '../../../setup/browser.ts'
import { applyEndpoint } from '../../../setup/jobs/voice-jobs.ts'
import { type OpenedConsole, ownName, signIn } from '../opened-console.ts'

const ENGINE = { kind: 'openai-speech', base_url: 'http://127.0.0.1:9', model: 'm', pool: 'none' }
const RATE = 48_000

/** Words of 0.3 s with pauses of 0.2 s, as loud as speech close to a microphone. */
const WORDS = Int16Array.from({ length: 5 * RATE }, (_, at) =>
  (at / RATE) % 0.5 < 0.3 ? 9000 * Math.sin((2 * Math.PI * 220 * at) / RATE) : 20 * Math.sin(at * at),
)

/** Keeps the sounds that the page was given. */
const KEEP_STREAMS = `
  globalThis.streams = []
  const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
  navigator.mediaDevices.getUserMedia = async (wanted) => {
    globalThis.wanted = wanted.audio
    if (globalThis.isGone && wanted.audio.deviceId) throw new OverconstrainedError('deviceId', 'It is gone.')
    const stream = await ask(wanted)
    globalThis.streams.push(stream)
    return stream
  }`
const listening = (page: Page) =>
  page.evaluate(`streams.filter((one) => one.getTracks().some(({ readyState }) => readyState === 'live')).length`)

/** A voice that is recorded in the browser. */
export function recordingJourneys(opened: () => OpenedConsole): void {
  test('a text that is read aloud becomes a voice that can be chosen; the microphone is asked for, and on only while it is needed', async () => {
    const { service, at } = opened()
    await applyEndpoint(service.runtime, 'tts-read', ENGINE, { library_voices: true, name: 'Cloning' })
    onTestFinished(async () => {
      await deleteEndpoint(service.runtime.as({ kind: 'system' }), { slug: 'tts-read' })
    })
    await using stack = new AsyncDisposableStack()
    const context = await hearingContext(stack)
    const { page, complaints } = await openPage(context, service.url)
    await page.addInitScript(KEEP_STREAMS)
    await page.goto(at('voices'))
    await signIn(page, 'owner@example.com')
    const dialog = page.getByRole('dialog', { name: 'Record a voice' })
    await record(page)
    await dialog
      .getByRole('alert')
      .getByText(/does not let this page use the microphone: allow it/)
      .waitFor()
    expect(await flaws(page, 'record-denied')).toEqual([])
    await context.grantPermissions(['microphone'], { origin: service.url })
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByText('Good', { exact: true }).waitFor()
    expect(await listening(page)).toBe(1)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await listening(page)).toBe(0)
    await addsVoice(page, await readsAloud(page))
    expect(complaints).toEqual([])
  })
}

const record = (page: Page) => page.getByRole('button', { name: 'Record', exact: true }).first().click()

/** Opens a browser whose microphones hear the words. */
async function hearingContext(stack: AsyncDisposableStack): Promise<BrowserContext> {
  const folder = await mkdtemp(join(tmpdir(), 'sonant-microphone-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'words.wav')
  await writeFile(file, writeWav(WORDS, RATE))
  const browser = await openHearing(file)
  stack.defer(() => browser.close())
  return browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' })
}

/** Returns the text. */
async function readsAloud(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Record a voice' })
  await record(page)
  await dialog.getByText('Good', { exact: true }).waitFor()
  expect(await dialog.getByRole('meter', { name: 'Level' }).getAttribute('aria-valuetext')).toBe('Good')
  const untouched = { echoCancellation: false, autoGainControl: false, noiseSuppression: false }
  expect(await page.evaluate('wanted')).toMatchObject(untouched)
  await dialog.getByLabel('Language you read in').selectOption('German')
  const text = await dialog.locator('[lang=de]').innerText()
  expect(text).toMatch(/^Jeden Morgen/)
  await dialog.getByLabel('Microphone').selectOption('Fake Audio Input 2')
  await expect.poll(() => page.evaluate('streams.at(-1).getTracks()[0].label')).toBe('Fake Audio Input 2')
  await dialog.getByText('Good', { exact: true }).waitFor()
  expect(await listening(page)).toBe(1)
  expect(await flaws(page, 'record-ready')).toEqual([])
  await recordsFor(page, /^0:0[1-9]/)
  await dialog.getByText(/^This recording can be used/).waitFor()
  await dialog.getByText(/^It lasts \d\.\d seconds\. A voice gets better/).waitFor()
  await dialog.getByText(/^The room is quiet: the voice is \d\d dB above it/).waitFor()
  expect(await listening(page)).toBe(0)
  expect(await flaws(page, 'record-done')).toEqual([])
  await dialog.getByRole('button', { name: 'Play the recording' }).click()
  await dialog.getByRole('button', { name: 'Stop the recording' }).waitFor()
  await page.evaluate('globalThis.isGone = true')
  await dialog.getByRole('button', { name: 'Record again' }).click()
  await recordsFor(page, /^0:0[1-9]/)
  await page.keyboard.press('Escape')
  await dialog.getByRole('alert').getByText('The recording is lost if you close this.').waitFor()
  await dialog.getByRole('button', { name: 'Use this recording' }).click()
  return text
}

async function recordsFor(page: Page, time: RegExp): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Record a voice' })
  const button = dialog.getByRole('button', { name: 'Record', exact: true })
  await expect.poll(() => button.isEnabled()).toBe(true)
  await button.click()
  await dialog.getByRole('timer').getByText(time).waitFor()
  await dialog.getByRole('button', { name: 'Stop', exact: true }).click()
}

/** The form of an upload has the recording, its text and its language. */
async function addsVoice(page: Page, text: string): Promise<void> {
  const name = ownName('reader')
  const form = page.getByRole('dialog', { name: 'Add a voice' })
  await form.getByText(/^\d\.\d s/).waitFor()
  expect(await form.getByLabel('Transcript').inputValue()).toBe(text)
  expect(await form.getByLabel('Language').inputValue()).toBe('German')
  await form.getByLabel('Name').fill(name)
  await form.getByLabel('How the speaker has agreed').fill('My own voice')
  await form.getByLabel('I confirm').check()
  await form.getByRole('button', { name: 'Add the voice' }).click()
  await page.getByRole('link', { name: `Speak as ${name}` }).click()
  await expect.poll(() => page.getByRole('radio', { name: new RegExp(name) }).isChecked()).toBe(true)
}
