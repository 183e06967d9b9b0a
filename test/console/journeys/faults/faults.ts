import { expect, onTestFinished, test } from 'vitest'
import { notifyAccount } from '../../../../src/accounts/notify-account.ts'
import { createUser } from '../../../../src/users/create-user.ts'
import { createSignInLink } from '../../../../src/users/sign-in-link.ts'
import { newId } from '../../../../src/values/id.ts'
import { flaws, openBrowser, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { openFront } from '../../../setup/servers/cuttable-front.ts'
import { ADD_DELIVERY, ahead, type OpenedConsole, ownEmail, ownName, signIn } from '../opened-console.ts'

const LOST =
  /The connection to the service is lost\. This page shows data as of \d\d:\d\d:\d\d and updates by itself once the connection is back\./
const NAMES = ['<script>alert(1)</script>', 'مفتاح الموقع', '🎙️ studio ‮gnp.exe']
const BODY = '<!doctype html><h1 id="theirs">502 Bad Gateway</h1><script>document.title = "theirs"</script>'

/** Journeys in which browsers, networks and other users disturb an open page. */
export function faultJourneys(opened: () => OpenedConsole): void {
  test('a service that is gone for a while is said, what was loaded stays, and all of it comes back by itself', async () => {
    const { service, browser, account } = opened()
    await insertJob(service.runtime.db, account)
    const front = await openFront(service.url)
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, front.url, /WebSocket|Failed to load resource|ERR_/)
    await page.clock.install()
    await page.goto(`${front.url}/console/jobs`)
    await signIn(page, 'member@example.com')
    await page.getByLabel('Connection: Live').waitFor()
    await page.locator('tbody tr').first().waitFor()
    const before = await page.locator('tbody tr').count()
    const isLost = ahead(page, () => page.getByText(LOST).isVisible())
    await front.cut()
    await expect.poll(isLost).toBe(true)
    expect([await page.locator('tbody tr').count(), await flaws(page)]).toEqual([before, []])
    const meanwhile = await insertJob(service.runtime.db, account)
    await front.restore()
    await expect.poll(ahead(page, () => page.locator(`a[href$="/jobs/${meanwhile}"]`).isVisible())).toBe(true)
    await expect.poll(() => page.locator('.banner').count()).toBe(0)
    await page.getByLabel('Connection: Live').waitFor()
    await page.route(`${front.url}/console`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script src="/console/assets/index-other.js"></script>' }),
    )
    await front.cut()
    await expect.poll(isLost).toBe(true)
    await front.restore()
    await expect.poll(ahead(page, () => page.getByText('The service has a new version.').isVisible())).toBe(true)
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await context.setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await context.setOffline(false)
    await expect.poll(() => page.getByText('You are offline.').count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
    await front.cut()
  })

  test('sound plays on a page whose address is not PUBLIC_URL, where the browser cannot reach that, within its content security policy', async () => {
    const { service, browser } = opened()
    const front = await openFront(service.url)
    const context = await browser.newContext()
    // The page would complain about a request there.
    const { page, complaints } = await openPage(context, front.url)
    await page.goto(`${front.url}/console/playground?endpoint=tts`)
    await signIn(page, 'member@example.com')
    await page.getByRole('button', { name: 'Play a sample of Aria' }).click()
    await page.getByRole('button', { name: 'Stop a sample of Aria' }).waitFor()
    await page.getByLabel('Text', { exact: true }).fill('Heard through another name.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('of audio').first().waitFor()
    await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 0.05)
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('.scrub input')?.disabled === false)
    expect(complaints).toEqual([])
    await context.close()
    await front.cut()
  })

  test('signing out in one tab asks in the other one to sign in again', async () => {
    const { service, browser, at } = opened()
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url)
    await page.goto(at('jobs'))
    await signIn(page, 'member@example.com')
    const other = await context.newPage()
    await other.goto(at('statistics'))
    await other.getByRole('heading', { name: 'Statistics' }).waitFor()
    await page.bringToFront()
    await page.locator('.account-button').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await other.getByText('Your session has ended. Sign in').waitFor()
    await page.getByLabel('E-mail address').waitFor()
    await context.close()
  })

  test('a page that the browser had kept for a way back shows nothing of a session that has ended since', async () => {
    const { service, account: accountId, at } = opened()
    const browser = await openBrowser(['--disable-back-forward-cache'])
    onTestFinished(() => browser.close())
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url)
    await page.addInitScript(() => addEventListener('pageshow', ({ persisted }) => console.info(`kept: ${persisted}`)))
    // The browser forgets the pages that it keeps once a first route is added.
    let held = Promise.resolve()
    await page.route('**/graphql', async (route) => {
      await held
      await route.continue()
    })
    const goBack = async (): Promise<void> => {
      const kept = page.waitForEvent('console', (message) => message.text() === 'kept: true')
      await Promise.all([kept, page.goBack({ waitUntil: 'commit' })])
    }
    await page.goto(at('jobs'))
    await signIn(page, 'member@example.com')
    const account = page.locator('.account-button')
    const isLive = (): Promise<void> => page.getByLabel('Connection: Live').waitFor()
    await isLive()
    await account.focus()
    await page.goto(`${service.url}/health/live`)
    const meanwhile = await insertJob(service.runtime.db, accountId)
    await goBack()
    await account.waitFor()
    await expect.poll(() => account.evaluate((button) => button === document.activeElement)).toBe(true)
    expect(await page.getByRole('heading', { name: 'Jobs' }).isVisible()).toBe(true)
    await page.locator(`a[href$="/jobs/${meanwhile}"]`).waitFor()
    await isLive()
    await page.goto(`${service.url}/health/live`)
    await service.runtime.db.pool.query('delete from session using "user" u where u.id = user_id and u.email = $1', [
      'member@example.com',
    ])
    let answer = (): void => {}
    held = new Promise<void>((resolve) => {
      answer = resolve
    })
    const asked = page.waitForRequest('**/graphql')
    await goBack()
    await asked
    expect(await page.locator('h1:visible, .account-button:visible, td:visible').count()).toBe(0)
    answer()
    await page.getByText('Your session has ended. Sign in').waitFor()
    await signIn(page, 'member@example.com')
    await account.click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail address').waitFor()
    await page.goBack({ waitUntil: 'commit' })
    await page.getByLabel('E-mail address').waitFor()
    expect(await account.count()).toBe(0)
  })

  test('names with markup, from right to left, of signs or unseen are shown as they are, break nothing, and can be typed', async () => {
    const { service, owner, account, at } = opened()
    const end = ownName('')
    const names = NAMES.map((name) => name + end)
    for (const name of names) await service.runtime.db.pool.query(ADD_KEY, [newId('key'), account, name])
    const key = newId('key')
    await service.runtime.db.pool.query(ADD_KEY, [key, account, `${NAMES.join(' ')} of a job`])
    await insertJob(service.runtime.db, account, { apiKeyId: key })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('keys'))
    for (const name of names) await page.getByText(name, { exact: true }).waitFor()
    expect(await flaws(page)).toEqual([])
    const unseen = newId('key')
    await service.runtime.db.pool.query(ADD_KEY, [unseen, account, '\u2060 \u3164'])
    await page.reload()
    for (const [row, typed] of [
      [page.getByRole('row').filter({ has: page.getByText(names[2]!, { exact: true }) }), `🎙 studio gnp.exe${end}`],
      [page.getByRole('row').filter({ has: page.locator(`[title="${unseen}"]`) }), unseen],
    ] as const) {
      await row.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('to confirm').getByText(typed, { exact: true }).waitFor()
      const confirm = page.getByRole('button', { name: 'Delete the key' })
      expect(await confirm.isDisabled()).toBe(true)
      await page.getByLabel('to confirm').fill(typed)
      await confirm.click()
      await row.waitFor({ state: 'detached' })
    }
    await page.goto(at(`jobs?key=${key}`))
    await page.getByRole('button', { name: `key ${NAMES[0]}` }).waitFor()
    await page.locator('bdi', { hasText: NAMES[0] }).waitFor()
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })

  test('a text of 10,000 characters is counted, and heard or refused in words', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url, /400|422/)
    await page.goto(at('playground'))
    await page.getByLabel('Text', { exact: true }).fill('word '.repeat(2000))
    await page.getByText('10,000 characters ·').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.locator('.take, [role=alert], .hint.bad').first().waitFor()
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })

  test("what a receiver answered is text, and a delivery's page follows it", async () => {
    const { service, owner, account, at } = opened()
    const { pool } = service.runtime.db
    const [id, job] = [newId('msg'), await insertJob(service.runtime.db, account)]
    await pool.query(ADD_DELIVERY, [id, account, job])
    await pool.query(ADD_ATTEMPT, [id, Buffer.from(BODY)])
    const { page, complaints } = await openPage(owner, service.url)
    let asked = 0
    page.on('request', (request) => {
      if (request.postData()?.includes('query Delivery(')) asked++
    })
    await page.goto(at(`webhooks/deliveries/${id}`))
    await page.getByText('502 Bad Gateway').waitFor()
    expect([await page.locator('#theirs').count(), await page.title(), await flaws(page)]).toEqual([
      0,
      expect.not.stringContaining('theirs'),
      [],
    ])
    await page.getByLabel('Connection: Live').waitFor()
    // It asks once more, a moment after it began to follow.
    await expect.poll(() => asked).toBeGreaterThan(1)
    const before = asked
    await pool.query(END_DELIVERY, [id])
    notifyAccount(service.runtime, account, id)
    await page.locator('.pill', { hasText: 'failed' }).waitFor()
    expect([asked, complaints]).toEqual([before, []])
    await page.goto(at('webhooks/deliveries?state=failed'))
    await page.locator(`[data-delivery=${id}]`).waitFor()
    await page.getByRole('button', { name: 'Send failed again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    await page.getByText(/^\d+ sent again\.$/).waitFor()
    await page.getByText('No delivery has failed').waitFor()
    await page.close()
  })

  test('a link that could not be looked up is not said to be invalid, and can be tried again', async () => {
    const { service, browser, account } = opened()
    const system = service.runtime.as({ kind: 'system' })
    const email = ownEmail('patient')
    const { id } = await createUser(system, { account, email, role: 'member' })
    const { url } = await createSignInLink(system, { user: id })
    const context = await browser.newContext()
    const { page } = await openPage(context, service.url, /ERR_FAILED/)
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('query Link(') ? route.abort() : route.fallback(),
    )
    await page.goto(url)
    await page.getByText('The service cannot be reached').waitFor()
    expect(await page.getByText('no longer valid').count()).toBe(0)
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText(email).waitFor()
    await context.close()
  })

  test('a link that has expired says how to get another', async () => {
    const { service, browser, account, at } = opened()
    const system = service.runtime.as({ kind: 'system' })
    const { id } = await createUser(system, { account, email: ownEmail('late'), role: 'member' })
    const { url } = await createSignInLink(system, { user: id })
    await service.runtime.db.pool.query(
      "update sign_in_link set expires_at = now() - interval '1 s' where user_id = $1",
      [id],
    )
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(url)
    await page.getByRole('heading', { name: 'is no longer valid' }).waitFor()
    await page.waitForURL(at('enter'))
    expect([await flaws(page), complaints]).toEqual([[], []])
    await context.close()
  })
}

const ADD_KEY = `insert into api_key (id, account_id, name, hash, scopes) values ($1, $2, $3, sha256(convert_to($1::text, 'UTF8')), '{job:read}')`
const ADD_ATTEMPT = `insert into webhook_attempt (delivery_id, round, number, duration_ms, outcome, response_status, response)
  values ($1, 1, 1, 12, 'status_502', 502, $2)`
const END_DELIVERY =
  "update webhook_delivery set state = 'failed', outcome = 'timeout', finished_at = now() where id = $1"
