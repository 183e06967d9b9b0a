import type { Page, Request, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { notifyJob } from '../../../../src/jobs/live/notify-job.ts'
import { createUser } from '../../../../src/users/create-user.ts'
import { createSignInLink } from '../../../../src/users/sign-in-link.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { PASSWORD } from '../../../setup/service/users.ts'
import {
  ahead,
  endSessions,
  expireSessions,
  type OpenedConsole,
  ownEmail,
  signIn,
  signInAgain,
} from '../opened-console.ts'

const TYPED = 'Half of a sentence'
const ENDED = 'Your session has ended'

/** Pages whose session ends while they are open. */
export function heldPageJourneys(opened: () => OpenedConsole): void {
  const setDisabled = (email: string, isDisabled: boolean) =>
    opened().service.runtime.db.pool.query(
      'update "user" set disabled_at = case when $2 then now() end where email = $1',
      [email, isDisabled],
    )

  /** A user's page, live, in a browser of its own. */
  const openAs = async (name: string, path: string) => {
    const { service, browser, at } = opened()
    const { account, email } = await openUser(opened(), name)
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at(path))
    await signIn(page, email)
    await page.getByLabel('Connection: Live').waitFor()
    return { account, email, context, page, complaints }
  }

  test('a page whose session expires asks for the password over itself, and goes on as it stands and live', async () => {
    const { service, browser, at } = opened()
    const { account, email } = await openUser(opened(), 'held')
    const before = await insertJob(service.runtime.db, account)
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('jobs'))
    await signIn(page, email)
    await page.getByLabel('Connection: Live').waitFor()
    const search = page.getByLabel('Words of the text, or a job id')
    await page.evaluate("globalThis.isSame = 'same'")
    await search.fill('job_')
    await expireSessions(opened(), email)
    const dialog = page.getByRole('dialog', { name: ENDED })
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('password')
    expect([
      await dialog.getByLabel('E-mail address').inputValue(),
      await page.locator(`[data-job=${before}]`).isVisible(),
      await page.evaluate("getComputedStyle(document.querySelector('dialog[open]'), '::backdrop').backgroundColor"),
      await flaws(page, 'held'),
    ]).toEqual([email, true, 'rgb(15, 13, 35)', []])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await dialog.getByLabel('Password').fill('another password')
    await page.keyboard.press('Enter')
    await dialog.locator('.hint.bad').waitFor()
    const meanwhile = await insertJob(service.runtime.db, account)
    await signInAgain(page)
    await page.locator(`[data-job=${meanwhile}]`).waitFor()
    await page.getByLabel('Connection: Live').waitFor()
    // A job that has ended before the list is followed again would be in no message.
    const jobId = await insertJob(service.runtime.db, account, { status: 'queued' })
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
    const [one, other] = [await openUser(opened(), 'one'), await openUser(opened(), 'other')]
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('playground'))
    await signIn(page, one.email)
    const text = page.getByLabel('Text', { exact: true })
    await text.fill(TYPED)
    const dialog = page.getByRole('dialog', { name: ENDED })
    for (const { email } of [one, other]) {
      await page.getByLabel('Connection: Live').waitFor()
      await expireSessions(opened(), one.email)
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
    const { email, context, page, complaints } = await openAs('late', '')
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
    await expireSessions(opened(), email)
    const answered = page.waitForResponse((response) => response.request().postData()?.includes('query Jobs(') ?? false)
    await signInAgain(page)
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
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })

  test.each([4401, 4403])(
    'a socket that is closed with %i after its session has expired is open again once its user has signed in',
    async (code) => {
      const { service, browser, at } = opened()
      const { email } = await openUser(opened(), `closed-${code}`)
      const context = await browser.newContext()
      const { page, complaints } = await openPage(context, service.url)
      let opening = 0
      await page.routeWebSocket('**/graphql', (socket) => {
        if (opening++ === 0)
          return socket.onMessage(() => void expireSessions(opened(), email).then(() => socket.close({ code })))
        socket.connectToServer()
      })
      await page.goto(at('jobs'))
      await signIn(page, email)
      await signInAgain(page)
      await page.getByLabel('Connection: Live').waitFor()
      expect([opening > 1, complaints]).toEqual([true, []])
      await context.close()
    },
  )

  test('another account is signed in to from the sign-in page, and finds nothing of the one before', async () => {
    const { service, browser, at } = opened()
    const [first, second] = [await openUser(opened(), 'first'), await openUser(opened(), 'next')]
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('playground'))
    await signIn(page, first.email)
    await page.getByLabel('Connection: Live').waitFor()
    await page.getByLabel('Text', { exact: true }).fill(TYPED)
    await expireSessions(opened(), first.email)
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
    const email = ownEmail('linked')
    const { id } = await createUser(system, { account, email, role: 'member' })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    const open = async (tab: Page) => {
      await tab.goto((await createSignInLink(system, { user: id })).url)
      await tab.getByRole('button', { name: 'Sign in' }).click()
      await tab.getByRole('heading', { name: 'Overview' }).waitFor()
    }
    await open(page)
    await page.locator('.rail-link[title="Playground"]').click()
    await page.getByLabel('Text', { exact: true }).fill(TYPED)
    await expireSessions(opened(), email)
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    const dialog = page.getByRole('dialog', { name: ENDED })
    await dialog.getByText(`npx sonant users sign-in-link ${email}`).waitFor()
    expect([await dialog.getByLabel('Password').count(), await flaws(page, 'held-link')]).toEqual([1, []])
    const tab = await context.newPage()
    await open(tab)
    await dialog.waitFor({ state: 'detached' })
    expect([await page.getByLabel('Text', { exact: true }).inputValue(), complaints]).toEqual([TYPED, []])
    await context.close()
  })

  test('a user who has chosen a password and another address elsewhere signs in with those', async () => {
    const { service, browser } = opened()
    const { email } = await openUser(opened(), 'chosen')
    const { pool } = service.runtime.db
    const system = service.runtime.as({ kind: 'system' })
    const account = await service.createAccount()
    const [bare, renamed] = [ownEmail('bare'), ownEmail('renamed')]
    const { id } = await createUser(system, { account, email: bare, role: 'member' })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto((await createSignInLink(system, { user: id })).url)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Connection: Live').waitFor()
    await page.locator('.rail-link[title="Playground"]').click()
    await page.getByLabel('Text', { exact: true }).fill(TYPED)
    const copy =
      'update "user" set password_hash = (select password_hash from "user" where email = $2), email = $3 where id = $1'
    await pool.query(copy, [id, email, renamed])
    await expireSessions(opened(), renamed)
    const dialog = page.getByRole('dialog', { name: ENDED })
    await dialog.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await dialog.locator('.hint.bad').waitFor()
    await dialog.getByLabel('E-mail address').fill(renamed)
    await signInAgain(page)
    expect([await page.getByLabel('Text', { exact: true }).inputValue(), complaints]).toEqual([TYPED, []])
    await context.close()
  })

  test.each([
    ['was ended in another browser', (email: string) => endSessions(opened(), email)],
    ['is of a user who was disabled', (email: string) => setDisabled(email, true)],
  ])('a page whose session %s leaves nothing in sight or in memory', async (how, end) => {
    const { email, context, page, complaints } = await openAs(`${how.replaceAll(' ', '-')}`, 'playground')
    await page.getByLabel('Text', { exact: true }).fill(TYPED)
    await noteDialogs(page)
    await end(email)
    await page.getByText('Your session has ended. Sign in').waitFor()
    expect([await page.locator('.rail, dialog').count(), await page.evaluate('dialogs')]).toEqual([0, []])
    await setDisabled(email, false)
    await signIn(page, email)
    expect([await page.getByLabel('Text', { exact: true }).inputValue(), complaints]).toEqual(['', []])
    await context.close()
  })

  test('a held page whose session is ended as well leaves nothing in sight or in memory', async () => {
    const { email, context, page, complaints } = await openAs('both', 'playground')
    await page.getByLabel('Text', { exact: true }).fill(TYPED)
    await expireSessions(opened(), email)
    await page.getByRole('dialog', { name: ENDED }).waitFor()
    await endSessions(opened(), email)
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await page.getByText('Your session has ended. Sign in').waitFor()
    await signIn(page, email)
    expect([await page.getByLabel('Text', { exact: true }).inputValue(), complaints]).toEqual(['', []])
    await context.close()
  })

  test('what plays on a page that is held stops, and nothing else begins', async () => {
    const { email, context, page, complaints } = await openAs('heard', 'jobs')
    await page.evaluate(() => {
      const audio = document.body.appendChild(new Audio())
      audio.pause = () => audio.setAttribute('data-pauses', `${Number(audio.dataset.pauses ?? 0) + 1}`)
    })
    const audio = page.locator('audio')
    const pauses = () => audio.getAttribute('data-pauses')
    await expireSessions(opened(), email)
    await expect.poll(pauses).toBe('1')
    await audio.evaluate((element) => element.dispatchEvent(new Event('play')))
    expect(await pauses()).toBe('2')
    await signInAgain(page)
    await audio.evaluate((element) => element.dispatchEvent(new Event('play')))
    expect([await pauses(), complaints]).toEqual(['2', []])
    await context.close()
  })

  test('an answer that says that the session is over does not hold a page whose session stands', async () => {
    const { context, page, complaints } = await openAs('stands', 'playground')
    await page.getByLabel('Text', { exact: true }).fill(TYPED)
    await noteDialogs(page)
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query Jobs(')) return route.fallback()
      await route.fulfill({ response: await route.fetch({ headers: { ...route.request().headers(), cookie: '' } }) })
    })
    const looked = page.waitForResponse(
      (response) => response.request().postData()?.includes('query Session{') ?? false,
    )
    await page.locator('.rail-link[title=Jobs]').click()
    await (await looked).finished()
    await page.evaluate(() => fetch('/health/live'))
    await page.locator('.rail-link[title=Playground]').click()
    expect([
      await page.evaluate('dialogs'),
      await page.getByLabel('Text', { exact: true }).inputValue(),
      complaints,
    ]).toEqual([[], TYPED, []])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })

  test('a look at the session before that is answered after its user has signed in from another tab holds no page', async () => {
    const { at } = opened()
    const { email, context, page, complaints } = await openAs('first-in-tab', 'jobs')
    await noteDialogs(page)
    const [looked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/graphql', async (route) => {
      if (!isLook(route.request())) return route.fallback()
      const response = await route.fetch()
      looked.resolve()
      await held.promise
      await route.fulfill({ response })
    })
    await expireSessions(opened(), email)
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await looked.promise
    const tab = await context.newPage()
    await tab.goto(at('jobs'))
    await signIn(tab, email)
    await tab.getByLabel('Connection: Live').waitFor()
    const answered = page.waitForResponse((response) => isLook(response.request()))
    held.resolve()
    await (await answered).finished()
    await page.getByLabel('Connection: Live').waitFor()
    await page.evaluate(() => fetch('/health/live'))
    expect([await page.evaluate('dialogs'), complaints]).toEqual([[], []])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })

  test.each([
    ['is gone', (route: Route) => route.abort()],
    ['does not come', () => {}],
  ])(
    'where the file that asks for the password %s, nothing is in reach, and the sign-in page asks',
    async (how, answer) => {
      const { service, browser, at } = opened()
      const { email } = await openUser(opened(), `file-${how.replaceAll(' ', '-')}`)
      const context = await browser.newContext()
      const { page } = await openPage(context, service.url, /ERR_FAILED|Failed to fetch/)
      await page.route('**/sign-in-again-*.js', answer)
      await page.clock.install()
      await page.goto(at('playground'))
      await signIn(page, email)
      await page.getByLabel('Connection: Live').waitFor()
      await page.getByLabel('Text', { exact: true }).fill(TYPED)
      await noteDialogs(page)
      await expireSessions(opened(), email)
      await expect.poll(() => page.evaluate('dialogs')).toContain(ENDED)
      const ended = page.getByText('Your session has ended. Sign in')
      await expect.poll(ahead(page, () => ended.isVisible())).toBe(true)
      await signIn(page, email)
      expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe(TYPED)
      await context.close()
    },
  )
}

/** An owner of an account of their own. */
async function openUser({ service }: OpenedConsole, name: string) {
  const email = ownEmail(name)
  const account = await service.createAccount()
  await createUser(service.runtime.as({ kind: 'system' }), { account, email, password: PASSWORD, role: 'owner' })
  return { account, email }
}

const isLook = (request: Request): boolean => request.postData()?.includes('query Session{') ?? false

/** Notes the name of every modal dialog that opens on the page from now on. */
const noteDialogs = (page: Page) =>
  page.evaluate(() => {
    const dialogs: string[] = []
    const { showModal } = HTMLDialogElement.prototype
    Object.assign(globalThis, { dialogs })
    HTMLDialogElement.prototype.showModal = function (this: HTMLDialogElement) {
      dialogs.push(this.querySelector('h2')?.textContent ?? '')
      showModal.call(this)
    }
  })
