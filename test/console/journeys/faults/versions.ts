import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Route } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../../../../src/server/app.ts'
import { listen } from '../../../../src/server/listen.ts'
import { createUser } from '../../../../src/users/create-user.ts'
import { createSignInLink } from '../../../../src/users/sign-in-link.ts'
import { disableUser, updateUser } from '../../../../src/users/update-user.ts'
import { openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { openFront } from '../../../setup/servers/cuttable-front.ts'
import { PASSWORD } from '../../../setup/service/users.ts'
import { type OpenedConsole, ownEmail, signIn } from '../opened-console.ts'

const TYPED = 'A sentence that nobody has heard yet.'
const OF_THE_BROWSER = /WebSocket|Failed to load resource|ERR_|MIME type/
/** As WebKit is without LANG. Intl refuses it. */
const WITHOUT_LANGUAGE = "Object.defineProperty(navigator, 'language', { value: 'C', configurable: true })"

/** Journeys in which the service's version, the network or the user changes under an open page. */
export function versionJourneys(opened: () => OpenedConsole): void {
  test('a screen whose file went with the old version comes with the new one, and what was typed stays', async () => {
    const { service, browser, folder } = opened()
    const { runtime, readiness } = service
    const front = await openFront(service.url)
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, front.url, OF_THE_BROWSER)
    await page.goto(`${front.url}/console/playground`)
    await signIn(page, 'member@example.com')
    await page.getByLabel('Text', { exact: true }).fill(TYPED)
    await page.getByRole('link', { name: 'Jobs' }).first().click()
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await page.goBack()
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe(TYPED)
    await front.cut()
    await page.getByRole('link', { name: 'Statistics' }).first().click()
    await page.getByText('This screen could not be loaded').waitFor()
    const newer = await rebuilt(folder)
    onTestFinished(() => rm(newer, { recursive: true }))
    const app = await buildApp(runtime, { readiness, consoleFolder: newer })
    onTestFinished(() => app.close())
    await front.restore(await listen(app, { port: 0, host: '127.0.0.1' }))
    await page.getByRole('heading', { name: 'Statistics' }).waitFor()
    expect(await page.locator('script[src*="0anew"]').count()).toBe(1)
    await page.getByRole('link', { name: 'Playground' }).first().click()
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe(TYPED)
    expect([await page.evaluate('Object.keys(sessionStorage).sort()'), complaints]).toEqual([
      ['sonant-draft', 'sonant-reloaded'],
      [],
    ])
    await context.close()
    await front.cut()
  })

  test('a screen whose file comes without it says so, and a browser without a language shows the charts', async () => {
    const { service, owner, at } = opened()
    const { page } = await openPage(owner, service.url)
    await page.route('**/assets/voices-page-*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'export {}' }),
    )
    await page.goto(at(''))
    await page.getByRole('link', { name: 'Voices' }).click()
    await page.getByText('This screen could not be loaded').waitFor()
    const plain = await openPage(owner, service.url)
    await plain.page.addInitScript(WITHOUT_LANGUAGE)
    await plain.page.goto(at('statistics'))
    await plain.page.getByRole('heading', { name: 'Statistics' }).waitFor()
    expect(plain.complaints).toEqual([])
    await plain.page.close()
    await page.close()
  })

  test('a network that swallows everything is noticed, and what it kept from a list comes afterwards', async () => {
    const { service, browser, account } = opened()
    const front = await openFront(service.url)
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, front.url, OF_THE_BROWSER)
    await page.clock.install()
    await page.goto(`${front.url}/console/jobs`)
    await signIn(page, 'member@example.com')
    await page.getByLabel('Connection: Live').waitFor()
    front.swallow(true)
    const meanwhile = await insertJob(service.runtime.db, account)
    await page.clock.runFor(13_000)
    await page.clock.runFor(7_000)
    await page.getByLabel('Connection: Reconnecting').waitFor()
    front.swallow(false)
    await expect
      .poll(async () => {
        await page.clock.runFor(1000)
        return page.locator(`a[href$="/jobs/${meanwhile}"]`).count()
      })
      .toBe(1)
    expect(complaints).toEqual([])
    await context.close()
    await front.cut()
  })

  test('a page that the service refuses at its door asks again once, and not for ever', async () => {
    const { service, browser, at } = opened()
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url)
    const errors = [{ message: 'Not from this origin.', extensions: { code: 'FORBIDDEN' } }]
    let asked = 0
    await page.route('**/graphql', (route) => {
      asked++
      return route.fulfill({ status: 403, json: { errors } })
    })
    await page.goto(at('jobs'))
    await page.getByText('Not from this origin.').waitFor()
    for (let nth = 0; nth < 20; nth++) await page.evaluate(() => fetch('/health/live'))
    expect(asked).toBe(2)
    await context.close()
  })

  test('another user in the same browser finds nothing of the one before, and one whose role has changed its new screens', async () => {
    const { service, browser, at } = opened()
    const system = service.runtime.as({ kind: 'system' })
    const account = await service.createAccount()
    const email = ownEmail('second')
    const { id } = await createUser(system, { account, email, role: 'owner' })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('playground'))
    await signIn(page, 'member@example.com')
    await page.getByLabel('Text', { exact: true }).fill(TYPED)
    const tab = await context.newPage()
    await tab.goto((await createSignInLink(system, { user: id })).url)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(at(''))
    await page.bringToFront()
    await page.locator('.account-button').click()
    await page.getByText(email).waitFor()
    await page.locator('.rail-link[title="Playground"]').click()
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('')
    await createUser(system, { account, email: ownEmail('third'), role: 'owner' })
    await updateUser(system, { user: id, role: 'member' })
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByText('It is for owners of the account').waitFor()
    expect([await page.getByRole('link', { name: 'API keys' }).count(), complaints]).toEqual([0, []])
    await context.close()
  })

  test('an owner that was made a member sees it with the next refused change, or on coming back to the page', async () => {
    const { service, browser, at } = opened()
    const system = service.runtime.as({ kind: 'system' })
    const account = await service.createAccount()
    await createUser(system, { account, email: ownEmail('steady'), role: 'owner' })
    const email = ownEmail('wavering')
    const { id: user } = await createUser(system, { account, email, password: PASSWORD, role: 'owner' })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    // The socket's end with the role would make the page ask as well, a while after.
    await page.routeWebSocket('**/graphql', () => {})
    const comeBack = () => page.evaluate(() => window.dispatchEvent(new Event('focus')))
    const keys = page.getByRole('link', { name: 'API keys' })
    await page.goto(at('keys'))
    await signIn(page, email)
    await page.getByRole('button', { name: 'Create a key' }).first().click()
    await page.getByLabel('Name').fill('too late')
    // Whatever else the page asks before it sends the change would have it see the role as well.
    const sent = Promise.withResolvers<void>()
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('createApiKey') !== true) await sent.promise
      await route.fallback()
    })
    await updateUser(system, { user, role: 'member' })
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    sent.resolve()
    await page.getByText('It is for owners of the account').waitFor()
    expect(await keys.count()).toBe(0)
    await updateUser(system, { user, role: 'owner' })
    await comeBack()
    await keys.waitFor()
    await updateUser(system, { user, role: 'member' })
    await comeBack()
    await page.getByText('It is for owners of the account').waitFor()
    const [answered, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const hold = async (route: Route) => {
      const response = await route.fetch()
      answered.resolve()
      await late.promise
      await route.fulfill({ response })
    }
    await page.route('**/graphql', hold, { times: 1 })
    await comeBack()
    await answered.promise
    await disableUser(system, { user })
    // A look that was answered before is under way.
    await comeBack()
    late.resolve()
    await page.getByText('Your session has ended').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })
}

/** The same files under other names, as those of another version have. */
async function rebuilt(folder: string): Promise<string> {
  const target = await mkdtemp(join(tmpdir(), 'sonant-console-'))
  await mkdir(join(target, 'assets'))
  const files = globSync(['index.html', 'assets/*.{js,css,svg}'], { cwd: folder })
  const renamed = (text: string) => text.replace(/-[\w-]{5}([\w-]{3})\.(js|css)\b/g, '-0anew$1.$2')
  for (const file of files)
    await writeFile(join(target, renamed(file)), renamed(await readFile(join(folder, file), 'utf8')))
  return target
}
