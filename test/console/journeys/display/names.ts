import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createUser } from '../../../../src/users/create-user.ts'
import { createSignInLink } from '../../../../src/users/sign-in-link.ts'
import { setOperator } from '../../../../src/users/update-user.ts'
import { newId } from '../../../../src/values/id.ts'
import { flaws, openPage } from '../../../setup/browser.ts'
import { insertJob } from '../../../setup/jobs/jobs.ts'
import { insertVoice } from '../../../setup/jobs/library.ts'
import { applyEndpoint } from '../../../setup/jobs/voice-jobs.ts'
import { type OpenedConsole, ownEmail } from '../opened-console.ts'

/** All that comes after it in the same piece of text is written from right to left. */
const OVERRIDE = '\u202E'
const NAME = `signed ${OVERRIDE}gnp.exe`

/** Names that would turn the text around them. */
export function namesJourneys(opened: () => OpenedConsole): void {
  test('a name that overrides the direction of writing turns nothing around it', async () => {
    const { service, browser, at } = opened()
    const { account, url, jobId } = await insertNames(opened())
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url, /404/)
    const found: string[] = []
    const look = async (where: string): Promise<void> => {
      await page.getByText(OVERRIDE).locator('visible=true').first().waitFor()
      found.push(...(await leaks(page)).map((text) => `${where}: ${JSON.stringify(text)}`))
    }
    await page.goto(url)
    await look('enter')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('.account-button').click()
    await look('menu')
    for (const path of [
      'keys',
      'people',
      'voices',
      'jobs',
      `jobs?endpoint=${NAME}`,
      `jobs/${jobId}`,
      'audit',
      'playground?endpoint=turned',
      `operator/accounts?search=${account}`,
      `operator/jobs?account=${account}`,
      `operator/jobs/${jobId}`,
      'operator/endpoints',
      `operator/audit?account=${account}`,
    ]) {
      await page.goto(at(path))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0)
      await look(path)
      for (const button of await page.locator(`main button[aria-label*="${OVERRIDE}"]`).all()) {
        const label = (await button.getAttribute('aria-label')) ?? ''
        if (!/^(Delete|Disable|Sign-in link|New password|Make|Add credits)/.test(label)) continue
        await button.click()
        await page.getByRole('dialog').waitFor()
        await look(`${path}, ${label}`)
        await page.keyboard.press('Escape')
      }
    }
    expect([found, complaints]).toEqual([[], []])
    await context.close()
  })

  test('a name of 200 characters and a balance of 1,000,000,000,000 stay in their places', async () => {
    const { service, browser, at } = opened()
    const system = service.runtime.as({ kind: 'system' })
    const account = await service.createAccount(1_000_000_000_000n)
    await service.runtime.db.pool.query('update account set name = $2 where id = $1', [
      account,
      'So long a name. '.repeat(12),
    ])
    const { id: user } = await createUser(system, { account, email: ownEmail('rich'), role: 'owner' })
    await setOperator(system, { user, operator: true })
    const { url } = await createSignInLink(system, { user })
    const context = await browser.newContext()
    const { page, complaints } = await openPage(context, service.url)
    await page.goto(url)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto(at(`operator/accounts?search=${account}`))
    await page.locator('tbody td').first().waitFor()
    expect(await flaws(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(at('credits'))
    await page.locator('tbody tr').first().waitFor()
    const cut = await page
      .locator('.tile-value')
      .evaluateAll((values) => values.filter((value) => value.scrollWidth > value.clientWidth).length)
    expect([cut, complaints]).toEqual([0, []])
    await context.close()
  })
}

/** Everything that bears a name, with one that turns what is around it. */
async function insertNames({ service }: OpenedConsole): Promise<{ account: string; url: string; jobId: string }> {
  const { db } = service.runtime
  const system = service.runtime.as({ kind: 'system' })
  const account = await service.createAccount()
  const email = ownEmail('eve')
  const { id: user } = await createUser(system, { account, email, role: 'owner' })
  await createUser(system, { account, email: `b${email}`, role: 'owner' })
  // Names of before such characters were refused.
  await db.pool.query(`update "user" set email = replace(email, '@', $2 || '@') where account_id = $1`, [
    account,
    OVERRIDE,
  ])
  await setOperator(system, { user, operator: true })
  await db.pool.query('update account set name = $2 where id = $1', [account, NAME])
  const key = newId('key')
  await db.pool.query(ADD_KEY, [key, account, NAME])
  await db.pool.query(ADD_CHANGE, [account, key, NAME])
  const voice = await insertVoice(db, account)
  await db.pool.query('update account_voice set name = $2 where id = $1', [voice, NAME])
  await applyEndpoint(service.runtime, 'turned', { base_url: 'http://127.0.0.1:9' }, { library_voices: true })
  await db.pool.query(`update voice_endpoint set name = $1 where slug = 'turned'`, [NAME])
  await service.runtime.catalog.reload()
  const jobId = await insertJob(db, account, { apiKeyId: key })
  const { url } = await createSignInLink(system, { user })
  return { account, url, jobId }
}

const ADD_KEY = `insert into api_key (id, account_id, name, hash, scopes) values ($1, $2, $3, sha256(convert_to($1::text, 'UTF8')), '{job:read}')`
const ADD_CHANGE = `insert into audit_entry (account_id, action, subject_id, subject_name, detail, actor_kind, actor_id, actor_account_id, actor_name)
  values ($1, 'key_updated', $2, $3, $3, 'key', $2, $1, $3)`

/**
 * The texts that a name turns together with more than itself. A box of its own, or one that is isolated, ends what the name begins; so do
 * the characters around it that isolate it.
 */
const leaks = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isOwn = (element: Element): boolean => {
      const { display, unicodeBidi } = getComputedStyle(element)
      return display !== 'inline' || /isolate|plaintext/.test(unicodeBidi)
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    while (texts.nextNode()) {
      const { textContent, parentElement } = texts.currentNode
      const bare = (textContent ?? '').replaceAll(/\u2068[^\u2069]*\u2069/g, '')
      if (!bare.includes('\u202E') || !parentElement?.checkVisibility()) continue
      let root = parentElement
      while (!isOwn(root) && root.parentElement) root = root.parentElement
      const after = (root.textContent ?? '').split('\u202E').at(-1) ?? ''
      // A command quotes the name, up to its end.
      if (!/^(gnp\.exe'?|@example\.com)$/.test(after.trim())) found.push(root.textContent ?? '')
    }
    return found
  })
