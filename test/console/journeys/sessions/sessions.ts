import type { BrowserContext, Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { writeWav } from '../../../../src/audio/wav.ts'
import { openPage } from '../../../setup/browser.ts'
import { sweep } from '../../../setup/speech/sound.ts'
import { expireSessions, type OpenedConsole, ownEmail, signIn, signInAgain } from '../opened-console.ts'

const MEMBER = 'member@example.com'
const SECRET = 'A sentence for nobody else.'
const TOO_MANY = { message: 'Too many requests.', extensions: { code: 'RATE_LIMITED' } }
const TONE = { mimeType: 'audio/wav', buffer: Buffer.from(writeWav(sweep(2, 16_000).samples, 16_000)) }

/** How a session ends, and what a page does with what it holds. */
export function sessionJourneys(opened: () => OpenedConsole): void {
  test('texts and takes go from every tab when the user signs out in one, which says so where it cannot', async () => {
    const { service, browser, at } = opened()
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url, /ERR_INTERNET_DISCONNECTED/)
    await page.goto(at('playground'))
    await signIn(page, MEMBER)
    await page.getByLabel('Text', { exact: true }).fill(SECRET)
    await page.keyboard.press('Control+Enter')
    await page.getByText('of audio').first().waitFor()
    const other = await context.newPage()
    await other.goto(at('jobs'))
    const account = other.locator('.account-button')
    await account.click()
    await context.setOffline(true)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.getByText('You may still be signed in.').waitFor()
    await context.setOffline(false)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Your session has ended. Sign in').waitFor()
    await signIn(page, MEMBER)
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    expect([
      await page.getByLabel('Text', { exact: true }).inputValue(),
      await page.locator('.take').count(),
      complaints,
    ]).toEqual(['', 0, []])
    await context.close()
  })

  test.each([
    ['', false],
    [' after another tab found the user still signed in', true],
  ])('texts go as well where the answer to a sign-out is lost%s', async (_, isOtherOpened) => {
    const { service, browser, at } = opened()
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url, /ERR_FAILED/)
    await page.goto(at('playground'))
    await signIn(page, MEMBER)
    await page.getByLabel('Text', { exact: true }).fill(SECRET)
    const other = await context.newPage()
    await other.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('signOut')) return route.fallback()
      if (isOtherOpened) await openAnother(context, at)
      await route.fetch()
      await route.abort()
    })
    await other.goto(at('jobs'))
    await other.locator('.account-button').click()
    await other.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Your session has ended. Sign in').waitFor()
    await signIn(page, MEMBER)
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('')
    await context.close()
  })

  test('what is being submitted or loaded anew when the user signs out in another tab leaves no text either', async () => {
    const { service, browser, at } = opened()
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url, /ERR_FAILED/)
    const keys: string[] = []
    const held = Promise.withResolvers<void>()
    const isKept = () => page.evaluate(() => 'sonant-draft' in sessionStorage)
    const speak = async () => {
      await page.getByLabel('Text', { exact: true }).fill(SECRET)
      await page.keyboard.press('Control+Enter')
    }
    await page.route('**/graphql', async (route) => {
      const { query = '', variables } = route.request().postDataJSON() as Asked
      if (!query.startsWith('mutation Speak(')) return route.fallback()
      keys.push(variables.idempotencyKey)
      const response = await route.fetch()
      if (keys.length === 1) return route.abort()
      await held.promise
      await route.fulfill({ response })
    })
    await page.goto(at('playground'))
    await signIn(page, MEMBER)
    await speak()
    await page.getByText('The service cannot be reached').waitFor()
    await signOutInAnother(context, at)
    await page.getByText('Your session has ended. Sign in').waitFor()
    await signIn(page, MEMBER)
    await speak()
    await expect.poll(() => keys.length).toBe(2)
    await keepDraft(page)
    await signOutInAnother(context, at)
    await page.getByText('Your session has ended. Sign in').waitFor()
    const answered = page.waitForResponse(
      (response) => response.request().postData()?.includes('mutation Speak(') ?? false,
    )
    held.resolve()
    await (await answered).finished()
    const isKeptAfterSignOut = await isKept()
    await signIn(page, MEMBER)
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    const shown = await page.locator('.take').count()
    await keepDraft(page)
    await page.goto('about:blank')
    await signOutInAnother(context, at)
    await page.goto(at('playground'))
    await page.getByLabel('E-mail address').waitFor()
    // The file of the playground deletes the text, and may load after the form is shown.
    await expect.poll(isKept).toBe(false)
    expect({ isSameKey: keys[0] === keys[1], isKeptAfterSignOut, takes: shown }).toEqual({
      isSameKey: false,
      isKeptAfterSignOut: false,
      takes: 0,
    })
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })

  test('a text that was kept while the page was loaded anew is there again, though its session had ended by then', async () => {
    const { service, browser, at } = opened()
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url)
    await page.goto(at('playground'))
    await signIn(page, MEMBER)
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    const { rows } = await service.runtime.db.pool.query('select id from "user" where email = $1', [MEMBER])
    await keepDraft(page, rows[0].id)
    await page.goto('about:blank')
    await endSessions(service)
    await page.goto(at('playground'))
    await signIn(page, MEMBER)
    await expect.poll(() => page.getByLabel('Text', { exact: true }).inputValue()).toBe(SECRET)
    await context.close()
  })

  test.each([
    ['was refused', false, false],
    ['never came through', true, false],
    ['was lost, before another tab found the user signed in,', true, true],
  ])('a sign-out that %s takes no text with a session that ends later', async (_, isLost, isOtherOpened) => {
    const answer = (route: Route) => (isLost ? route.abort() : route.fulfill({ json: { errors: [TOO_MANY] } }))
    const { service, browser, at } = opened()
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url, /ERR_FAILED/)
    await page.goto(at('playground'))
    await signIn(page, MEMBER)
    await page.getByLabel('Connection: Live').waitFor()
    await page.getByLabel('Text', { exact: true }).fill(SECRET)
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('signOut') ? answer(route) : route.fallback(),
    )
    const found = isLost && foundSignedIn(page, at)
    await page.locator('.account-button').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You may still be signed in.').waitFor()
    if (isOtherOpened) await openAnother(context, at)
    await found
    await expireSessions(opened(), MEMBER)
    await page.unrouteAll()
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await signInAgain(page)
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe(SECRET)
    await context.close()
  })

  test('signing out everywhere with a session that has ended says that the others may be open, and leaves no text', async () => {
    const { service, browser, at } = opened()
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url)
    await page.routeWebSocket('**/graphql', () => {})
    await page.goto(at('playground'))
    await signIn(page, MEMBER)
    await page.getByLabel('Text', { exact: true }).fill(SECRET)
    await page.locator('.account-button').click()
    await page.getByRole('link', { name: 'Profile' }).click()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await endSessions(service)
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByText('This session had already ended.').waitFor()
    await signIn(page, MEMBER)
    await page.getByRole('link', { name: 'Playground' }).first().click()
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('')
    await page.goto(at('profile'))
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByLabel('E-mail address').waitFor()
    expect(await page.getByText('had already ended').count()).toBe(0)
    await context.close()
  })

  test('the sign-in leads to the screen that its address asks for, and to no other server', async () => {
    const { service, browser, at } = opened()
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    const open = (to: string) => page.goto(at(`sign-in?to=${encodeURIComponent(to)}`))
    await open('/console/jobs?status=failed')
    await signIn(page, 'member@example.com')
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await page.waitForURL(at('jobs?status=failed'))
    await open('/console/statistics')
    await page.waitForURL(at('statistics'))
    for (const elsewhere of [
      '//evil.example.com/console',
      '/\\evil.example.com',
      'https://evil.example.com/console/jobs',
      '/docs',
    ]) {
      await open(elsewhere)
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await expect.poll(() => [elsewhere, page.url()]).toEqual([elsewhere, at('')])
    }
    expect(complaints).toEqual([])
    await context.close()
  })

  test('after too many wrong passwords the seconds left are counted down, and the button is off meanwhile', async () => {
    const { service, browser, at } = opened()
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.clock.install()
    await page.goto(at(''))
    await page.getByLabel('E-mail address').fill(ownEmail('guessed'))
    const message = page.getByText(/^Wait before you try to sign in again. Try again in \d+ s.$/)
    const button = page.getByRole('button', { name: 'Sign in', exact: true })
    for (let attempt = 0; attempt < 6; attempt++) {
      await page.getByLabel('Password').fill(`wrong ${attempt}`)
      const answered = page.waitForResponse('**/graphql')
      await button.click()
      await (await answered).finished()
    }
    await message.waitFor()
    const first = await message.textContent()
    await expect.poll(() => message.textContent()).not.toBe(first)
    expect(await button.isDisabled()).toBe(true)
    await page.clock.fastForward('15:00')
    await message.waitFor({ state: 'detached' })
    expect([await button.isEnabled(), await page.locator('.bad').count(), complaints]).toEqual([true, 0, []])
    await context.close()
  })

  test('a recording that is refused because the session has ended is sent once its user has signed in again over its form', async () => {
    const { service, browser, at } = opened()
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url)
    // The socket, which would say it first, says nothing.
    await page.routeWebSocket('**/graphql', () => {})
    await page.goto(at('voices'))
    await signIn(page, MEMBER)
    const name = `tone${Date.now()}`
    await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
    await page.getByLabel('Recording', { exact: true }).setInputFiles({ ...TONE, name: `${name}.wav` })
    await page.getByLabel('How the speaker has agreed').fill('It is mine.')
    await page.getByLabel('I confirm').check()
    await expireSessions(opened(), MEMBER)
    const add = page.getByRole('button', { name: 'Add the voice' })
    await add.click()
    await signInAgain(page)
    expect(await page.getByLabel('How the speaker has agreed').inputValue()).toBe('It is mine.')
    await add.click()
    await page.getByRole('row', { name }).waitFor()
    await context.close()
  })
}

interface Asked {
  readonly query?: string
  readonly variables: { readonly idempotencyKey: string }
}

/** The tab's storage keeps this while the page loads anew. */
const keepDraft = (page: Page, userId = '') =>
  page.evaluate(
    ([id, text]) =>
      sessionStorage.setItem('sonant-draft', JSON.stringify({ userId: id, at: Date.now(), value: { text } })),
    [userId, SECRET],
  )

/** Waits until a tab says to the others that it has found the user signed in. */
const foundSignedIn = (page: Page, at: (path: string) => string): Promise<void> =>
  page.evaluate(
    (name) =>
      new Promise<void>((resolve) => {
        new BroadcastChannel(name).onmessage = () => resolve()
      }),
    `sonant${new URL('.', at('jobs')).pathname.slice(0, -1)}`,
  )

/** Another tab, which finds the user signed in and tells the others so. */
async function openAnother(context: BrowserContext, at: (path: string) => string): Promise<void> {
  const other = await context.newPage()
  await other.goto(at('jobs'))
  await other.getByRole('heading', { name: 'Jobs' }).waitFor()
  await other.close()
}

async function signOutInAnother(context: BrowserContext, at: (path: string) => string): Promise<void> {
  const other = await context.newPage()
  await other.goto(at('jobs'))
  await other.locator('.account-button').click()
  await other.getByRole('button', { name: 'Sign out' }).click()
  await other.getByLabel('E-mail address').waitFor()
  await other.close()
}

const endSessions = ({ runtime }: OpenedConsole['service']) =>
  runtime.db.pool.query('delete from session using "user" u where u.id = user_id and u.email = $1', [MEMBER])
