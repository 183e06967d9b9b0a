import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { writeWav } from '../../../src/audio/wav.ts'
import { openPage } from '../../setup/browser.ts'
import { call } from '../../setup/http.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { applyEndpoint } from '../../setup/jobs/voice-jobs.ts'
import { testCertificates } from '../../setup/servers/certificates.ts'
import { startReceiver } from '../../setup/servers/receiver.ts'
import { sweep } from '../../setup/speech/sound.ts'
import type { OpenedConsole } from './opened-console.ts'

const MOST_CLICKS = 45
/** Two thousand words, in as many characters as the endpoint takes. */
const LONG_TEXT = 'It is a long day at sea. '.repeat(286).trim()
const SHORT_TEXT = 'The lighthouse was dark.'
const CLONING = { kind: 'openai-speech', base_url: 'http://127.0.0.1:9', model: 'm', pool: 'none' }
const RECORDING = {
  name: 'host.wav',
  mimeType: 'audio/wav',
  buffer: Buffer.from(writeWav(sweep(6, 16_000).samples, 16_000)),
}

/** The hands of a user: what they press is counted, the letters of a text are not. */
class Hands {
  clicks = 0
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async press(what: Locator): Promise<void> {
    this.clicks++
    await what.click()
  }

  /** A press of a link of the rail. */
  open(name: string): Promise<void> {
    return this.press(this.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }))
  }

  button(name: string | RegExp): Promise<void> {
    return this.press(this.page.getByRole('button', { name, exact: true }).filter({ visible: true }).first())
  }

  /** A field that has the focus already needs no press. */
  async write(field: Locator, text: string): Promise<void> {
    await field.waitFor()
    if (!(await field.evaluate((element) => element === document.activeElement))) await this.press(field)
    await this.page.keyboard.press('Control+a')
    await this.page.keyboard.insertText(text)
  }
}

/** A new user's ten tasks, from the overview on. */
export function tenTasksJourney(opened: () => OpenedConsole): void {
  test(`a new user does ten tasks in at most ${MOST_CLICKS} clicks`, async () => {
    const { service, owner, account, at } = opened()
    const receiver = await startReceiver(testCertificates().good)
    onTestFinished(() => receiver.close())
    let isBroken = true
    receiver.on('/hook', (response) => response.writeHead(isBroken ? 500 : 204).end())
    await insertJob(service.runtime.db, account, { status: 'failed', errorCode: 'PROVIDER_UNAVAILABLE' })
    const { page, complaints } = await openPage(owner, service.url)
    const hands = new Hands(page)
    const counts: Record<string, number> = {}
    const task = async (name: string, perform: () => Promise<void>): Promise<void> => {
      const before = hands.clicks
      await perform()
      counts[name] = hands.clicks - before
    }
    await page.goto(at(''))
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await speakTasks(hands, task)
    await jobTasks(hands, task)
    await task('a key with less, used and deleted', () => useKey(hands, service.url))
    await task('a webhook that fails and is sent again', async () => {
      await hands.open('Webhooks')
      await hands.write(page.getByLabel('URL'), `${receiver.url}/hook`)
      await hands.button('Save')
      await hands.button('Send a test')
      await page.getByText(/500/).first().waitFor()
      isBroken = false
      await hands.button('Send again')
      await page.getByText('Succeeded').first().waitFor()
    })
    // The operator has an engine for voices of the account.
    await applyEndpoint(service.runtime, 'own-voices', CLONING, { library_voices: true, name: 'Cloning' })
    await accountTasks(hands, task)
    const all = Object.values(counts).reduce((sum, clicks) => sum + clicks, 0)
    process.stderr.write(
      `${Object.entries(counts)
        .map(([name, clicks]) => `${clicks} ${name}`)
        .join('\n')}\n${all} clicks\n`,
    )
    expect(Object.keys(counts)).toHaveLength(10)
    expect(all).toBeLessThanOrEqual(MOST_CLICKS)
    expect(complaints).toEqual([])
    await page.close()
  }, 240_000)
}

type Task = (name: string, perform: () => Promise<void>) => Promise<void>

async function speakTasks(hands: Hands, task: Task): Promise<void> {
  const { page } = hands
  const text = page.getByLabel('Text', { exact: true })
  const takes = page.locator('.take').filter({ hasText: 'of audio' })
  await task('speak', async () => {
    await hands.open('Playground')
    await hands.write(text, SHORT_TEXT)
    await hands.button(/^Speak/)
    await takes.nth(0).waitFor()
  })
  await task('another voice', async () => {
    await hands.press(page.locator('.voice').nth(1))
    await hands.button(/^Speak/)
    await takes.nth(1).waitFor()
  })
  await task('2,000 words', async () => {
    expect(LONG_TEXT.split(' ').length).toBeGreaterThanOrEqual(2000)
    await hands.write(text, LONG_TEXT)
    await hands.button(/^Speak/)
    await takes.nth(2).waitFor({ timeout: 120_000 })
  })
}

async function jobTasks(hands: Hands, task: Task): Promise<void> {
  const { page } = hands
  await task('find out why a job failed', async () => {
    await hands.open('Jobs')
    await hands.press(page.locator('.segment', { hasText: 'Failed' }))
    await hands.press(page.locator('tbody tr[data-job] a').first())
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.locator('.notice.bad').first().waitFor()
  })
  await task('export failed jobs of the last hour', async () => {
    await hands.press(page.locator('.crumb', { hasText: 'Jobs' }))
    await hands.press(page.getByText('Export'))
    const download = page.waitForEvent('download')
    await hands.press(page.getByRole('link', { name: /^These jobs, last hour/ }))
    expect(await readFile(await (await download).path(), 'utf8')).toContain('PROVIDER_UNAVAILABLE')
  })
}

async function useKey(hands: Hands, url: string): Promise<void> {
  const { page } = hands
  await hands.open('API keys')
  await hands.button('Create a key')
  const dialog = page.getByRole('dialog')
  await hands.write(dialog.getByLabel('Name'), 'reads jobs')
  const scopes = dialog.locator('fieldset label')
  await scopes.first().waitFor()
  for (const scope of await scopes.filter({ hasNotText: 'job:read' }).all())
    if (await scope.getByRole('checkbox').isChecked()) await hands.press(scope)
  await hands.press(dialog.getByRole('button', { name: 'Create' }))
  const key = (await page.locator('.secret code').textContent()) ?? ''
  await hands.press(dialog.getByLabel('I have stored it'))
  await hands.press(dialog.getByRole('button', { name: 'Done' }))
  expect((await call(`${url}/api/v1/jobs`, { key })).status).toBe(200)
  await hands.button('Delete reads jobs')
  await hands.write(dialog.getByRole('textbox'), 'reads jobs')
  await hands.press(dialog.getByRole('button', { name: 'Delete the key' }))
  await dialog.waitFor({ state: 'detached' })
  expect((await call(`${url}/api/v1/jobs`, { key })).status).toBe(401)
}

async function accountTasks(hands: Hands, task: Task): Promise<void> {
  const { page } = hands
  const dialog = page.getByRole('dialog')
  await task('invite', async () => {
    await hands.open('People')
    await hands.button('Add a person')
    await hands.write(dialog.getByLabel('E-mail address'), 'colleague@example.com')
    await hands.press(dialog.getByRole('button', { name: 'Add and make a link' }))
    await hands.press(dialog.getByRole('button', { name: 'Copy' }).first())
    await hands.press(dialog.getByRole('checkbox'))
    await hands.press(dialog.getByRole('button', { name: 'Done' }))
  })
  await task("a word's pronunciation", async () => {
    await hands.open('Lexicon')
    await hands.button('Add a word')
    await hands.write(dialog.getByLabel('Word', { exact: true }), 'Leicester')
    await hands.write(dialog.getByLabel('Spoken as'), 'Lester')
    await hands.press(dialog.getByRole('button', { name: 'Add', exact: true }))
    await page.getByRole('row', { name: /Leicester/ }).waitFor()
  })
  await task("a voice of one's own", async () => {
    await hands.open('Voices')
    await hands.button('Upload')
    const chooser = page.waitForEvent('filechooser')
    await hands.press(dialog.locator('.drop-zone'))
    await (await chooser).setFiles(RECORDING)
    await dialog.getByText(/^6\.0 s/).waitFor()
    await hands.write(dialog.getByLabel('How the speaker has agreed'), 'My own voice')
    await hands.press(dialog.getByLabel('I confirm'))
    await hands.press(dialog.getByRole('button', { name: 'Add the voice' }))
    await page.getByRole('button', { name: 'Play host' }).waitFor()
  })
}
