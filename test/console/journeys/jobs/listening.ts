import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { notifyJob } from '../../../../src/jobs/live/notify-job.ts'
import { createUser } from '../../../../src/users/create-user.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { endpoint } from '../../../setup/jobs/fixtures.ts'
import { applyEndpoint } from '../../../setup/jobs/voice-jobs.ts'
import { PASSWORD } from '../../../setup/service/users.ts'
import { ahead, type OpenedConsole, ownEmail, signIn } from '../opened-console.ts'

const REFUSED = {
  errors: [{ message: 'Wait before the next request.', extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 20 } }],
}
const WITH_DEFAULTS = {
  warm: { type: 'boolean', default: true },
  pace: { type: 'number', default: 1.5 },
  mood: { type: 'string', enum: ['calm', 'loud'], default: 'calm' },
  tags: { type: 'array' },
}
const LOAD = 'update job set loading_attempt = attempt where id = $1'
const FAIL = `update job set status = 'failed', error_code = 'PROVIDER_BUSY', completed_at = now() where id = $1`
const UNPAID = {
  data: { submitVoiceJob: { __typename: 'RequestError', code: 'PAYMENT_REQUIRED', message: 'Top up the account.' } },
}
const REFUSED_INPUT = {
  data: {
    submitVoiceJob: {
      __typename: 'RequestError',
      code: 'INVALID_REQUEST',
      message: 'Mend the inputs.',
      details: [{ path: '/inputs/text', message: 'Too quiet.' }],
    },
  },
}
const MEDIA_GONE = /404 \(Not Found\)/

async function cancelCharged(take: Locator): Promise<void> {
  await take.getByText('processing').waitFor()
  await take.getByRole('button', { name: 'Cancel' }).click()
  await take.page().getByRole('button', { name: 'Cancel the job' }).click()
}

/** Answers an operation in place of the service. */
const answer = (page: Page, operation: string, json: unknown) =>
  page.route('**/graphql', (route) =>
    route.request().postData()?.includes(operation) ? route.fulfill({ json }) : route.fallback(),
  )

/** As a worker does whose engine loads the voice, and then is busy. */
async function failTake({ service, account }: OpenedConsole, take: Locator): Promise<void> {
  await take.getByText('processing').waitFor()
  const jobId = (await take.getByRole('link', { name: 'Open the job' }).getAttribute('href'))?.split('/').at(-1) ?? ''
  const change = async (sql: string) => {
    await service.runtime.db.pool.query(sql, [jobId])
    notifyJob(service.runtime, { accountId: account, jobId })
  }
  await change(LOAD)
  await take.getByRole('status').getByText('The voice is being loaded.').waitFor()
  await change(FAIL)
}

/** Said to screen readers. */
const isSaid = (page: Page, text: RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' })

/** Takes, samples and the audio of jobs, while they are waited for and when they cannot be had. */
export function listeningJourneys(opened: () => OpenedConsole): void {
  test('takes that nothing is heard of yet hold one connection together, and none once their screen is left', async () => {
    const { service, owner, at } = opened()
    await applyEndpoint(service.runtime, 'waiting', { base_url: 'http://127.0.0.1:9' })
    const { page, complaints } = await openPage(owner, service.url)
    const pending = new Set<unknown>()
    service.app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (!request.url?.startsWith('/media/live/')) return
      pending.add(response)
      response.on('close', () => pending.delete(response))
    })
    await page.goto(at('playground?endpoint=waiting'))
    await page.getByLabel('Text', { exact: true }).fill('Who waits for whom?')
    for (const made of [1, 2, 3]) {
      await page.keyboard.press('Control+Enter')
      await expect.poll(() => page.locator('.take').count()).toBe(made)
    }
    await expect.poll(() => pending.size).toBe(1)
    await page.waitForTimeout(1000)
    expect([pending.size, await page.getByText('cannot be loaded').count()]).toEqual([1, 0])
    await page.locator('.rail-link[title=Jobs]').click()
    await expect.poll(() => pending.size).toBe(0)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a form shows the defaults of its schema, how long a text may be, and which JSON does not parse, its link the language, and a take that failed is retried as a new one', async () => {
    const { service, owner, at } = opened()
    const { inputs, voices } = endpoint('form')
    const properties = { ...inputs.properties, ...WITH_DEFAULTS }
    await applyEndpoint(
      service.runtime,
      'form',
      { base_url: 'http://127.0.0.1:9' },
      {
        inputs: { ...inputs, properties },
        voices: ['English', 'German'].map((language) => ({ ...voices[0], slug: language.toLowerCase(), language })),
      },
    )
    const { page, complaints } = await openPage(owner, service.url, MEDIA_GONE)
    await page.goto(at('playground?endpoint=form'))
    expect(await page.getByLabel('Warm (optional)').isChecked()).toBe(true)
    expect(await page.getByLabel('Pace (optional)').getAttribute('placeholder')).toBe('1.5')
    expect(await page.getByLabel('Mood (optional)').locator('option').allTextContents()).toEqual([
      'calm (default)',
      'loud',
    ])
    await page.getByLabel('Language of the voices').selectOption('German')
    await page.waitForURL(at('playground?endpoint=form&language=German'))
    await page.reload()
    await page.getByLabel('Language of the voices').waitFor()
    expect(await page.locator('.voice').count()).toBe(1)
    await page.getByLabel('Text', { exact: true }).fill('a'.repeat(501))
    const foot = page.locator('.sheet-foot')
    const tooLong = foot.getByRole('status').getByText('501 of 500 characters')
    await tooLong.waitFor()
    expect(await foot.locator('p[aria-live]').count()).toBe(0)
    await page.getByLabel('Text', { exact: true }).fill('Nobody speaks this.')
    await tooLong.waitFor({ state: 'detached' })
    const tags = page.getByLabel('Tags (optional)')
    await tags.fill('[1')
    await page.keyboard.press('Control+Enter')
    await page.locator('.hint').getByText('This is not valid JSON.').waitFor()
    expect([await tags.getAttribute('aria-invalid'), await page.locator('.take').count()]).toEqual(['true', 0])
    expect(await flaws(page)).toEqual([])
    await tags.fill('[1]')
    await page.keyboard.press('Control+Enter')
    await failTake(opened(), page.locator('.take'))
    await isSaid(page, /^The take by .+ has failed\.$/)
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect.poll(() => page.locator('.take').count()).toBe(2)
    const [again, first] = [page.locator('.take').first(), page.locator('.take').last()]
    await again.getByText('Nobody speaks this.').waitFor()
    await cancelCharged(again)
    await again.getByText('JOB_CANCELLED').waitFor()
    await isSaid(page, /^The take by .+ is cancelled\.$/)
    const retries = (take: Locator) => take.getByRole('button', { name: 'Retry' }).count()
    expect([await retries(first), await retries(again), complaints]).toEqual([1, 0, []])
    await page.close()
  })

  test('a playground without an endpoint leads an operator to them; a text that is not paid for says the balance, one that is wrong leads to its field', async () => {
    const { service, browser, owner, at } = opened()
    const member = await browser.newContext()
    for (const context of [owner, member]) {
      const { page, complaints } = await openPage(context, service.url)
      await page.goto(at('jobs'))
      if (context === member) await signIn(page, 'member@example.com')
      await answer(page, 'query Voices', { data: { myEndpoints: [] } })
      await page.goto(at('playground'))
      await page.getByText('Nothing can speak yet').waitFor()
      const isOperator = context === owner
      expect(await page.getByText('Ask your operator to publish').count()).toBe(isOperator ? 0 : 1)
      expect(await flaws(page)).toEqual([])
      if (isOperator) await page.getByRole('link', { name: 'Publish one' }).click()
      if (isOperator) await page.waitForURL(at('operator/endpoints'))
      expect(complaints).toEqual([])
      await page.close()
    }
    await member.close()
    const { page, complaints } = await openPage(owner, service.url)
    await answer(page, 'mutation Speak(', UNPAID)
    await page.goto(at('playground'))
    await page.getByLabel('Text', { exact: true }).fill('Nobody pays for this.')
    await page.keyboard.press('Control+Enter')
    await page.getByText(/^Your account has [\d,−]+ credits: your operator tops it up\.$/).waitFor()
    await answer(page, 'mutation Speak(', REFUSED_INPUT)
    await page.keyboard.press('Control+Enter')
    const path = page.getByRole('alert').getByRole('button', { name: 'Text', exact: true })
    await path.waitFor()
    await page.locator('div:focus', { hasText: 'Mend the inputs.' }).waitFor()
    expect(await page.getByText('Too quiet.').count()).toBe(1)
    expect(await flaws(page)).toEqual([])
    await path.click()
    await page.locator('#text:focus').waitFor()
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })

  test('text, settings and takes are there again after a reload and in a new tab, until their user signs out', async () => {
    const { service, browser, account, at } = opened()
    const email = ownEmail('kept')
    await createUser(service.runtime.as({ kind: 'system' }), { account, email, password: PASSWORD, role: 'member' })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('playground?endpoint=tts'))
    await signIn(page, email)
    await page.getByLabel('Text', { exact: true }).fill('This was spoken.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('of audio').first().waitFor()
    await page.getByRole('button', { name: 'Serious' }).click()
    await page.getByLabel('Text', { exact: true }).fill('This is not spoken yet.')
    const seen = async (tab: Page) => {
      const take = tab.locator('.take')
      await take.getByText('of audio').waitFor()
      await take.getByText('This was spoken.').waitFor()
      await tab.waitForFunction(() => (document.querySelector('audio')?.duration ?? 0) > 0)
      return [
        await tab.getByLabel('Text', { exact: true }).inputValue(),
        await tab.getByRole('textbox', { name: 'Style instruction' }).inputValue(),
        await take.count(),
        await tab.evaluate(() => document.querySelector('audio')?.paused),
      ]
    }
    await page.reload()
    const kept = ['This is not spoken yet.', 'Serious', 1, true]
    expect([await seen(page), await flaws(page)]).toEqual([kept, []])
    await page.close()
    const another = await context.newPage()
    await another.goto(at('playground?endpoint=tts'))
    expect(await seen(another)).toEqual(kept)
    // As JOB_TEXTS=off leaves a job.
    const gone = `update job set inputs = '{"characters": 16}' where account_id = $1 and inputs ->> 'text' = $2`
    await service.runtime.db.pool.query(gone, [account, 'This was spoken.'])
    await another.reload()
    await another.locator('.take').getByText('Text not kept').waitFor()
    await another.getByRole('button', { name: 'Hide this job here' }).click()
    await another.reload()
    await another.getByLabel('Text', { exact: true }).waitFor()
    await another.locator('.account-button').click()
    await another.getByRole('button', { name: 'Sign out' }).click()
    await another.getByLabel('E-mail address').waitFor()
    expect(
      await another.evaluate(() =>
        Object.keys({ ...localStorage, ...sessionStorage }).filter((key) => /draft|takes/.test(key)),
      ),
    ).toEqual([])
    await another.goto(at('playground?endpoint=tts'))
    await signIn(another, email)
    expect(await another.getByLabel('Text', { exact: true }).inputValue()).toBe('')
    expect([await another.locator('.take').count(), complaints]).toEqual([0, []])
    await context.close()
  })

  test('a text that is too long is said once, with how long it may be, and is not spoken until it fits', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    let submissions = 0
    page.on('request', (request) => {
      if (request.postData()?.includes('mutation Speak(')) submissions++
    })
    await page.goto(at('playground?endpoint=tts'))
    const text = page.getByLabel('Text', { exact: true })
    await text.fill('twelve. '.repeat(1500))
    await page.getByText('12,000 of 10,000 characters').waitFor()
    const speak = page.getByRole('button', { name: 'Speak' })
    await page.keyboard.press('Control+Enter')
    const main = page.locator('main')
    // The first is the note of the field, for screen readers; the last one its cost.
    const figures = ['10,000', '12,000', '10,000', '12,000']
    expect([await speak.isDisabled(), submissions, (await main.innerText()).match(/12,?000|10,?000/g)]).toEqual([
      true,
      0,
      figures,
    ])
    expect(await flaws(page)).toEqual([])
    await text.fill('Twelve.')
    await page.getByText('7 characters · 7 credits').waitFor()
    expect([await speak.isDisabled(), await page.getByRole('alert').count(), complaints]).toEqual([false, 0, []])
    await page.close()
  })

  test('a take that is charged is cancelled after a question', async () => {
    const { service, owner, at } = opened()
    await applyEndpoint(service.runtime, 'begun', { base_url: 'http://127.0.0.1:9' })
    // The live audio of a take that is cancelled before its first sound is gone.
    const { page, complaints } = await openPage(owner, service.url, MEDIA_GONE)
    await page.clock.install()
    const gone: string[] = []
    page.on('response', (response) => response.status() === 404 && gone.push(new URL(response.url()).pathname))
    await page.goto(at('playground?endpoint=begun'))
    await page.getByLabel('Text', { exact: true }).fill('An engine has begun with it.')
    await page.keyboard.press('Control+Enter')
    const take = page.locator('.take').first()
    await take.getByText('processing').waitFor()
    const slow = take.getByText('A worker has taken it, but the speech server has not answered yet.')
    await expect.poll(ahead(page, () => slow.count())).toBe(1)
    const dialog = page.getByRole('dialog', { name: 'Cancel this job?' })
    await take.getByRole('button', { name: 'Cancel' }).click()
    await dialog.getByText('its credits are refunded').waitFor()
    expect(await flaws(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await take.getByText('JOB_CANCELLED').count()).toBe(0)
    await take.getByRole('button', { name: 'Cancel' }).click()
    await dialog.getByRole('button', { name: 'Cancel the job' }).click()
    await take.getByText('JOB_CANCELLED').waitFor()
    // The subscription may say it before the cancellation is answered.
    await dialog.waitFor({ state: 'detached' })
    expect(gone.filter((path) => !path.startsWith('/media/live/'))).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('Enter in the search of the voices speaks nothing', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('playground?endpoint=tts'))
    await page.getByLabel('Text', { exact: true }).fill('Not yet.')
    await page.getByLabel('Search voices').fill('leo')
    await page.keyboard.press('Enter')
    await page.waitForTimeout(300)
    expect([await page.locator('.take').count(), await page.locator('.voice').count(), complaints]).toEqual([0, 1, []])
    await page.close()
  })

  test('the language of a text is said, what is set besides it stays for the way back, and an example can be spoken by the keys at once', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('playground?endpoint=tts'))
    await page.getByRole('button', { name: 'Whispering' }).click()
    await page.getByLabel('Text', { exact: true }).fill('Guten Morgen! Wie geht es dir?')
    await page.getByTitle('Detected language').getByText('German').waitFor()
    await page.getByLabel('Text', { exact: true }).fill('')
    expect(await page.getByTitle('Detected language').count()).toBe(0)
    await page.locator('.rail-link[title=Jobs]').click()
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await page.goBack()
    expect(await page.getByRole('textbox', { name: 'Style instruction' }).inputValue()).toBe('Whispering')
    await page.getByRole('button', { name: 'A greeting' }).click()
    await page.keyboard.press('Control+Enter')
    await page.locator('.take').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a text whose answer was lost is the same job again, also after an error in between', async () => {
    const { service, owner, at } = opened()
    const { page } = await openPage(owner, service.url, /ERR_FAILED|429/)
    const keys: string[] = []
    await page.route('**/graphql', async (route) => {
      const { query = '', variables } = route.request().postDataJSON() as Spoken
      if (!query.startsWith('mutation Speak(')) return route.fallback()
      keys.push(variables.idempotencyKey)
      if (keys.length === 1) {
        await route.fetch()
        return route.abort()
      }
      return keys.length === 2 ? route.fulfill({ status: 429, json: REFUSED }) : route.continue()
    })
    await page.clock.install()
    await page.goto(at('playground?endpoint=tts'))
    await page.getByLabel('Text', { exact: true }).fill('Once, however often I am pressed.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('The service cannot be reached').waitFor()
    await page.keyboard.press('Control+Enter')
    const refusal = page.getByText(REFUSED.errors[0]!.message)
    await refusal.waitFor()
    await expect.poll(ahead(page, () => refusal.count())).toBe(0)
    await page.keyboard.press('Control+Enter')
    await page.locator('.take').waitFor()
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
    await page.close()
  })

  test('a sample that is pressed while another one loads is heard, and stopped by a take', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    let asked = 0
    page.on('request', (request) => {
      if (request.postData()?.includes('query Voices')) asked++
    })
    const release = await holdFirst(page, '**/media/samples/**')
    await page.goto(at('playground?endpoint=tts'))
    await page.getByRole('button', { name: 'Play a sample of Aria' }).click()
    await page.getByRole('button', { name: 'Play a sample of Clara' }).click()
    await page.getByRole('button', { name: 'Stop a sample of Clara' }).waitFor()
    release()
    await page.getByLabel('Text', { exact: true }).fill('Now me.')
    await page.keyboard.press('Control+Enter')
    await page.waitForFunction(() => (document.querySelector<HTMLAudioElement>('.take audio')?.currentTime ?? 0) > 0)
    expect([await page.getByRole('button', { name: /^Stop a sample/ }).count(), asked, complaints]).toEqual([0, 1, []])
    await page.close()
  })

  test('audio that is gone is said to be, and is not asked for again and again', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url, MEDIA_GONE)
    await page.goto(at('playground?endpoint=tts'))
    await page.getByLabel('Text', { exact: true }).fill('Soon gone.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('of audio').first().waitFor()
    let asked = 0
    // A signature is of a second: in another one it is another URL.
    await page.route('**/media/job_**', async (route) => {
      asked++
      await page.waitForTimeout(700)
      await route.fulfill({ status: 404 }).catch(() => {})
    })
    await page.getByRole('link', { name: 'Open the job' }).first().click()
    await page.getByText('This audio cannot be loaded.').waitFor()
    await page.waitForTimeout(3500)
    expect([asked, complaints]).toEqual([expect.toSatisfy((count: number) => count <= 3), []])
    await page.close()
  })
}

interface Spoken {
  readonly query?: string
  readonly variables: { readonly idempotencyKey: string }
}

/** Keeps the first answer waiting until the returned function is called. */
async function holdFirst(page: Page, url: string): Promise<() => void> {
  let [release, count] = [(): void => {}, 0]
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(url, async (route) => {
    if (count++ === 0) await held
    await route.continue().catch(() => {})
  })
  return release
}
