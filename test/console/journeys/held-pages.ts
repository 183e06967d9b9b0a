import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { notifyJob } from '../../../src/jobs/live/notify-job.ts'
import { createUser } from '../../../src/users/create-user.ts'
import { createSignInLink } from '../../../src/users/links/create-sign-in-link.ts'
import { flaws, openPage } from '../../setup/browser.ts'
import { insertJob } from '../../setup/jobs.ts'
import { PASSWORD } from '../../setup/people.ts'
import { endSessions, type OpenedConsole, signInAgain } from './opened-console.ts'

const TYPED = 'Half of a sentence'
const ENDED = 'Your session has ended'

/** Pages whose session ends while they are open. */
export function heldPageJourneys(
  opened: () => OpenedConsole,
  signIn: (page: Page, email: string) => Promise<void>,
): void {
  test('a page whose session ends asks for the password over itself, and goes on as it stands and live', async () => {
    const { service, browser, at } = opened()
    const { account, email } = await openUser(opened(), 'held@example.com')
    const before = await insertJob(service.runtime.db, account)
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('jobs'))
    await signIn(page, email)
    await page.getByLabel('Connection: Live').waitFor()
    const search = page.getByLabel('Job id begins with')
    await page.evaluate("globalThis.isSame = 'same'")
    await search.fill('job_')
    await endSessions(opened(), email)
    const dialog = page.getByRole('dialog', { name: ENDED })
    await dialog.waitFor()
    expect([
      await page.evaluate('document.activeElement.name'),
      await dialog.getByLabel('E-mail address').inputValue(),
      await page.locator(`[data-job=${before}]`).isVisible(),
      await flaws(page, 'held'),
    ]).toEqual(['password', email, true, []])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await dialog.getByLabel('Password').fill('another password')
    await page.keyboard.press('Enter')
    await dialog.locator('.hint.bad').waitFor()
    const meanwhile = await insertJob(service.runtime.db, account)
    await signInAgain(page)
    await page.locator(`[data-job=${meanwhile}]`).waitFor()
    await page.getByLabel('Connection: Live').waitFor()
    const jobId = await insertJob(service.runtime.db, account)
    notifyJob(service.runtime, { accountId: account, jobId })
    await page
      .locator(`[data-job=${jobId}]`)
      .or(page.getByRole('button', { name: '1 newer' }))
      .first()
      .waitFor()
    expect([await page.evaluate('globalThis.isSame'), await search.inputValue(), complaints]).toEqual([
      'same',
      'job_',
      [],
    ])
    await context.close()
  })

  test('a page goes on when its user signs in again in another tab, and begins anew when another user does', async () => {
    const { service, browser, at } = opened()
    const [one, other] = [await openUser(opened(), 'one@example.com'), await openUser(opened(), 'other@example.com')]
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('playground'))
    await signIn(page, one.email)
    const text = page.getByLabel('Text', { exact: true })
    await text.fill(TYPED)
    const dialog = page.getByRole('dialog', { name: ENDED })
    for (const { email } of [one, other]) {
      await page.getByLabel('Connection: Live').waitFor()
      await endSessions(opened(), one.email)
      await dialog.waitFor()
      const tab = await context.newPage()
      await tab.goto(at('jobs'))
      await signIn(tab, email)
      await tab.close()
      await dialog.waitFor({ state: 'detached' })
      if (email === one.email) expect(await text.inputValue()).toBe(TYPED)
    }
    await page.waitForURL(at(''))
    await page.locator('.account-button').click()
    await page.getByText(other.email).waitFor()
    await page.locator('.rail-link[title="Playground"]').click()
    expect([await text.inputValue(), complaints]).toEqual(['', []])
    await context.close()
  })

  test('an answer that comes only after its user has signed in again says nothing of the session of now', async () => {
    const { service, browser, at } = opened()
    const { email } = await openUser(opened(), 'late@example.org')
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at(''))
    await signIn(page, email)
    await page.getByLabel('Connection: Live').waitFor()
    const held = Promise.withResolvers<void>()
    let asked = 0
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query Jobs(') || asked++ > 0) return route.fallback()
      const response = await route.fetch({ headers: { ...route.request().headers(), cookie: '' } })
      await held.promise
      await route.fulfill({ response })
    })
    await page.locator('.rail-link[title=Jobs]').click()
    await expect.poll(() => asked).toBe(1)
    await endSessions(opened(), email)
    await signInAgain(page)
    const answered = page.waitForResponse((response) => response.request().postData()?.includes('query Jobs(') ?? false)
    await page.getByText('Nothing has been spoken yet').waitFor()
    await answered
    const late = page.waitForResponse((response) => response.request().postData()?.includes('query Jobs(') ?? false)
    held.resolve()
    const { errors } = await (await late).json()
    expect(errors[0].extensions.code).toBe('UNAUTHORIZED')
    // By then the page has taken it up.
    await page.evaluate(() => fetch('/health/live'))
    await page.getByLabel('Connection: Live').waitFor()
    expect([await page.getByRole('dialog').count(), complaints]).toEqual([0, []])
    await context.close()
  })

  test.each([4401, 4403])(
    'a socket that is closed with %i asks for the password, and is open again afterwards',
    async (code) => {
      const { service, browser, at } = opened()
      const { email } = await openUser(opened(), `closed-${code}@example.com`)
      const context = await browser.newContext()
      const { page, complaints } = await openPage(context, service.url)
      let opening = 0
      await page.routeWebSocket('**/graphql', (socket) => {
        if (opening++ === 0) return socket.onMessage(() => void socket.close({ code }))
        socket.connectToServer()
      })
      await page.goto(at('jobs'))
      await signIn(page, email)
      await signInAgain(page)
      await page.getByLabel('Connection: Live').waitFor()
      expect([opening, complaints]).toEqual([2, []])
      await context.close()
    },
  )

  test('another account is signed in to from the sign-in page, and finds nothing of the one before', async () => {
    const { service, browser, at } = opened()
    const [first, second] = [
      await openUser(opened(), 'first@example.com'),
      await openUser(opened(), 'next@example.com'),
    ]
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('playground'))
    await signIn(page, first.email)
    await page.getByLabel('Connection: Live').waitFor()
    await page.getByLabel('Text', { exact: true }).fill(TYPED)
    await endSessions(opened(), first.email)
    await page.getByRole('button', { name: 'Use another account' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect([await page.getByLabel('E-mail address').inputValue(), await page.locator('.rail').count()]).toEqual(['', 0])
    await signIn(page, second.email)
    await page.locator('.rail-link[title="Playground"]').click()
    expect([await page.getByLabel('Text', { exact: true }).inputValue(), complaints]).toEqual(['', []])
    await context.close()
  })

  test('a user without a password reads how to get another link, and goes on once it is opened', async () => {
    const { service, browser, account } = opened()
    const system = service.runtime.as({ kind: 'system' })
    const { id } = await createUser(system, { account, email: 'linked@example.com', role: 'member' })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    const open = async (tab: Page) => {
      await tab.goto((await createSignInLink(system, { user: id })).url)
      await tab.getByRole('button', { name: 'Sign in' }).click()
      await tab.getByRole('heading', { name: 'Playground' }).waitFor()
    }
    await open(page)
    await page.getByLabel('Text', { exact: true }).fill(TYPED)
    await service.runtime.db.pool.query('delete from session where user_id = $1', [id])
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    const dialog = page.getByRole('dialog', { name: ENDED })
    await dialog.getByText('npx sonant users sign-in-link linked@example.com').waitFor()
    expect([await dialog.getByLabel('Password').count(), await flaws(page, 'held-link')]).toEqual([0, []])
    const tab = await context.newPage()
    await open(tab)
    await dialog.waitFor({ state: 'detached' })
    expect([await page.getByLabel('Text', { exact: true }).inputValue(), complaints]).toEqual([TYPED, []])
    await context.close()
  })

  test('where the file that asks for the password is gone, the sign-in page asks', async () => {
    const { service, browser, at } = opened()
    const { email } = await openUser(opened(), 'fileless@example.com')
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url, /ERR_FAILED|Failed to fetch/)
    await page.route('**/sign-in-again-*.js', (route) => route.abort())
    await page.goto(at('playground'))
    await signIn(page, email)
    await page.getByLabel('Connection: Live').waitFor()
    await page.getByLabel('Text', { exact: true }).fill(TYPED)
    await endSessions(opened(), email)
    await page.getByText('Your session has ended. Sign in').waitFor()
    await signIn(page, email)
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe(TYPED)
    await context.close()
  })
}

/** An owner of an account of their own. */
async function openUser({ service }: OpenedConsole, email: string) {
  const account = await service.createAccount()
  await createUser(service.runtime.as({ kind: 'system' }), { account, email, password: PASSWORD, role: 'owner' })
  return { account, email }
}
