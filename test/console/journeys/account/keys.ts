import { expect, test } from 'vitest'
import { createUser } from '../../../../src/users/create-user.ts'
import { newId } from '../../../../src/values/id.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { idAt, insertJob } from '../../../setup/jobs/jobs.ts'
import { PASSWORD } from '../../../setup/service/users.ts'
import { type OpenedConsole, ownEmail, ownName, signIn } from '../opened-console.ts'

const HOUR_MS = 3_600_000
const ADD_KEY = `insert into api_key (id, account_id, name, hash, scopes, last_used_at) values ($1, $2, $3, sha256(convert_to($1::text, 'UTF8')), '{job:read}', $4)`

/** Making and revoking keys. */
export function keyJourneys(opened: () => OpenedConsole): void {
  test('a link asks for a new key, once', async () => {
    const { service, owner, account, at } = opened()
    const name = ownName('without end')
    await service.runtime.db.pool.query(ADD_KEY, [newId('key'), account, name, null])
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('keys?new'))
    const dialog = page.getByRole('dialog', { name: 'Create an API key' })
    await dialog.waitFor()
    await page.waitForURL(at('keys'))
    await dialog.getByLabel('Name').fill('by a link')
    expect(await flaws(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor()
    await page.getByRole('row', { name }).waitFor()
    expect([page.url(), await dialog.count(), complaints]).toEqual([at('keys'), 0, []])
    await page.close()
  })

  test('the name of a key has the room that no other column needs, and its tooltip the whole of it', async () => {
    const { service, owner, account, at } = opened()
    const names = [ownName('Website of the harbour'), `${ownName('Website')} ${'of the harbour '.repeat(5).trim()}`]
    for (const name of names)
      await service.runtime.db.pool.query(ADD_KEY, [
        newId('key'),
        account,
        name,
        new Date(Date.now() - 40 * 24 * HOUR_MS),
      ])
    const { page, complaints } = await openPage(owner, service.url)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(at('keys'))
    const cell = (name: string) => page.getByRole('rowheader', { name })
    const isClipped = (name: string) => cell(name).evaluate((box) => box.scrollWidth > box.clientWidth)
    await cell(names[0]!).waitFor()
    expect(await Promise.all(names.map(isClipped))).toEqual([false, true])
    expect(await Promise.all(names.map((name) => cell(name).getAttribute('title')))).toEqual(names)
    expect([await flaws(page, 'keys'), complaints]).toEqual([[], []])
    await page.close()
  })

  test('a key is copied over plain http as well, with the focus where it was; where the browser refuses, its dialog says so', async () => {
    const { service, owner, at } = opened()
    const { page, complaints } = await openPage(owner, service.url)
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await page.goto(at('keys?new'))
    const form = page.getByRole('dialog', { name: 'Create an API key' })
    await form.getByLabel('Name').fill(ownName('copied'))
    await form.getByRole('button', { name: 'Create', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'The new API key' })
    const value = await dialog.locator('.secret code').textContent()
    await page.evaluate(() => {
      addEventListener('copy', ({ target }) => {
        document.title = (target as HTMLTextAreaElement).value
      })
    })
    const copy = dialog.getByTitle('Copy the API key')
    await copy.click()
    await expect.poll(() => page.title()).toBe(value)
    expect(await copy.evaluate((button) => button === document.activeElement)).toBe(true)
    await page.evaluate(() => {
      document.execCommand = () => false
    })
    await copy.click()
    await dialog.getByText('The browser refused to copy').waitFor()
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })

  test('a key is given a monthly limit and shows what of it is used; an empty field removes the limit', async () => {
    const { service, owner, account, at } = opened()
    const name = ownName('limited')
    const id = newId('key')
    await service.runtime.db.pool.query(ADD_KEY, [id, account, name, null])
    await insertJob(service.runtime.db, account, { status: 'queued', apiKeyId: id, cost: '1500' })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('keys'))
    const row = page.getByRole('row', { name })
    const used = (text: string) => row.getByText(text, { exact: true }).waitFor()
    await used('1,500 this month')
    const limit = async (text: string) => {
      await row.getByRole('button', { name: `Change ${name}` }).click()
      const dialog = page.getByRole('dialog', { name: 'Change the key' })
      await dialog.getByLabel('Monthly limit').fill(text)
      expect(await flaws(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await limit('20000')
    await used('1,500 of 20,000 this month')
    await limit('')
    await used('1,500 this month')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a key is given a limit of its running jobs, which another limit leaves as it is and an empty field removes', async () => {
    const { service, owner, account, at } = opened()
    const { pool } = service.runtime.db
    const name = ownName('few at once')
    const id = newId('key')
    await pool.query(ADD_KEY, [id, account, name, null])
    const { page, complaints } = await openPage(owner, service.url)
    const change = async (label: string, before: string, text: string) => {
      await page.goto(at('keys'))
      await page.getByRole('button', { name: `Change ${name}` }).click()
      const dialog = page.getByRole('dialog', { name: 'Change the key' })
      const field = dialog.getByLabel(label)
      expect(await field.inputValue()).toBe(before)
      await field.fill(text)
      expect(await flaws(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      const { rows } = await pool.query('select max_running, monthly_limit::int from api_key where id = $1', [id])
      return rows[0]
    }
    expect(await change('Jobs at once', '', '3')).toEqual({ max_running: 3, monthly_limit: null })
    expect(await change('Monthly limit', '', '500')).toEqual({ max_running: 3, monthly_limit: 500 })
    expect(await change('Jobs at once', '3', '')).toEqual({ max_running: null, monthly_limit: 500 })
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the list says which user made a key', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const made = newId('key')
    const [byUser, byNone] = [ownName('made by a user'), ownName('made by no user')]
    await db.pool.query(ADD_KEY, [made, account, byUser, null])
    await db.pool.query(ADD_KEY, [newId('key'), account, byNone, null])
    await db.pool.query(`update api_key set created_by_id = (select id from "user" where email = $2) where id = $1`, [
      made,
      'owner@example.com',
    ])
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('keys'))
    await page.getByRole('row', { name: byUser }).getByText('by owner@example.com').waitFor()
    expect(await page.getByRole('row', { name: byNone }).locator('.maker').count()).toBe(0)
    expect([await flaws(page), complaints]).toEqual([[], []])
    await page.close()
  })

  test('a key that is about to be deleted is said to be in use: when last, and by how many jobs of the last hour', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const [used, idle] = [newId('key'), newId('key')]
    const [usedName, idleName] = [ownName('still in use'), ownName('not in use')]
    await db.pool.query(ADD_KEY, [used, account, usedName, new Date(Date.now() - 90_000)])
    await db.pool.query(ADD_KEY, [idle, account, idleName, null])
    for (let made = 0; made < 2; made++) await insertJob(db, account, { apiKeyId: used })
    await insertJob(db, account, { apiKeyId: used, id: idAt(new Date(Date.now() - 2 * HOUR_MS)) })
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('keys'))
    const dialog = page.getByRole('dialog', { name: 'Delete this key?' })
    await page.getByRole('button', { name: `Delete ${usedName}` }).click()
    await dialog.getByText('2 jobs were submitted with it within the last hour.').waitFor()
    await dialog.getByText(/^Last used: \dm(in)?\.? ago\.$/).waitFor()
    expect(await flaws(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const counted = page.waitForResponse((reply) => reply.request().postData()?.includes('query KeyJobs(') ?? false)
    await page.getByRole('button', { name: `Delete ${idleName}` }).click()
    await dialog.getByText('It was never used.').waitFor()
    await (await counted).finished()
    // By then the page has taken it up.
    await page.evaluate(() => fetch('/health/live'))
    expect([await dialog.getByText('within the last hour').count(), complaints]).toEqual([0, []])
    await page.close()
  })

  test('a key that was deleted elsewhere leaves the list, and a scope that cannot be granted is named', async () => {
    const { service, owner, account, at } = opened()
    const { db } = service.runtime
    const gone = ownName('gone')
    const ids = ['one', 'two', 'three'].map((name) => [newId('key'), `${gone} ${name}`] as const)
    for (const [id, name] of ids) await db.pool.query(ADD_KEY, [id, account, name, null])
    const remove = (at: number) => db.pool.query('delete from api_key where id = $1', [ids[at]?.[0]])
    const { page, complaints } = await openPage(owner, service.url)
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query GrantableScopes')) return route.fallback()
      const response = await route.fetch()
      const json = await response.json()
      json.data.grantableScopes.push({ name: 'studio:use', description: 'Use the studio.' })
      return route.fulfill({ response, json })
    })
    await page.goto(at('keys'))
    const row = (name: string) => page.getByRole('row', { name: `${gone} ${name}` })
    await row('three').getByText('read jobs').waitFor()
    await remove(0)
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await row('one').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: `Delete ${gone} two` }).click()
    await remove(1)
    await page.getByRole('dialog').getByRole('textbox').fill(`${gone} two`)
    await page.getByRole('button', { name: 'Delete the key' }).click()
    await page.getByText('The key had been deleted already.').waitFor()
    await row('two').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: `Change ${gone} three` }).click()
    await page.getByLabel('Use the studio.').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('You cannot give a key the right studio:use: ask your operator for it.').waitFor()
    expect(await flaws(page)).toEqual([])
    await page.getByLabel('Use the studio.').uncheck()
    await remove(2)
    await page.getByRole('button', { name: 'Save' }).click()
    await row('three').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the id of a key leads to it, wherever in the list it stands', async () => {
    const { service, owner, account, at } = opened()
    const { pool } = service.runtime.db
    const id = newId('key')
    await pool.query(ADD_KEY, [id, account, 'found by its id', null])
    const { page, complaints } = await openPage(owner, service.url)
    await page.goto(at('none'))
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click()
    await page.getByRole('combobox', { name: 'Go to, or do' }).fill(id)
    await page.keyboard.press('Enter')
    await page.waitForURL(at(`keys?key=${id}`))
    await page.getByRole('row', { name: /found by its id/ }).waitFor()
    expect([await page.locator('tbody tr').count(), await flaws(page)]).toEqual([1, []])
    await page.getByRole('button', { name: 'Delete found by its id' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('found by its id')
    await page.getByRole('button', { name: 'Delete the key' }).click()
    await page.getByText('No such key').waitFor()
    await page.getByRole('link', { name: 'All keys' }).click()
    await page.waitForURL(at('keys'))
    await page.locator('tbody tr').nth(1).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the last owner of an account can be neither disabled nor made a member, and its page says why', async () => {
    const { service, browser, at } = opened()
    const account = await service.createAccount()
    const system = service.runtime.as({ kind: 'system' })
    const add = (email: string) => createUser(system, { account, email, password: PASSWORD, role: 'owner' })
    const [only, second] = [ownEmail('only'), ownEmail('second')]
    await add(only)
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(at('people'))
    await signIn(page, only)
    await page.getByText('Only you so far').waitFor()
    const buttons = [`Disable ${only}`, `Make member: ${only}`].map((name) => page.getByRole('button', { name }))
    for (const button of buttons)
      expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
        true,
        'The account needs an owner: make another person an owner first.',
      ])
    expect(await flaws(page)).toEqual([])
    await add(second)
    await page.reload()
    await page.getByText(second).first().waitFor()
    for (const button of buttons) expect(await button.isEnabled()).toBe(true)
    await page.getByRole('button', { name: `New password for ${second}` }).click()
    await page.getByRole('button', { name: 'Make the link' }).click()
    await page.getByRole('dialog', { name: 'The sign-in link' }).getByText('/console/enter#').waitFor()
    await page.getByLabel('I have passed it on').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: `Sign-in link for ${second}` }).waitFor()
    expect([await page.getByText('Only you so far').count(), complaints]).toEqual([0, []])
    await context.close()
  })
}
