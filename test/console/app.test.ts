import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createUser } from '../../src/users/create-user.ts'
import { createSignInLink } from '../../src/users/sign-in-link.ts'
import { flaws, openPage } from '../setup/browser.ts'
import { finishedJob } from '../setup/jobs/fixtures.ts'
import { insertJob } from '../setup/jobs/jobs.ts'
import { submitText } from '../setup/jobs/voice-jobs.ts'
import { PASSWORD } from '../setup/service/users.ts'
import { creditsJourneys } from './journeys/account/credits.ts'
import { firstStepJourneys } from './journeys/account/first-steps.ts'
import { keyJourneys } from './journeys/account/keys.ts'
import { lexiconJourneys } from './journeys/account/lexicon.ts'
import { readingJourneys } from './journeys/account/reading.ts'
import { recordingJourneys } from './journeys/account/recording.ts'
import { voicesJourneys } from './journeys/account/voices.ts'
import { describeConsole } from './journeys/describe-console.ts'
import { clockJourneys } from './journeys/display/clocks.ts'
import { columnJourneys } from './journeys/display/columns.ts'
import { helpJourneys } from './journeys/display/help.ts'
import { modeJourneys } from './journeys/display/modes.ts'
import { namesJourneys } from './journeys/display/names.ts'
import { paletteJourneys } from './journeys/display/palette.ts'
import { phoneJourneys } from './journeys/display/phones.ts'
import { ownEmail, ownName, signIn, whenFollowed } from './journeys/opened-console.ts'
import { accountJourneys } from './journeys/operator/accounts.ts'
import { auditJourneys } from './journeys/operator/audit.ts'
import { failureJourneys } from './journeys/operator/failures.ts'
import { operatorJourneys } from './journeys/operator/operator.ts'
import { poolJourneys } from './journeys/operator/pools.ts'

const TEXT = 'The lighthouse had been dark for eleven years. Then somebody lit the lamp again.'
/** The others are looked at by the journeys that fill them. */
const SCREENS = [
  '',
  'playground',
  'jobs',
  'webhooks',
  'credits',
  'people',
  'profile',
  'design',
  'operator/statistics',
  'operator/accounts',
  'none',
]
const DAY_MS = 86_400_000
const PICTURE = fileURLToPath(new URL('../../docs/images/console.png', import.meta.url))

const isPlaying = (page: Page) => page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 0.05)

const speak = async (page: Page, at: (path: string) => string): Promise<void> => {
  await page.goto(at('playground'))
  await page.getByLabel('Text', { exact: true }).fill(TEXT)
  await page.keyboard.press('Control+Enter')
  await page.getByText('of audio').first().waitFor()
}

describeConsole('the console in a browser', (opened) => {
  test('a sign-in link opens the console at a click, in the tab of another link as well, leaves no token behind, speaks, and asks for a password', async () => {
    const { service, browser, account, at } = opened()
    const system = service.runtime.as({ kind: 'system' })
    const linkOf = async (email: string) => {
      const { id } = await createUser(system, { account, email, role: 'owner' })
      return (await createSignInLink(system, { user: id })).url
    }
    const [email, before] = [ownEmail('new'), ownEmail('before')]
    const url = await linkOf(email)
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(await linkOf(before))
    await page.getByText(before).waitFor()
    await page.goto(url)
    await page.getByText(email).waitFor()
    await page.waitForURL(at('enter'))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('h1:focus', { hasText: 'Overview' }).waitFor()
    await speak(page, at)
    await isPlaying(page)
    await page.getByRole('link', { name: 'Choose a password' }).click()
    await page.getByRole('heading', { name: 'Choose your password' }).waitFor()
    expect(await flaws(page)).toEqual([])
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Current password').waitFor()
    await page.locator('h1:focus').waitFor()
    expect(await page.locator('.banner').count()).toBe(0)
    await page.goto(url)
    await page.getByRole('heading', { name: 'is no longer valid' }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('in a low window Speak is in sight before it is pressed, and the take after it', async () => {
    const { service, owner, at } = opened()
    const { page } = await openPage(owner, service.url)
    const isInSight = (selector: string) =>
      page.locator(selector).evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect()
        return top >= 0 && bottom <= innerHeight
      })
    await page.setViewportSize({ width: 1280, height: 600 })
    await page.goto(at('playground'))
    await page.getByLabel('Text', { exact: true }).fill(TEXT.repeat(20))
    expect(await isInSight('.sheet button[type=submit]')).toBe(true)
    await page.mouse.wheel(0, 80)
    expect(await isInSight('.sheet button[type=submit]')).toBe(true)
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => isInSight('.take')).toBe(true)
    await page.close()
  })

  test('an owner who signed in with a password hears a take with its cost, waveform and files', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('playground'))
    await page.getByLabel('Text', { exact: true }).fill(TEXT)
    await page.getByText(`${TEXT.length} characters · ${TEXT.length} credits`).waitFor()
    await page.getByRole('button', { name: 'Whispering' }).click()
    expect(await page.getByRole('textbox', { name: 'Style instruction' }).inputValue()).toBe('Whispering')
    await speak(page, at)
    await isPlaying(page)
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('.scrub input')?.disabled === false)
    if (process.env.CONSOLE_PICTURE) await page.screenshot({ path: PICTURE })
    await page.getByText('Download').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'MP3' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^aria_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.mp3$/)
    await page.setViewportSize({ width: 1440, height: 500 })
    const opener = page.getByText('Download')
    await opener.evaluate((button) => scrollBy(0, button.getBoundingClientRect().bottom - innerHeight))
    await opener.click()
    const bottomOf = () =>
      page.evaluate(
        () => (document.querySelector('.drop[open] .drop-body')?.getBoundingClientRect().bottom ?? 0) - innerHeight,
      )
    await expect.poll(bottomOf).toBeLessThanOrEqual(0)
    const [wav] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'WAV' }).click()])
    expect(wav.suggestedFilename()).toMatch(/^aria_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.wav$/)
    await page.getByRole('button', { name: 'As code' }).click()
    await page.getByText('OpenAI SDK').click()
    await page.getByText('client.audio.speech.create').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('filters of jobs lie in the address, and survive a reload and the way back from a job', async () => {
    const { service, owner, account, at } = opened()
    const { apiKey } = await service.createKey(account)
    await finishedJob(service.url, apiKey, await submitText(service.url, apiKey, 'tts', TEXT, 'aria'))
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('jobs'))
    await page.getByText('Completed').first().click()
    await page.waitForURL(/status=completed/)
    await page.reload()
    await page.locator('tbody a').first().click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.locator('h1:focus').waitFor()
    await page.goBack()
    await page.waitForURL(/status=completed/)
    await page.goto(at('jobs?status=none'))
    await page.getByText('does not exist any more: status').waitFor()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.waitForURL(at('jobs'))
    await page.getByText('does not exist any more').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the jobs that a list is filtered to come as one file unless they are too many, and so does the whole ledger', async () => {
    const { service, owner, account, at } = opened()
    const jobId = await insertJob(service.runtime.db, account, { status: 'failed' })
    const others = await insertJob(service.runtime.db, account, { status: 'completed' })
    const { page, complaints } = await openPage(owner, service.url)
    await page.route('**/graphql', async (route) => {
      const { query, variables } = route.request().postDataJSON()
      const isLong = Date.now() - Date.parse(variables?.filter?.createdAt?.from) > 8 * DAY_MS
      if (!query?.startsWith('query WindowJobs(') || !isLong) return route.fallback()
      const { data } = await (await route.fetch()).json()
      await route.fulfill({ json: { data: { ...data, jobs: { totalCount: 500_001 } } } })
    })
    await page.goto(at('jobs?status=failed'))
    const download = page.waitForEvent('download')
    await page.getByText('Export').click()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')
    expect(await page.locator('.drop[open]').count()).toBe(0)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY')
    await page.getByText('Export').click()
    await page.getByText('The files hold the jobs that the list is filtered to.').waitFor()
    await page.locator('tbody td:nth-child(3)').first().click()
    expect([await page.locator('.drop[open]').count(), page.url()]).toEqual([0, at('jobs?status=failed')])
    await page.getByText('Export').click()
    const long = page.getByRole('button', { name: 'These jobs, last 30 days 500,001 jobs' })
    expect(await long.isDisabled()).toBe(true)
    await page.getByText('A file holds at most 500,000 jobs').waitFor()
    await page.getByRole('link', { name: /^These jobs, last hour \d+ jobs?$/ }).waitFor()
    await page.getByRole('link', { name: /^These jobs, last 24 hours \d+ jobs?$/ }).click()
    const file = await readFile(await (await download).path(), 'utf8')
    expect([
      (await download).suggestedFilename(),
      file.split('\r\n')[0],
      file.includes(jobId),
      file.includes(others),
    ]).toEqual([expect.stringMatching(/^jobs-.*\.csv$/), expect.stringMatching(/^\uFEFFjob_id,/), true, false])
    await page.goto(at('jobs?status=completed&window=7d'))
    await page.getByText('Export').click()
    await page.getByRole('link', { name: /^These jobs, of the time of the list \d+ jobs?$/ }).waitFor()
    expect(await page.locator('.drop[open] .menu-item').count()).toBe(1)
    await page.goto(at('credits?kind=grant'))
    const ledger = page.waitForEvent('download')
    await page.getByText('Export').click()
    await page.getByRole('link', { name: 'Ledger, from the beginning' }).click()
    expect(await page.locator('.drop[open]').count()).toBe(0)
    expect([(await ledger).suggestedFilename(), await readFile(await (await ledger).path(), 'utf8')]).toEqual([
      'ledger.csv',
      expect.stringMatching(/^\uFEFFentry_id,[\s\S]*,grant,1000000,1000000,/),
    ])
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a list that is open shows jobs of programs as they come, without moving its rows', async () => {
    const { service, owner, account, at } = opened()
    // A subscription begins with the unfinished jobs.
    await insertJob(service.runtime.db, account, { status: 'queued', endpointKey: 'voice.unserved' })
    const { page, complaints } = await openPage(owner, service.url)
    const isFollowed = whenFollowed(page)
    await page.goto(at('jobs'))
    await page.getByLabel('Connection: Live').waitFor()
    await isFollowed
    const rows = page.locator('tbody tr')
    await rows.first().waitFor()
    const before = await rows.count()
    const { apiKey } = await service.createKey(account)
    const body = JSON.stringify({ inputs: { text: 'From a program.', voice: 'aria' } })
    const submit = () =>
      fetch(`${service.url}/api/v1/voice/tts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body,
      })
    await submit()
    await page.getByRole('button', { name: /newer/ }).waitFor()
    expect(await rows.count()).toBe(before)
    await page.getByRole('button', { name: /newer/ }).click()
    await expect.poll(() => rows.count()).toBe(before + 1)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a key and a signing secret are shown once, and never again; the old secret is stopped at a press', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('keys'))
    await page.getByRole('button', { name: 'Create a key' }).first().click()
    const name = ownName('website <script>')
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Expires').selectOption('In 7 days')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const key = (await page.locator('.secret code').textContent()) ?? ''
    expect(key).toMatch(/^snt_\w{42}$/)
    await page.keyboard.press('Escape')
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('row', { name })
    await row.getByText(`snt_…${key.slice(-4)}`).waitFor()
    await row.locator('.pill.warn').waitFor()
    await page.goto(at('webhooks'))
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    const secret = (await page.locator('.secret code').textContent()) ?? ''
    expect(secret).toMatch(/^whsec_/)
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('signs until').waitFor()
    await page.reload()
    await page.getByText('signs until').waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'Stop now' }).click()
    expect(await flaws(page)).toEqual([])
    await page.getByRole('button', { name: 'Stop the secret' }).click()
    await page.getByText('The old secret has stopped.').waitFor()
    await expect.poll(() => page.getByText('signs until').count()).toBe(0)
    expect([await page.getByText('signs now').count(), complaints]).toEqual([1, []])
    await page.close()
  })

  test('letters lead to screens, and are text in a field', async () => {
    const { service, owner, at } = opened()
    const { page } = await openPage(owner, service.url)
    await page.goto(at('keys'))
    await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor()
    await page.keyboard.type('gj')
    await page.waitForURL(/\/jobs$/)
    await page.locator('h1:focus').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('gk?')
    expect([page.url(), await page.getByLabel('Words of the text, or a job id').inputValue()]).toEqual([
      at('jobs'),
      'gk?',
    ])
    await page.getByRole('heading', { name: 'Jobs' }).focus()
    await page.keyboard.type('?')
    await page
      .getByRole('dialog', { name: 'Keyboard shortcuts' })
      .getByText(/^Sonant \d/)
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Words of the text, or a job id').focus()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to, or do' }).fill('cred')
    await page.keyboard.press('Enter')
    await page.waitForURL(at('credits'))
    await page.locator('h1:focus').waitFor()
    await page.close()
  })

  test('an id leads to what it names from any screen: by a letter, a button, and on a phone the menu', async () => {
    const { service, owner, account, at } = opened()
    const id = await insertJob(service.runtime.db, account, { status: 'failed' })
    const { page, complaints } = await openPage(owner, service.url)
    const dialog = page.getByRole('dialog', { name: 'Go to, or do' })
    await page.goto(at('profile'))
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
    await page.keyboard.press('/')
    await page.locator('dialog input:focus').waitFor()
    await page.keyboard.type('job_1')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.locator('dialog input:focus').waitFor()
    await page.keyboard.type(id)
    await page.keyboard.press('Enter')
    await page.waitForURL(at(`jobs/${id}`))
    await page.locator('h1:focus').waitFor()
    expect(await dialog.count()).toBe(0)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.locator('.account-button').click()
    await page.locator('.menu').getByRole('button', { name: 'Search' }).click()
    await dialog.getByRole('combobox').fill(id.toUpperCase())
    await dialog.getByRole('option', { name: 'Open' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect([page.url(), complaints]).toEqual([at(`jobs/${id}`), []])
    await page.close()
  })

  test('a member sees what members do, and is asked to sign in again when the session was ended elsewhere', async () => {
    const { service, browser, at } = opened()
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url)
    await page.goto(at('jobs'))
    await signIn(page, 'member@example.com')
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0)
    await page.goto(at('keys'))
    await page.getByText('It is for owners of the account').waitFor()
    await page.goto(at('jobs'))
    await page.getByLabel('Connection: Live').waitFor()
    const cookies = await context.cookies()
    await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: service.url,
        cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      },
      body: JSON.stringify({ query: 'mutation { signOut(everywhere: true) { __typename } }' }),
    })
    await page.getByText('Your session has ended. Sign in').waitFor()
    expect(await page.locator('.rail, dialog').count()).toBe(0)
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('password')
    await signIn(page, 'member@example.com')
    await page.waitForURL(at('jobs'))
    await context.close()
  })

  test('an operator makes an account with credits', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('operator/accounts'))
    await page.getByRole('button', { name: 'Create an account' }).click()
    const name = ownName('made in the console')
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.getByRole('spinbutton', { name: 'Credits' }).fill('1234')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const row = page.getByRole('row', { name })
    await row.getByText('1,234').waitFor()
    await row.getByRole('button', { name: 'Add credits' }).click()
    await page.getByRole('spinbutton', { name: 'Credits' }).fill('-234')
    await page.getByText('Afterwards: 1,000.').waitFor()
    const grant = page.getByRole('spinbutton', { name: 'Credits' })
    expect([await grant.getAttribute('min'), await grant.getAttribute('max')]).toEqual(['-1234', '2147483647'])
    await page.getByRole('button', { name: 'Take back 234', exact: true }).click()
    await row.getByText('1,000').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  operatorJourneys(opened)
  poolJourneys(opened)
  accountJourneys(opened)
  failureJourneys(opened)
  auditJourneys(opened)
  voicesJourneys(opened)
  recordingJourneys(opened)
  keyJourneys(opened)
  lexiconJourneys(opened)
  readingJourneys(opened)
  creditsJourneys(opened)
  firstStepJourneys(opened)
  namesJourneys(opened)
  columnJourneys(opened)
  clockJourneys(opened)
  modeJourneys(opened)
  helpJourneys(opened)
  paletteJourneys(opened)
  phoneJourneys(opened)

  test('axe finds nothing on any further screen in either theme, none scrolls sideways at 360 pixels, and consoles do not complain', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    const found: string[] = []
    for (const path of SCREENS) {
      await page.goto(at(path))
      await page.locator('main').waitFor()
      await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0)
      found.push(...(await flaws(page)).map((flaw) => `${path}: ${flaw}`))
    }
    expect([found, complaints]).toEqual([[], []])
    await page.close()
  })
})
